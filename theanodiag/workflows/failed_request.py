"""Finds the failed request of a log among the arrays that the captured functions of a script allocate. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..ir import Role, Shape, Site, Unknown
from ..ir.shape import is_exact, nbytes
from ..logs.model import FailedRequest
from ..memory.script import Call
from ..report.model import FunctionReport, Report

ROUNDED = 512
"""Largest difference in bytes between a request and the array's size: libgpuarray rounds to 64 bytes, XLA to 256, PyTorch to 512."""
FEW_DIGITS = 0.01
"""Relative error of a size printed with a unit, such as `1.07 GiB`."""


@dataclass(frozen=True)
class CandidateArray:
    """An array of the script whose size matches the failed request."""

    function: str
    """Name of the function that allocates it."""
    variable: str
    """Name of the Variable, or text of its Op where it has none."""
    op: str | None
    """Text of the Op that makes it; None for an argument or a shared variable."""
    dtype: str
    shape: Shape
    bytes: int
    """Its size in bytes."""
    site: Site | None
    """The line of the script that made it."""
    sure: bool
    """Whether the log's node, or the user's source line in it, matches too."""


def candidates(report: Report, request: FailedRequest) -> tuple[CandidateArray, ...]:
    """Arrays that may be the one in the log, most certain first; empty if the log contains no size."""
    if request.bytes is None:
        return ()
    arrays = {
        (m.function, m.variable, m.shape): m for f in report.functions for call in f.calls for m in _matching_arrays(f, call, request)
    }
    return tuple(sorted(arrays.values(), key=lambda m: (not m.sure, abs(m.bytes - (request.bytes or 0)))))


def _matching_arrays(f: FunctionReport, call: Call, request: FailedRequest) -> Iterator[CandidateArray]:
    """The matching arrays of one call."""
    graph, wanted = f.graph, request.bytes or 0
    inputs = {i.variable for i in graph.inputs if i.role is not Role.DEFAULT}
    for v in graph.variables:
        shape = call.shapes.shape(v.id)
        if v.type.dtype is None or (v.owner is None and v.id not in inputs) or isinstance(shape, Unknown) or not is_exact(shape):
            continue
        size = nbytes(shape, v.type.dtype)
        if isinstance(size, Unknown) or not _alike(size, wanted, request.rounded):
            continue
        op = None if v.owner is None else graph.applies[v.owner].op
        same_op = op is not None and request.node is not None and _plain(op.text) == _plain(request.node)
        same_line = v.site is not None and request.site is not None and _place(v.site.path, v.site.line) == _place(*request.site)
        name = v.name or (op.text if op else "?")
        yield CandidateArray(f.name, name, op.text if op else None, v.type.dtype, shape, size, v.site, same_op or same_line)


def _alike(size: int, wanted: int, rounded: bool) -> bool:
    return abs(size - wanted) <= FEW_DIGITS * wanted if rounded else size <= wanted < size + ROUNDED


def _plain(text: str) -> str:
    """Class name of an Op without `Gpu`: `GpuElemwise{add}(x, y)` and `Elemwise{add,no_inplace}` are both `Elemwise`."""
    match = re.match(r"(?:Gpu)?(\w+)", text)
    return match[1] if match else text


def _place(path: str, line: int) -> tuple[str, int]:
    """File name and line, without the folder, since the job ran elsewhere."""
    return re.split(r"[/\\]", path)[-1], line
