"""`theanodiag graph FILE|-`: predicts the memory of a function from its printed graph."""

from __future__ import annotations

import codecs
import io
import sys

from .. import files
from ..errors import ExitCode, UnreadableError
from . import finding_filters, shared_options
from .parameters import Argument, Arguments, Option

PARAMETERS = (
    Argument("text", metavar="FILE", help="a text that contains a printed graph, or - for standard input"),
    *shared_options.report(device="none", batch="none"),
    Option("--shape", metavar="NAME=N,N", multiple=True,
        help="shape of an input or a shared variable; of a constant whose value is abbreviated, as 'id BC=N,N'; repeat the option "
        "for inputs that share a name"),
    Option("--value", metavar="NAME=N", multiple=True, help="value of an integer input on which sizes depend"),
    Option("--floatX", "floatX", metavar="DTYPE", help="the flag floatX, such as float32, for types that the text does not print"),
    Option("--dtype", metavar="NAME=DTYPE", multiple=True, help="dtype of an input that is not floatX, such as y=int32; needs --floatX"),
    Option("--allow-gc/--no-allow-gc", default=True, help="the flag allow_gc of the function (default: on)"),
    Option("--preallocate", metavar="X", type=float, default=0.0, help="the flag gpuarray.preallocate (default: 0)"),
)  # fmt: skip


def run(args: Arguments) -> ExitCode:
    """Reads the text and prints the report to stdout."""
    from ..gc_pause import no_collections
    from ..jobs.estimate_function import graph
    from ..requests import GraphRequest

    wanted = finding_filters.selection(args)
    shared_options.require_output(args)
    request = GraphRequest(
        path=args.text,
        device=args.gpu,
        device_overhead=args.device_overhead,
        batch_dim=shared_options.axes(args),
        shapes=args.shape,
        values=args.value,
        floatX=args.floatX,
        dtypes=args.dtype,
        allow_gc=args.allow_gc,
        preallocate=args.preallocate,
    )
    with no_collections():
        report = graph(request, text_of(args.text))
    shared_options.require_functions(report, args)
    report = finding_filters.applied(report, args, wanted, comments=False)
    shared_options.show(report, args)
    return shared_options.exit_code(report, args)


def text_of(path: str) -> str:
    """Returns the text of a file or of standard input, in UTF-8 (invalid bytes are replaced) or in UTF-16, which PowerShell writes.

    Raises UnreadableError if it cannot be read or is not text.
    """
    data = _standard_input() if path == "-" else files.read(path, files.TEXT, help="give a file, or - for standard input")
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not wide and b"\0" in data:
        raise UnreadableError("this is not text: it contains null bytes", path=path, help="give what debugprint printed, as text")
    encoding = "utf-16" if wide else "utf-8-sig"
    return io.TextIOWrapper(io.BytesIO(data), encoding, errors="replace").read()


def _standard_input() -> bytes:
    """The bytes on standard input. Raises UnreadableError if it cannot be read or is larger than the limit."""
    try:
        data = sys.stdin.buffer.read(files.TEXT + 1)
    except OSError as error:
        raise UnreadableError(f"the text cannot be read: {error.strerror or error}", path="-", help="give a file") from None
    if len(data) > files.TEXT:
        raise UnreadableError(files.too_large(files.TEXT), path="-", help="give what debugprint printed, as text")
    return data
