"""`theanodiag compare SCRIPT [SCRIPT2]`: compares what two runs compute."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..errors import ExitCode, UsageError
from ..escaping import visible
from ..jobs.compare import compare, compare_densities
from ..report import compared
from ..requests import CompareRequest, DensityRequest
from ..settings import TIMEOUT
from . import output, shared_options
from .parameters import Argument, Arguments, Option, switch
from .progress import Progress, RepeatedWarnings, ScriptOutput

PARAMETERS = (
    Argument("script", metavar="SCRIPT", help="the script to run; its own arguments come after --"),
    Argument("other", metavar="SCRIPT2", required=False, help="what the second interpreter runs (default: the same script)"),
    Option("--python", metavar="OLD", required=True, help="the interpreter that runs SCRIPT"),
    Option("--against", metavar="NEW", required=True, help="the interpreter that runs SCRIPT2"),
    Option("--calls", metavar="N", type=int, default=10, help="number of calls to compare for each function (default: 10)"),
    Option("--stop-after", metavar="N", type=int,
        help="end both runs after a total of N calls of compiled functions (default: once every function was called often enough)"),
    Option("--rtol", metavar="X", type=float,
        help="allowed difference, relative to the largest value of an array (default: 1e-10 for float64, 1e-4 for float32)"),
    Option("--atol", metavar="X", type=float, default=0.0, help="allowed absolute difference (default: 0)"),
    Option("--seed", metavar="N", type=int, default=1234, help="seed of random and numpy.random in both runs (default: 1234)"),
    Option("--timeout", metavar="SECONDS", type=float, default=TIMEOUT, help=f"time limit for each run (default: {TIMEOUT:g})"),
    switch("--no-node", help="skip the second pair of runs, which finds the first node whose results differ"),
    switch("--same-draws",
        help="give the second run the random numbers that the first run drew, if both draw the same shapes in the same order"),
    switch("--density",
        help="compare the log-densities of both scripts' PyMC3 or PyMC models, term by term, at the start and 20 points; nothing is "
        "sampled"),
    shared_options.format_option(),
)  # fmt: skip
TRAITS = {"takes_script": True}


def run(args: Arguments) -> ExitCode:
    """Runs both scripts; the exit code says whether the results are equal."""
    road: Any = (_density_request, compare_densities, compared.density_text) if args.density else (_request, compare, compared.text)
    request, job, as_text = road
    comparison = watched(job, request(args), (args.script, args.other or args.script))
    if args.format == "json":
        from ..report.v1 import common
        from ..report.v1 import compare as v1  # msgspec is imported only where JSON is written

        output.write(common.text(v1.CompareDensityV1.of(comparison) if args.density else v1.CompareV1.of(comparison)))
    else:
        output.write(as_text(comparison))
    return ExitCode.CLEAN if comparison.equal else ExitCode.FINDINGS


def watched(job: Callable[..., Any], request: CompareRequest | DensityRequest, names: tuple[str, str], step: str = "") -> Any:
    """Runs the comparison `job` and returns its result. Meanwhile stderr shows the output of both runs, each under its name in `names`, and
    the current activity, after `step`.
    """
    with Progress(step) as progress:
        show = (lambda _: None) if output.LOOK.quiet else progress.between(output.complain)
        headings = [visible(f"output of {path}, the {run} run:") for run, path in zip(("old", "new"), names)]
        shorten = "2> FILE keeps all" if output.is_terminal(sys.stderr) else ""
        outputs = [ScriptOutput(heading, show, mark, shorten, RepeatedWarnings()) for heading, mark in zip(headings, ("old | ", "new | "))]
        with outputs[0] as old, outputs[1] as new:
            progress.aside = lambda: new.unseen() or old.unseen()
            return job(request, stdout=(old.descriptor, new.descriptor), doing=lambda text: progress.doing(step + text))


def _both_runs(args: Arguments) -> dict[str, Any]:
    """Fields that both kinds of request share: the scripts, the interpreters and how they run."""
    return {
        "path": args.script,
        "python": args.python,
        "against": args.against,
        "other": args.other,
        "args": tuple(args.script_args),
        "rtol": args.rtol,
        "atol": args.atol,
        "seed": args.seed,
        "timeout": args.timeout,
    }


def _request(args: Arguments) -> CompareRequest:
    return CompareRequest(
        **_both_runs(args),
        calls=args.calls,
        find_node=not args.no_node,
        same_draws=args.same_draws,
        stop_after=args.stop_after,
    )


def _density_request(args: Arguments) -> DensityRequest:
    """Raises UsageError for options about calls of functions."""
    for name in ("calls", "stop_after", "same_draws", "no_node"):
        if name in args.given:
            option = name.replace("_", "-")
            raise UsageError(f"--{option} has no effect with --density, which compares no calls", help=f"leave out --{option}", option=name)
    return DensityRequest(**_both_runs(args))
