"""`theanodiag check model.py`: what the functions of a script need, without computing anything."""

from __future__ import annotations

import argparse
import dataclasses
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import ExitCode
from ..escaping import visible
from . import configured, confirming, following, logged, options, output, selecting

if TYPE_CHECKING:
    from ..findings import Finding
    from ..report.model import Report
    from ..requests import CheckRequest
    from ..rules.selection import Selection

HELP = "run a script without computing anything and report the memory that its functions need"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.usage = "theanodiag check [OPTIONS] MODEL.py [MODEL.py...] [-- ARG...]"
    parser.add_argument("models", metavar="MODEL.py", nargs="+", help="the script to check; several get a verdict each")
    parser.add_argument(
        "--python", metavar="INTERPRETER", help="interpreter that has the framework (default: the one that runs theanodiag)"
    )
    options.prepare(parser, device="the GPU found, else none", batch="found")
    what = "memory that the job can have on the host (default: the least of physical memory, control group, SLURM and ulimit)"
    parser.add_argument("--host-memory", metavar="SIZE", help=what)
    parser.add_argument("--cudnn", metavar="VERSION", help="rewrite graphs for a device that has this cuDNN, such as 7605 (default: none)")
    parser.add_argument(
        "--engine", choices=("gpuarray", "xla", "jax", "torch", "numba", "host"),
        help="what runs the functions: Theano's GPU (for PyTensor: a what-if), JAX's compiler (xla, jax), torch, numba, or the framework's "
        "own linkers on the host (default: by framework, mode and device)",
    )  # fmt: skip
    parser.add_argument(
        "--shape", metavar="[FUNCTION:]NAME=N,N", action="append", default=[], help="shape of an input of a function that is not called"
    )
    parser.add_argument("--calls", choices=("dry", "real"), default="dry", help="record calls only, or execute them (default: dry)")
    parser.add_argument(
        "--max-calls", metavar="N", type=int, default=3, help="stop the script after each function was called N times (default: 3)"
    )
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=float, default=600.0, help="end the script after this time, with exit code 3 (default: 600)"
    )
    following.prepare(parser)
    logged.prepare(parser)
    confirming.prepare(parser)
    configured.prepare(parser, "check")


def run(args: argparse.Namespace) -> ExitCode:
    """Checks the script and prints the report to stdout."""
    if configured.fill(args, args.model):
        return ExitCode.CLEAN
    wanted = selecting.selection(args)
    if len(args.models) > 1:
        from . import several

        several.require_suited(args)
        options.require_output(args)
        return several.check(args, request_of(args), wanted)
    following.require_suited(args)
    log = logged.read(args)
    options.require_output(args)
    request = request_of(args)
    if args.calibrate:
        confirming.calibrated(args)
    report = checked(args, request, wanted)
    if args.diff:
        following.show_difference(report, request, args)
    elif log is not None and args.format == "json":
        output.deliver(output.document_text(logged.document(log, report, args)), args.output)
    else:
        if log is not None:
            logged.show(log, report, args)
        options.show(report, args)
    if args.fix is not None:
        following.write_flags(report, request, args.fix)
    return options.exit_code(report, args)


def checked(args: argparse.Namespace, request: CheckRequest, wanted: Selection) -> Report:
    """The report on the script, with the findings that are wanted."""
    from ..jobs.check import check
    from .progress import Progress
    from .script_output import ScriptOutput

    with Progress(f"running {args.model}") as progress, ScriptOutput(_heading(args), progress.between(_shown(args))) as printed:
        # With --quiet there is no line of progress to write over.
        report = check(request, stdout=printed.descriptor, stderr=None if args.quiet else printed.descriptor)
    options.require_functions(report, args)
    return selecting.applied(dataclasses.replace(report, findings=(*report.findings, *config_findings(report))), args, wanted)


def request_of(args: argparse.Namespace) -> CheckRequest:
    """What the command line and the configuration ask."""
    from ..requests import CheckRequest

    return CheckRequest(
        path=args.model,
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
        batch_dim=options.axes(args),
        confirm=args.confirm,
        repeat=args.repeat,
        tight=args.tight,
        host_memory=args.host_memory,
    )


def _heading(args: argparse.Namespace) -> str:
    """What stands above the script's own output."""
    zeros = " (its functions return zeros)" if args.calls == "dry" else ""
    return visible(f"output of {args.model}{zeros}:")


def _shown(args: argparse.Namespace) -> Callable[[str], None]:
    """Where the script's own output goes: to stdout beside a text for people, else to stderr; nowhere with --quiet."""
    if args.quiet:
        return lambda _: None
    beside = args.format == "text" and args.output in (None, "-") and not args.diff
    return output.write if beside else output.complain


def config_findings(report: Report) -> tuple[Finding, ...]:
    """What is wrong with the flags that the framework was started with, by the rules TD2xx; told on stderr where that cannot be read."""
    from ..errors import UnreadableError
    from ..flags.diagnose import MachineFacts
    from ..flags.model import Dialect
    from ..rules.config import findings
    from .config_check import pair, subject_of

    framework = report.target.framework
    dialect = framework and Dialect(framework.name.split("-")[0]).value
    version = framework and framework.version
    # Under its legacy name a framework is handed the flags of the missing one.
    others = [d for d in Dialect if framework and framework.alias_of and d.value != dialect]
    translated = tuple(name for d in others for name in (d.flags_variable, d.rc_variable))
    asked = argparse.Namespace(files=[], flags=None, dialect=dialect, library_version=version, python=report.target.interpreter)
    known = None
    if framework is not None and framework.python is not None:
        known = framework.python, pair(framework.numpy) if framework.numpy else None
    facts = MachineFacts(installed=framework is not None, translated=translated)
    try:
        return findings(subject_of(asked, os.environ, facts, versions=known))
    except UnreadableError as error:
        output.note(f"the flags were not checked: {error}")
        return ()
