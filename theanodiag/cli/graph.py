"""`theanodiag graph FILE|-`: what a function needs whose printed graph is all there is."""

from __future__ import annotations

import argparse
import sys

from ..errors import ExitCode, UnreadableError
from ..findings import Severity

HELP = "report the memory that a printed graph (debugprint) needs"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("text", metavar="FILE", help="a text with a printed graph in it, or - for standard input")
    parser.add_argument("--shape", metavar="NAME=N,N", action="append", default=[], help="shape of an input or of a shared variable")
    parser.add_argument("--gpu", metavar="DEVICE", help="a size such as 4GiB, a card such as k520, or none (default: none)")
    parser.add_argument("--device-overhead", metavar="SIZE", help="what the driver takes for itself, instead of the card's default")
    parser.add_argument("--format", choices=("terminal", "json"), default="terminal", help="output format (default: terminal)")
    parser.add_argument(
        "--allow-gc", action=argparse.BooleanOptionalAction, default=True, help="the flag allow_gc of the function (default: on)"
    )
    parser.add_argument("--preallocate", metavar="X", type=float, default=0.0, help="the flag gpuarray.preallocate (default: 0)")
    parser.add_argument(
        "--fail-on",
        choices=("info", "warning", "error"),
        default="error",
        help="least severity of a finding that makes the exit code 1 (default: error)",
    )


def run(args: argparse.Namespace) -> ExitCode:
    """Reads the text and prints the report to stdout."""
    from .. import pasted
    from ..devices import by_name, overhead_bytes
    from ..readers.debugprint import read_debugprint
    from .check import render

    source = "<stdin>" if args.text == "-" else args.text
    device = by_name(args.gpu or "none")
    shapes, overhead = asked_shapes(args.shape), overhead_bytes(args.device_overhead)
    found = read_debugprint(text_of(args.text), source)
    report = pasted.report(found, source, shapes, device, overhead, allow_gc=args.allow_gc, preallocate=args.preallocate)
    sys.stdout.write(render(report, args.format))
    sys.stdout.flush()
    return report.exit_code(Severity[args.fail_on.upper()])


def text_of(path: str) -> str:
    """The text of a file or of standard input; bytes that are no UTF-8 are replaced."""
    if path == "-":
        return sys.stdin.buffer.read().decode("utf-8", errors="replace")
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UnreadableError(f"the text cannot be read: {reason}", path=path, help="give a file, or - for standard input") from None


def asked_shapes(texts: list[str]) -> dict[str, tuple[int, ...]]:
    """The shapes of `--shape`, by name."""
    from ..capture.requests import ShapeRequest

    requests = [ShapeRequest.parse(t) for t in texts]
    return {r.variable: r.shape for r in requests}
