"""`theanodiag graph FILE|-`: what a function needs whose printed graph is all there is."""

from __future__ import annotations

import argparse
import codecs
import io
import math
import os
import sys
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import files
from ..errors import ExitCode, Span, UnreadableError, UsageError
from ..ir.dtype import is_dtype
from ..ir.shape import MAX_LENGTH
from . import configured, options, selecting

if TYPE_CHECKING:
    from ..devices import DeviceProfile

HELP = "report the memory that a printed graph (debugprint) needs"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("text", metavar="FILE", help="a text with a printed graph in it, or - for standard input")
    options.prepare(parser, device="none", batch="none")
    what = "shape of an input or of a shared variable, or of a shortened constant, as 'id BC=N,N'; of inputs of one name: again for each"
    parser.add_argument("--shape", metavar="NAME=N,N", action="append", default=[], help=what)
    parser.add_argument("--value", metavar="NAME=N", action="append", default=[], help="value of a whole number on which sizes depend")
    parser.add_argument("--floatX", metavar="DTYPE", help="assume types where the text prints none: the flag floatX, such as float32")
    what = "dtype of an input that is not floatX, such as y=int32; needs --floatX"
    parser.add_argument("--dtype", metavar="NAME=DTYPE", action="append", default=[], help=what)
    parser.add_argument(
        "--allow-gc", action=argparse.BooleanOptionalAction, default=True, help="the flag allow_gc of the function (default: on)"
    )
    parser.add_argument("--preallocate", metavar="X", type=float, default=0.0, help="the flag gpuarray.preallocate (default: 0)")
    configured.prepare(parser, "graph")


def run(args: argparse.Namespace) -> ExitCode:
    """Reads the text and prints the report to stdout."""
    from ..collector import no_collections
    from ..devices import HOST, UNSIZED, overhead_bytes
    from ..printed import read_debugprint
    from ..report.model import STDIN
    from ..workflows import printed_report

    if configured.fill(args, args.text):
        return ExitCode.CLEAN
    wanted = selecting.selection(args)
    options.require_output(args)
    source = STDIN if args.text == "-" else args.text
    if not math.isfinite(args.preallocate):
        raise UsageError(f"--preallocate {args.preallocate:g} is no amount of memory", help="write a share such as 0.8, or MB such as 500")
    shapes, overhead = asked_shapes(args.shape), overhead_bytes(args.device_overhead)
    values, dtypes = asked_values(args.value), printed_report.dtypes_of(args.floatX, asked_dtypes(args.dtype))
    how = {"allow_gc": args.allow_gc, "preallocate": args.preallocate}
    with no_collections():
        found = read_debugprint(text_of(args.text), source)
        device = _device(args.gpu) if args.gpu else UNSIZED if found.graph.on_device else HOST
        batch = options.axes(args)
        report = printed_report.report(found, source, shapes, device, overhead, values=values, batch_dim=batch, dtypes=dtypes, **how)
    report = selecting.applied(report, args, wanted, comments=False)
    options.show(report, args)
    return options.exit_code(report, args)


def _device(name: str) -> DeviceProfile:
    from ..confirmation.calibration import named

    return named(name, os.environ)


def text_of(path: str) -> str:
    """The text of a file or of standard input, in UTF-8, of which other bytes are replaced, or in UTF-16, as PowerShell writes it.

    Raises UnreadableError for what cannot be read or is no text.
    """
    data = _standard_input() if path == "-" else files.read(path, files.TEXT, help="give a file, or - for standard input")
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not wide and b"\0" in data:
        raise UnreadableError("this is no text: it has bytes that are zero", path=path, help="give what debugprint printed, as text")
    encoding = "utf-16" if wide else "utf-8-sig"
    return io.TextIOWrapper(io.BytesIO(data), encoding, errors="replace").read()


def _standard_input() -> bytes:
    """What stands on standard input, which may be a pipe, up to the limit."""
    try:
        data = sys.stdin.buffer.read(files.TEXT + 1)
    except OSError as error:
        raise UnreadableError(f"the text cannot be read: {error.strerror or error}", path="-", help="give a file") from None
    if len(data) > files.TEXT:
        raise UnreadableError(files.too_large(files.TEXT), path="-", help="give what debugprint printed, as text")
    return data


def asked_shapes(texts: list[str]) -> dict[str, tuple[int, ...]]:
    """The shapes of `--shape`, by name; a name that is given again means the next input that is called so."""
    from ..capture.assumed_calls import ShapeRequest

    requests = [ShapeRequest.parse(t) for t in texts]
    count = Counter(r.variable for r in requests)
    seen: Counter[str] = Counter()
    found = {}
    for r in requests:
        seen[r.variable] += 1
        found[f"{r.variable}#{seen[r.variable]}" if count[r.variable] > 1 else r.variable] = r.shape
    return found


def asked_values(texts: list[str]) -> dict[str, int]:
    """The numbers of `--value`, by name."""
    found = _named("--value", texts, _is_int64, "a value", "write NAME=N, such as batch_size=128")
    return {name: int(number) for name, number in found.items()}


def _is_int64(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and len(text) < 20 and abs(int(text)) <= MAX_LENGTH


def asked_dtypes(texts: list[str]) -> dict[str, str]:
    """The dtypes of `--dtype`, by name."""
    return _named("--dtype", texts, is_dtype, "a dtype of an input", "write NAME=DTYPE, such as y=int32")


def _named(option: str, texts: list[str], suits: Callable[[str], bool], what: str, advice: str) -> dict[str, str]:
    """What texts such as `NAME=WORD` say, by name."""
    found = {}
    for text in texts:
        name, equals, word = text.partition("=")
        if not equals or not name or not suits(word.strip()):
            raise UsageError(f"this is not {what}", span=Span(option, text, 0, len(text)), help=advice)
        found[name] = word.strip()
    return found
