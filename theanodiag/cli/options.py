"""Options that several commands have, and what they mean: those of all commands that show a Report."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..findings import Severity
from ..report.formats import ALL, View, render
from . import output, selecting

if TYPE_CHECKING:
    from ..errors import ExitCode
    from ..report.model import Report


def prepare(parser: argparse.ArgumentParser, *, device: str, batch: str) -> None:
    """Adds the options; `device` and `batch` say what is done where --gpu and --batch-dim are not given."""
    parser.add_argument("--gpu", metavar="DEVICE", help=f"4GiB or 4G (4GB is 4e9 bytes), a card such as k520, or none (default: {device})")
    what = "size of the CUDA context and its libraries (default: as measured by doctor --calibrate, else 300 MiB)"
    parser.add_argument("--device-overhead", metavar="SIZE", help=what)
    what = "axes of the batch, such as x:0,y:0: says what other batches need"
    parser.add_argument("--batch-dim", metavar="NAME:AXIS,...", help=f"{what} (default: {batch})")
    add_format(parser, ALL)
    add_output(parser)
    what = "show the details of this function (repeatable; default: the largest)"
    parser.add_argument("--function", metavar="NAME", action="append", default=[], help=what)
    what = "show the details of all functions, sizes in bytes, and reserved memory that is not live, step by step"
    parser.add_argument("--verbose", action="store_true", help=what)
    selecting.prepare(parser)
    add_fail_on(parser)


def add_format(parser: argparse.ArgumentParser, choices: Sequence[str] = output.FORMATS) -> None:
    """Adds `--format`; the first of `choices` is the default. `terminal` is another name of `text`."""
    names = f"output format, one of {', '.join(choices)} (default: {choices[0]})"
    parser.add_argument("--format", choices=choices, default=choices[0], metavar="FORMAT", type=format_name, help=names)


def format_name(text: str) -> str:
    """The name of a format."""
    return "text" if text == "terminal" else text


def add_fail_on(parser: argparse.ArgumentParser) -> None:
    """Adds `--fail-on`."""
    levels = [s.name.lower() for s in Severity]
    parser.add_argument("--fail-on", choices=levels, default="error", help="least severity that makes the exit code 1 (default: error)")


def add_output(parser: argparse.ArgumentParser) -> None:
    """Adds `--output`."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write the report to this file, atomically (default: stdout)")


def only_with(args: argparse.Namespace, wanted: bool, switch: str, **absent: object) -> None:
    """Raises `UsageError` where an option is given that has no effect without `switch`, unless that is `wanted`.

    `absent` has the value of each such option where it is not given.
    """
    given = [name for name, default in absent.items() if getattr(args, name) != default]
    if given and not wanted:
        name = given[0].replace("_", "-")
        raise UsageError(f"--{name} has no effect without {switch}", help=f"add {switch}, or leave it out", option=given[0])


def require_output(args: argparse.Namespace) -> None:
    """Raises `UnreadableError` where the file of `--output` could not be written: asked before long work."""
    if args.output not in (None, "-"):
        from .atomic import is_stream, require_writable

        if not is_stream(args.output):
            require_writable(args.output)


def axes(args: argparse.Namespace) -> tuple[str, ...]:
    """The axes of `--batch-dim`."""
    return tuple(part.strip() for part in (args.batch_dim or "").split(",") if part.strip())


def require_functions(report: Report, args: argparse.Namespace) -> None:
    """Raises `UsageError` where `--function` names one that the report does not have."""
    names = [f.name for f in report.functions]
    for name in args.function:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1, 0.6)
            known = f"the functions are {', '.join(dict.fromkeys(names))}" if names else "there is none"
            raise UsageError(f"--function {name}: there is no such function", help=f"did you mean {near[0]}?" if near else known)


def show(report: Report, args: argparse.Namespace) -> None:
    """Prints the report in the format that was asked for; colours only where a terminal wants them."""
    color = output.has_color(sys.stdout) and args.output in (None, "-")
    view = View(color, output.width(), args.verbose, tuple(args.function), args.quiet)
    output.deliver(render(report, args.format, view), args.output)


def exit_code(report: Report, args: argparse.Namespace) -> ExitCode:
    """What the report says to the shell, by `--fail-on`."""
    return report.exit_code(Severity[args.fail_on.upper()])
