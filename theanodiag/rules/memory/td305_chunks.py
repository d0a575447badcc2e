"""TD305: a large shared variable can be loaded in chunks

What it finds
    For a script that does not fit: shared variables of which the functions read only slices or rows (data, embeddings that are not
    trained), or that are a factor of products and never updated (weights); and the largest chunk with which everything fits, by
    simulation, as a multiple of the rows that a call reads. Data that is read whole (a validation set) is cut too where all that has
    as many rows can be cut with it; its function is then called for each part.

Why it matters
    A data set on the device saves a copy for each batch, as long as it fits. A chunk of it saves almost as many.

Example
    `data_x and data_y in 4 chunks of 16000 of 50000 rows`: 407 MB an epoch instead of 383, in 4 copies each instead of 100.

What to do
    `theanodiag.ChunkedShared` does it (its variable in place of yours in the graph), or the loop in plain numpy. All chunks have one shape:
    `set_value` of the same shape writes in place, of another shape it needs the old and the new value at once. So the last chunk is padded
    (ChunkedShared, which knows the rows that count) or overlaps the one before (the loop, which then sees some rows twice in an epoch).

Limits
    Other variables keep their size. What a function reads through an op that is not followed counts as read whole; the finding TD302
    names the large variables, and the notes here say why one cannot be cut. Seconds are bytes by the bandwidth of the bus, and 20
    microseconds for each copy.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Cost, Finding, Fix, Results
from ...memory.script import CompiledFunction
from ...plans.axes import SharedAxis
from ...plans.chunking.clients import CutKind
from ...plans.chunking.code import code
from ...plans.chunking.plan import ChunkPlan, Chunks
from ...units import format_bytes
from ..base import Rule
from ..examples import data_script, device, subject, trained_script
from ..impact import change, confidence_of, figures, saving, severity
from ..subject import ScriptSubject

_WAYS = {
    CutKind.ROWS: "rows",
    CutKind.OUTPUT: "columns, the results concatenated",
    CutKind.INNER: "rows, the results added",
    CutKind.PARTS: "rows, the results joined",
}


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding where chunks make the script fit."""
    plan = s.advice.chunks
    if not isinstance(plan, ChunkPlan):
        return
    message = f"{'; '.join(said(s, c) for c in plan.chunks)}: {change(s, plan.after)}"
    fix = Fix("cut the data into chunks", code=code(s.script, plan, s.library))
    first = plan.chunks[0].cut.shared[0]
    sure = confidence_of(s.process, plan.after)
    place = s.place(s.script.shared[first].site, s.script.shared[first].name)
    notes, cost = tuple(_notes(s, plan)), chunk_cost(s, plan)
    yield Finding("TD305", severity(s), sure, message, place, fix, figures(plan.after), saving(s, plan.after), notes, cost=cost)


def chunk_cost(s: ScriptSubject, plan: ChunkPlan) -> Cost:
    """What chunks cost: the time of the copies; functions that read all rows at once and update something learn from each part."""
    bus = s.device.bus_bytes_per_second
    learns = any(_learn_by_parts(s, plan))
    work = "" if bus else "chunks are copied in each epoch"
    return Cost(Results.TRAINED_OTHERWISE if learns else Results.SAME, plan.seconds(bus)[0] if bus else 0.0, work)


def said(s: ScriptSubject, c: Chunks) -> str:
    """The chunks in words: `data_x and data_y in 4 chunks of 16000 of 50000 rows`."""
    names = " and ".join(s.script.shared[i].name or f"shared variable {i}" for i in c.cut.shared)
    others = [a for a in c.cut.axes if not (isinstance(a, SharedAxis) and a.shared in c.cut.shared)]
    more = " (and the arrays cut with it)" if others else ""
    return f"{names}{more} in {c.loads} chunks of {c.chunk} of {c.cut.rows} {_WAYS[c.cut.way]}"


def _notes(s: ScriptSubject, plan: ChunkPlan) -> Iterator[str]:
    for c in plan.chunks:
        rest = c.cut.rows % c.chunk
        yield f"a chunk is {format_bytes(c.chunk_bytes)}; {c.loads} loads an epoch copy {format_bytes(c.moved_bytes)}"
        if rest:
            yield f"the last chunk has {rest} rows only: pad it, or let it overlap the one before"
    bus = s.device.bus_bytes_per_second
    if bus:
        chunks, fed = plan.seconds(bus)
        yield f"copying takes {chunks:.3g} s an epoch; with every batch as an argument {fed:.3g} s"
    if any(c.cut.way is CutKind.PARTS for c in plan.chunks):
        yield from _together(s, plan)
    yield from (f"{name} cannot be cut: {why}" for name, why in plan.refused)


def _together(s: ScriptSubject, plan: ChunkPlan) -> Iterator[str]:
    """Notes on how results of parts are joined, and which functions learn from each part."""
    yield "join results that have rows; weigh means by rows; count a penalty once"
    for f in _learn_by_parts(s, plan):
        yield f"{f.name} then learns from each part by itself, as from batches"


def _learn_by_parts(s: ScriptSubject, plan: ChunkPlan) -> Iterator[CompiledFunction]:
    """The functions that read all rows of what is cut, and update something."""
    cut = {i for c in plan.chunks if c.cut.way is CutKind.PARTS for i in c.cut.shared}
    for f in s.script.functions:
        if any(i.shared in cut for i in f.graph.inputs) and any(i.update is not None for i in f.graph.inputs):
            yield f


RULE = Rule(
    "TD305",
    "chunks",
    check,
    __doc__,
    fires=lambda: subject(data_script(50_000, 500), device(8_000_000)),
    silent=lambda: subject(trained_script(8192, 200), device(12_000_000)),
)
