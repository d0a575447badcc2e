"""The text output of `theanodiag explain-log`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from ..escaping import visible
from ..files import TEXT
from ..logs import Diagnosis
from ..units import format_bytes

ROWS = 10
"""Number of rows of the storage map shown."""
MESSAGE = 200
"""Number of characters shown of each later message."""
WIDTH = 100
LABEL = 14
"""Width of the label column."""


def text(diagnosis: Diagnosis, source: str, width: int = WIDTH) -> str:
    """The diagnosis as text of `width` columns: what failed and why, the request, what was in memory, flags, and what to do."""
    return "".join(f"{row}\n" for line in _lines(diagnosis, source) for row in _rows(visible(line), width))


def _rows(line: str, width: int) -> list[str]:
    """A line in several where it is too long, each below the words of the first; what begins a line, or is a table, stays whole."""
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
