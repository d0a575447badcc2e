"""Predicts the memory of a function from its printed graph alone."""

from __future__ import annotations

from ..devices import HOST, UNSIZED
from ..files import STDIN
from ..printed import read_debugprint
from ..report.model import Report
from ..requests import GraphRequest
from ..workflows import printed_report


def graph(request: GraphRequest, text: str) -> Report:
    """The report on the largest graph printed in `text`, which was read from `request.path`.

    Raises `UnreadableError` where none is, `UsageError` where the request does not suit it.
    """
    source = STDIN if request.path == "-" else request.path
    printed = read_debugprint(text, source)
    device = request.profile or (UNSIZED if printed.graph.on_device else HOST)
    dtypes = printed_report.dtypes_of(request.floatX, request.dtypes_by_name)
    return printed_report.report(
        printed, source, request.shapes_by_name, device, request.device_overhead, values=request.values_by_name,
        batch_dim=request.batch_dim, dtypes=dtypes, allow_gc=request.allow_gc, preallocate=request.preallocate,
    )  # fmt: skip
