"""`theanodiag check model.py`: what the functions of a script need, without computing anything."""

from __future__ import annotations

import argparse
import dataclasses
import os
from typing import TYPE_CHECKING

from ..errors import ExitCode
from ..findings import Severity
from . import confirming, output, selecting

if TYPE_CHECKING:
    from ..findings import Finding
    from ..report.model import Report

HELP = "run a script without computing anything and report the memory that its functions need"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.usage = "theanodiag check [OPTIONS] MODEL.py [-- ARG...]"
    parser.add_argument("model", metavar="MODEL.py", help="the script to look at")
    parser.add_argument(
        "--python", metavar="INTERPRETER", help="interpreter that has the framework (default: the one that runs theanodiag)"
    )
    parser.add_argument(
        "--gpu", metavar="DEVICE", help="a size such as 4GiB, a card such as k520, or none (default: the GPU found, else none)"
    )
    parser.add_argument("--device-overhead", metavar="SIZE", help="what the driver takes for itself, instead of the card's default")
    parser.add_argument("--cudnn", metavar="VERSION", help="rewrite graphs for a device that has this cuDNN, such as 7605 (default: none)")
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
    parser.add_argument(
        "--batch-dim", metavar="NAME:AXIS,...", help="axes of the batch, such as x:0,y:0: says what other batches need (default: found)"
    )
    parser.add_argument(
        "--write", metavar="FILE", nargs="?", const="", help="set the recommended preallocation in an rc file (default: the one in use)"
    )
    confirming.prepare(parser)
    parser.add_argument("--verbose", action="store_true", help="also draw reserved and live bytes over the steps of each function")
    parser.add_argument("--format", choices=("terminal", "json"), default="terminal", help="output format (default: terminal)")
    selecting.prepare(parser)
    parser.add_argument(
        "--fail-on",
        choices=("info", "warning", "error"),
        default="error",
        help="least severity of a finding that makes the exit code 1 (default: error)",
    )


def run(args: argparse.Namespace) -> ExitCode:
    """Checks the script and prints the report to stdout."""
    from ..api import check
    from .atomic import require_writable
    from .progress import Progress
    from .recommended import write_preallocation

    wanted = selecting.selection(args)
    if args.calibrate:
        confirming.calibrated(args)
    if args.write:
        require_writable(args.write)
    with Progress(f"running {args.model}"):
        report = check(
            args.model,
            python=args.python,
            args=args.script_args,
            device=args.gpu,
            device_overhead=args.device_overhead,
            cudnn=args.cudnn,
            shapes=args.shape,
            calls=args.calls,
            max_calls=args.max_calls,
            timeout=args.timeout,
            confirm=args.confirm,
            repeat=args.repeat,
            tight=args.tight,
            batch_dim=axes(args.batch_dim),
            stdout=2 if args.format == "json" else None,
        )
    report = selecting.applied(dataclasses.replace(report, findings=(*report.findings, *config_findings(report))), wanted)
    output.write(render(report, args.format, args.verbose))
    if args.write is not None:
        write_preallocation(report, args.write)
    return report.exit_code(Severity[args.fail_on.upper()])


def axes(text: str | None) -> tuple[str, ...]:
    """The axes of `--batch-dim`."""
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def config_findings(report: Report) -> tuple[Finding, ...]:
    """What is wrong with the flags that the framework was started with, by the rules TD2xx; told on stderr where that cannot be read."""
    from ..errors import UnreadableError
    from ..flags.model import Dialect
    from .config_check import findings, subject_of

    framework = report.target.framework
    dialect = framework and Dialect(framework.name.split("-")[0]).value
    version = framework and framework.version
    asked = argparse.Namespace(files=[], flags=None, dialect=dialect, library_version=version, python=report.target.interpreter)
    try:
        return findings(subject_of(asked, os.environ))
    except UnreadableError as error:
        output.note(f"the flags were not looked at: {error}")
        return ()


def render(report: Report, format_: str, verbose: bool = False) -> str:
    """The report in one of the formats; colours only where stdout is a terminal that wants them."""
    if format_ == "json":
        from ..report import json_v1

        return json_v1.render(report)
    from ..report import terminal

    color = output.is_terminal() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    width = os.get_terminal_size().columns if output.is_terminal() else 80
    return terminal.render(report, color=color, width=max(60, min(width, 120)), verbose=verbose)
