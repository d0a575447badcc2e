"""The text output of `theanodiag explain-log`."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..escaping import visible
from ..files import TEXT
from ..logs import Diagnosis
from ..logs.model import FailedRequest
from ..units import format_bytes

if TYPE_CHECKING:
    from ..ir import Shape, Site
    from ..memory.script import Call
    from .model import FunctionReport, Report

# Finds the failed request of a log among the arrays that the captured functions of a script allocate. Pure.

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
    """The array's size in bytes."""
    site: Site | None
    """The line of the script that made it."""
    sure: bool
    """Whether the log's node, or the user's source line in it, matches too."""


def candidates(report: Report, request: FailedRequest) -> tuple[CandidateArray, ...]:
    """Returns the arrays of the script whose size matches the request that failed in the log, the most certain first; empty if the log
    contains no size.
    """
    if request.bytes is None:
        return ()
    arrays = {
        (m.function, m.variable, m.shape): m for f in report.functions for call in f.calls for m in _matching_arrays(f, call, request)
    }
    return tuple(sorted(arrays.values(), key=lambda m: (not m.sure, abs(m.bytes - (request.bytes or 0)))))


def _matching_arrays(f: FunctionReport, call: Call, request: FailedRequest) -> Iterator[CandidateArray]:
    """Yields the arrays of one call of `f` whose size matches the failed request."""
    graph, wanted = f.graph, request.bytes or 0
    from ..ir import Role, Unknown  # only where a script was captured too
    from ..ir.shape import is_exact, nbytes

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


ROWS = 10
"""Number of rows of the storage map shown."""
MESSAGE = 200
"""Number of characters shown of each later message."""
WIDTH = 100
LABEL = 14
"""Width of the label column."""


def text(diagnosis: Diagnosis, source: str, width: int = WIDTH) -> str:
    """Returns the diagnosis as text of `width` columns: what failed and why, the request, what was in memory, flags, and what to do."""
    return "".join(f"{row}\n" for line in _lines(diagnosis, source) for row in _rows(visible(line), width))


def _rows(line: str, width: int) -> list[str]:
    """Wraps a line at `width`, with continuation lines indented to the text after the label. Lines without a label, and table rows, stay
    whole.
    """
    label, words = line[:LABEL], line[LABEL:]
    if len(line) <= width or not line.startswith("  ") or label.strip() in ("", "next"):
        return [line]
    first, *more = textwrap.wrap(words, width - LABEL, break_long_words=False, break_on_hyphens=False) or [""]
    return [f"{label}{first}", *(f"{'':<{LABEL}}{row}" for row in more)]


def _lines(diagnosis: Diagnosis, source: str) -> Iterator[str]:
    yield f"{source}:{diagnosis.line}: {diagnosis.cause.value}"
    yield _labelled("why", diagnosis.why)
    if diagnosis.only_end:
        yield _labelled("read", f"only the last {format_bytes(TEXT)} of the log")
    yield _labelled("message", diagnosis.message)
    if diagnosis.source:
        yield _labelled("printed by", diagnosis.source)
    for other in diagnosis.consequences:
        yield _labelled("then", f"line {other.line}: {other.message[:MESSAGE]}")
    request, memory = diagnosis.request, diagnosis.memory
    if request.bytes is not None and diagnosis.cause.is_memory:
        shape = "" if request.shape is None else f" as {request.shape}"
        kind = "" if request.dtype is None else f" of {request.dtype}"
        yield f"  {'request':<12}{'about ' if request.rounded else ''}{request.bytes} bytes{shape}{kind}"
    if request.node:
        yield _labelled("node", request.node if len(request.node) < 400 else f"{request.node[:400]} ...")
    if request.input_shapes:
        yield _labelled("inputs", ", ".join("?" if s is None else str(s) for s in request.input_shapes[:20]))
    if request.site:
        yield _labelled("your line", f"{request.site[0]}:{request.site[1]}")
    if memory.device or memory.total is not None:
        facts = [memory.device or "the device"]
        facts += [f"{format_bytes(memory.total)} in all"] if memory.total is not None else []
        facts += [f"{format_bytes(memory.free)} free"] if memory.free is not None else []
        yield _labelled("device", ", ".join(facts))
    yield from _live(diagnosis)
    for name, size in diagnosis.parts.items():
        yield f"  {'XLA says':<12}{name}: {format_bytes(size)}"
    if diagnosis.flags:
        yield _labelled("flags", ", ".join(f"{k}={v}" for k, v in diagnosis.flags.items()))
    for line in diagnosis.advice:
        yield _labelled("help", line)
    if diagnosis.command:
        yield f"  {'next':<12}{diagnosis.command}"


def _live(diagnosis: Diagnosis) -> Iterator[str]:
    if diagnosis.live:
        whole = format_bytes(sum(s.bytes for s in diagnosis.live))
        yield f"  {'in memory':<12}{whole} in {len(diagnosis.live)} arrays, by the log's storage map; the largest:"
        for s in diagnosis.live[:ROWS]:
            yield f"  {'':<12}{s.bytes:>14}  {s.kind:<12}  {s.shape}  {s.name[:60]}"


def _labelled(label: str, words: str) -> str:
    return f"  {label:<{LABEL - 2}}{words}"
