"""Finds the request that failed, as a log tells it, among the arrays that the captured functions of a script make. Pure."""

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
"""Allocators print what they took: libgpuarray rounds to 64 bytes, XLA to 256, torch to 512."""
FEW_DIGITS = 0.01
"""Of an amount that was printed with a unit: `1.07 GiB`."""


@dataclass(frozen=True)
class Made:
    """An array of the script that is as large as the request that failed."""

    function: str
    name: str
    """The Variable's, or the Op's text where it has none."""
    op: str | None
    """The Op that makes it; None for an argument or a shared variable."""
    dtype: str
    shape: Shape
    bytes: int
    site: Site | None
    sure: bool
    """Whether the log's node, or the user's line in it, says the same."""


def candidates(report: Report, request: FailedRequest) -> tuple[Made, ...]:
    """The arrays that may be the one that the log speaks of, the surest first; none where the log tells no size."""
    if request.bytes is None:
        return ()
    found = {(m.function, m.name, m.shape): m for f in report.functions for call in f.calls for m in _made(f, call, request)}
    return tuple(sorted(found.values(), key=lambda m: (not m.sure, abs(m.bytes - (request.bytes or 0)))))


def _made(f: FunctionReport, call: Call, request: FailedRequest) -> Iterator[Made]:
    """Those of one call."""
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
        yield Made(f.name, name, op.text if op else None, v.type.dtype, shape, size, v.site, same_op or same_line)


def _alike(size: int, wanted: int, rounded: bool) -> bool:
    return abs(size - wanted) <= FEW_DIGITS * wanted if rounded else size <= wanted < size + ROUNDED


def _plain(text: str) -> str:
    """The class of an Op, on whichever device: `GpuElemwise{add}(x, y)` and `Elemwise{add,no_inplace}` are both `Elemwise`."""
    match = re.match(r"(?:Gpu)?(\w+)", text)
    return match[1] if match else text


def _place(path: str, line: int) -> tuple[str, int]:
    """A place without its folder: the job ran elsewhere."""
    return re.split(r"[/\\]", path)[-1], line
