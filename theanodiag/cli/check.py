"""`theanodiag check model.py`: predicts the memory of a script's functions without computing anything."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from ..confirmation import BEST, KINDS, SAMPLING
from ..errors import ExitCode, UnreadableError, UsageError
from ..escaping import visible
from ..report import listings
from ..settings import TIMEOUT
from . import check_with_log, finding_filters, output, plan_changes, shared_options
from .parameters import Argument, Arguments, Option, group, switch

if TYPE_CHECKING:
    from ..findings import Finding
    from ..report.model import Report
    from ..requests import CheckRequest
    from ..rules.selection import Selection

CHOICES = (BEST, *KINDS, SAMPLING)


def confirm_options() -> tuple[Option, ...]:
    """Returns the options that belong to `--confirm`."""
    return (
        Option("--confirm", metavar="DEVICE", type=click.Choice(CHOICES), flag_value=BEST,
            help="also run the script for real, and compare the measurement with the prediction: cuda, virtual (the real allocator "
            "on a simulated device), opencl, jax, torch or cpu (default: the best available); pymc: sample a few draws for each "
            "call of pymc.sample, and extrapolate their memory"),
        Option("--repeat", metavar="N", type=int, default=1,
            help="with --confirm: run this number of times, to see how times vary (default: 1)"),
        switch("--calibrate", help="with --confirm: measure the size of the CUDA context first, and save it"),
        switch("--tight", help="with --confirm: find the smallest device on which the script runs, by trial runs"),
    )  # fmt: skip


def arranged(arguments: Sequence[str]) -> list[str]:
    """Inserts values that may be omitted before a script: `--confirm MODEL.py` becomes `--confirm=best MODEL.py`, and `--fix MODEL.py`
    becomes `--fix= MODEL.py`."""
    words = list(arguments)
    for k, word in enumerate(arguments[:-1]):
        if word == "--confirm" and arguments[k + 1] not in CHOICES and is_script(arguments, k + 1):
            words[k] = f"--confirm={BEST}"
        elif word == "--fix" and is_script(arguments, k + 1):
            words[k] = "--fix="
    return words


def is_script(arguments: Sequence[str], at: int) -> bool:
    """Returns whether `arguments[at]`, which follows an option with an optional value, is the script: it is named like one, or is a file
    and no other argument could be the script.
    """
    word = arguments[at]
    others = (w for k, w in enumerate(arguments) if k != at and not (k and arguments[k - 1].startswith("-")))
    if word.startswith("-") or not os.path.isfile(word):
        return word.endswith(shared_options.SOURCES)
    return word.endswith(shared_options.SOURCES) or not any(w.endswith(shared_options.SOURCES) or os.path.isfile(w) for w in others)


def calibrated(args: Arguments) -> None:
    """Handles `--calibrate`. Only a CUDA GPU has an unknown overhead."""
    from .doctor_outputs import calibrate, describe

    if args.confirm not in (BEST, "cuda"):
        raise UsageError("--calibrate is for a CUDA GPU", help="write --confirm cuda --calibrate, or theanodiag doctor --calibrate")
    output.complain(visible(describe(calibrate("cuda", args.python))) + "\n")


PARAMETERS = (
    Argument("models", metavar="MODEL.py", nargs=-1, required=True,
        help="the script or notebook to check; if several are named, each gets a verdict"),
    *group("Run of the script",
        Option("--python", metavar="INTERPRETER", help="interpreter that has the framework (default: the one that runs theanodiag)"),
    ),
    *shared_options.report(device="the GPU of this machine, else none", batch="detected"),
    *group("Device",
        Option("--host-memory", metavar="SIZE",
            help="host memory that the job can use (default: physical memory, or the limit of the control group, SLURM or ulimit if that "
            "is lower)"),
        Option("--cudnn", metavar="VERSION", help="rewrite graphs for a device that has this cuDNN, such as 7605 (default: none)"),
        Option("--engine", type=click.Choice(("gpuarray", "xla", "jax", "torch", "numba", "host")),
            help="what runs the functions: Theano's GPU back-end (gpuarray; hypothetical for PyTensor), JAX's compiler (xla, jax), torch, "
            "numba, or the framework's own linkers on the host (default: depends on framework, mode and device)"),
    ),
    *group("Run of the script",
        Option("--shape", metavar="[FUNCTION:]NAME=N,N", multiple=True,
            help="shape of an input of a function that the script does not call"),
        Option("--calls", default="dry", type=click.Choice(("dry", "real")),
            help="only record the calls of functions (dry), or also execute them (real; default: dry)"),
        Option("--max-calls", metavar="N", type=int, default=3, help="stop the script once each function was called N times (default: 3)"),
        Option("--timeout", metavar="SECONDS", type=float, default=TIMEOUT,
            help=f"stop the script after this time, with exit code 3 (default: {TIMEOUT:g})"),
    ),
    *group("Changes that make the script fit, and failed jobs", *plan_changes.parameters(), *check_with_log.parameters()),
    *group("Measurement of a real run", *confirm_options()),
)  # fmt: skip
TRAITS = {"usage": "MODEL.py...", "takes_script": True, "arranged": arranged}


def run(args: Arguments) -> ExitCode:
    """Checks the script and prints the report to stdout."""
    others = args.models[1:]
    sources = shared_options.SOURCES
    unknown = [word for word in others if not word.endswith(sources) and (os.path.splitext(word)[1] or not os.path.exists(word))]
    if unknown:
        advice = f"the script's own arguments come after --, as in theanodiag check MODEL.py -- {' '.join(unknown)}"
        raise UsageError(f"unrecognized arguments: {' '.join(unknown)}", help=advice)
    wanted = finding_filters.selection(args)
    if others:
        from . import check_several

        check_several.require_suited(args)
        shared_options.require_output(args)
        return check_several.check(args, request_of(args), wanted)
    plan_changes.require_suited(args)
    log = check_with_log.read(args)
    shared_options.require_output(args)
    request = request_of(args)
    if args.calibrate:
        calibrated(args)
    try:
        report = checked(args, request, wanted)
    except UnreadableError as error:
        deliver_unread(args, error)
        raise
    if args.diff:
        plan_changes.show_difference(report, request, args)
    elif log is not None and args.format == "json":
        output.deliver(check_with_log.document(log, report, args), args.output, shared_options.in_one_line(report))
    else:
        if log is not None:
            check_with_log.show(log, report, args)
        shared_options.show(report, args)
    if args.fix is not None:
        plan_changes.write_flags(report, request, args.fix)
    return shared_options.exit_code(report, args)


def deliver_unread(args: Arguments, error: UnreadableError) -> None:
    """Prints a finding that says that the script could not be run, if the format is one that lists findings: a program that reads the list
    does not see the error message.
    """
    if args.format not in listings.FORMATS:
        return
    from ..findings import Location
    from ..rules.not_checked import UncheckedSubject, not_checked

    span = error.span
    place = Location(args.models[0]) if span is None else Location(args.models[0], span.line, span.column)
    findings = tuple(not_checked.check(UncheckedSubject(place, error.message, error.help)))
    output.deliver(listings.render(args.format, findings, os.getcwd(), args.fail_on), args.output, error.message)


def checked(args: Arguments, request: CheckRequest, wanted: Selection, name: str | None = None) -> Report:
    """Returns the report on the script, with the selected findings. `name` stands for the script's path in the progress display."""
    from ..jobs.check import check
    from .progress import Progress, ScriptOutput

    path, show = args.models[0], _shown(args)
    shown = name or path
    with (
        Progress(f"running {shown}") as progress,
        ScriptOutput(
            _heading(shown, args),
            progress.between(lambda text: show(text.replace(path, shown))),
            shorten="--verbose shows all" if _is_cut(args) else "",
        ) as printed,
    ):
        progress.aside = printed.unseen
        # With --quiet there is no line of progress to write over.
        to = None if args.quiet else printed.descriptor
        report = check(request, stdout=printed.descriptor, stderr=to, doing=lambda text: progress.doing(f"running {shown}: {text}"))
    shared_options.require_functions(report, args)
    return finding_filters.applied(dataclasses.replace(report, findings=(*report.findings, *config_findings(report))), args, wanted)


