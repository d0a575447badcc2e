"""Options that several commands have, and what they mean: those of all commands that show a Report."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from ..findings import Severity
from ..report.formats import ALL, View, render
from . import output, selecting

if TYPE_CHECKING:
    from ..errors import ExitCode
    from ..report.model import Report


def prepare(parser: argparse.ArgumentParser, *, device: str, batch: str) -> None:
    """Adds the options; `device` and `batch` say what is done where --gpu and --batch-dim are not given."""
    parser.add_argument("--gpu", metavar="DEVICE", help=f"4GiB or 4G (4GB is 4e9 bytes), a card such as k520, or none (default: {device})")
    parser.add_argument("--device-overhead", metavar="SIZE", help="what the driver takes for itself, instead of the card's default")
    what = "axes of the batch, such as x:0,y:0: says what other batches need"
    parser.add_argument("--batch-dim", metavar="NAME:AXIS,...", help=f"{what} (default: {batch})")
    parser.add_argument("--format", choices=ALL, default=ALL[0], help=f"output format (default: {ALL[0]})")
    add_output(parser)
    what = "show the details of this function; again for more (default: the largest)"
    parser.add_argument("--function", metavar="NAME", action="append", default=[], help=what)
    parser.add_argument(
        "--verbose", action="store_true", help="show the details of all functions, with what is reserved but not live by step"
    )
    selecting.prepare(parser)
    levels = [s.name.lower() for s in Severity]
    parser.add_argument("--fail-on", choices=levels, default="error", help="least severity that makes the exit code 1 (default: error)")


def add_output(parser: argparse.ArgumentParser) -> None:
    """Adds `--output`."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write the report to this file, whole or not at all (default: stdout)")


def require_output(args: argparse.Namespace) -> None:
    """Raises `UnreadableError` where the file of `--output` could not be written: asked before long work."""
    if args.output not in (None, "-"):
        from .atomic import require_writable

        require_writable(args.output)


def axes(args: argparse.Namespace) -> tuple[str, ...]:
    """The axes of `--batch-dim`."""
    return tuple(part.strip() for part in (args.batch_dim or "").split(",") if part.strip())


def show(report: Report, args: argparse.Namespace) -> None:
    """Prints the report in the format that was asked for; colours only where a terminal wants them."""
    terminal = output.is_terminal() and args.output in (None, "-")
    color = terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    width = os.get_terminal_size().columns if terminal else 80
    view = View(color, max(60, min(width, 120)), args.verbose, tuple(args.function))
    output.deliver(render(report, args.format, view), args.output)


def exit_code(report: Report, args: argparse.Namespace) -> ExitCode:
    """What the report says to the shell, by `--fail-on`."""
    return report.exit_code(Severity[args.fail_on.upper()])