def request_of(args: Arguments) -> CheckRequest:
    """Returns the request made by the command line and the configuration file."""
    from ..requests import CheckRequest

    return CheckRequest(
        path=args.models[0],
        python=args.python,
        args=args.script_args,
        device=args.gpu,
        device_overhead=args.device_overhead,
        cudnn=args.cudnn,
        shapes=args.shape,
        calls=args.calls,
        max_calls=args.max_calls,
        timeout=args.timeout,
        engine=args.engine,
        batch_dim=shared_options.axes(args),
        confirm=args.confirm,
        repeat=args.repeat,
        tight=args.tight,
        host_memory=args.host_memory,
    )


def _heading(name: str, args: Arguments) -> str:
    """The heading above the script's output."""
    zeros = " (its numbers are placeholders)" if args.calls == "dry" else ""
    return visible(f"output of {name}{zeros}:")


def _shown(args: Arguments) -> Callable[[str], None]:
    """The function that writes the script's output: to stdout if the report is text there, else stderr; nowhere with --quiet."""
    if args.quiet:
        return lambda _: None
    return output.write if _is_beside(args) else output.complain


def _is_beside(args: Arguments) -> bool:
    """Whether the script's output stands in one stream with the report."""
    return args.format == "text" and args.output in (None, "-") and not args.diff


def _is_cut(args: Arguments) -> bool:
    """Whether a long output of the script is shortened: on a terminal only, since what a file or the log of a CI job lacks is lost."""
    return not args.verbose and output.is_terminal(sys.stdout if _is_beside(args) else sys.stderr)


def config_findings(report: Report) -> tuple[Finding, ...]:
    """Returns the TD2xx findings about the flags with which the framework was started. If the flags cannot be read, writes a note to
    stderr.
    """
    from ..errors import UnreadableError
    from ..flags.diagnose import MachineFacts
    from ..flags.model import Dialect
    from ..rules.config import findings
    from .config_check import pair, subject_of, versions_of
    from .config_input import table_of

    framework = report.target.framework
    dialect = Dialect(framework.name.split("-")[0]).value if framework else None
    # Under its legacy name a framework is handed the flags of the missing one.
    others = [d for d in Dialect if framework and framework.alias_of and d.value != dialect]
    translated = tuple(name for d in others for name in (d.flags_variable, d.rc_variable))
    known = None
    if framework is not None and framework.python is not None:
        known = framework.python, pair(framework.numpy) if framework.numpy else None
    facts = MachineFacts(installed=framework is not None, translated=translated)
    try:
        table = table_of(dialect, framework.version if framework else None, None)
        return findings(subject_of(table, known or versions_of(report.target.interpreter), context=facts))
    except UnreadableError as error:
        output.note(f"the flags were not checked: {error}")
        return ()
