"""Finds by simulation the largest chunk that fits: a multiple of the batch, with all chunks of equal shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from ...ir import Unknown, itemsize
from ...memory.profile import ProcessProfile
from ...memory.script import Create, Script, SetValue
from ...memory.settings import MemorySettings
from ...memory.simulate import simulate_figures
from ..batch_axes import MOST_NODES, closure, is_feature
from ..graphs.joined_results import mixing_function
from ..resize import Axis, SharedAxis, WhatIf, boundary, label, length, need
from ..shape_replay import is_written_inside, written_lengths
from .clients import CutKind, reads, rows_read
from .reallocation import growths

SMALLEST = 1 << 20
"""Smallest size in bytes of a shared variable worth cutting for its own sake."""
MANY_ROWS = 1000
"""Fewest rows of a smaller one that may be a set which a function reads as a whole, such as the words of a test set."""
SECONDS_A_COPY = 20e-6
"""Fixed cost of a copy to the device (launch and synchronisation), an order of magnitude."""


@dataclass(frozen=True)
class Cuttable:
    """Shared variables that are split together, and how."""

    shared: tuple[int, ...]
    """Ids of the shared variables."""
    way: CutKind
    """How they are cut."""
    axes: tuple[Axis, ...]
    """All axes whose length depends on the chunk size."""
    rows: int
    """Present length of the split axis."""
    step: int
    """Chunks are multiples of this many rows: the batch that a call reads."""
    nbytes: int
    """Present size of all of them together, in bytes."""


@dataclass(frozen=True)
class Chunks:
    """The chunk size for one set of variables that are cut together."""

    cut: Cuttable
    """The arrays that are cut."""
    chunk: int
    """Rows of a chunk."""

    @property
    def loads(self) -> int:
        """Number of chunk loads in an epoch."""
        return -(-self.cut.rows // self.chunk)

    @property
    def chunk_bytes(self) -> int:
        """Bytes of a chunk of all variables."""
        return self.cut.nbytes * self.chunk // self.cut.rows

    @property
    def moved_bytes(self) -> int:
        """Bytes copied to the device in an epoch; the last chunk is copied at its full size."""
        return self.loads * self.chunk_bytes


@dataclass(frozen=True)
class ChunkPlan:
    """What to cut into chunks, and the simulation with these chunks."""

    chunks: tuple[Chunks, ...]
    """The chunk size of each set of variables."""
    after: ProcessProfile
    """The simulation with these chunks."""
    refused: tuple[tuple[str, str], ...] = ()
    """Names of large shared variables that cannot be cut, with the reasons."""

    def seconds(self, bus: float) -> tuple[float, float]:
        """Returns the seconds of an epoch at `bus` bytes per second: for loading the chunks, and for passing every batch as an argument
        instead.
        """
        moved = sum(c.moved_bytes for c in self.chunks)
        loads = sum(c.loads * len(c.cut.shared) for c in self.chunks)
        fed = sum(-(-c.cut.rows // c.cut.step) * len(c.cut.shared) for c in self.chunks)
        return moved / bus + loads * SECONDS_A_COPY, sum(c.cut.nbytes for c in self.chunks) / bus + fed * SECONDS_A_COPY


def plan(
    what_if: WhatIf, settings: MemorySettings, beside: Mapping[Axis, int] | None = None, end: int | None = None
) -> ChunkPlan | tuple[tuple[str, str], ...]:
    """Makes the plan that cuts the fewest and largest variables, and only variables of one length if that is enough. If no plan fits,
    returns (name, reason) of each variable that cannot be cut.

    `beside`: lengths of other axes, such as those of a smaller batch. After inferring `end` nodes (default: `MOST_NODES` more than now),
    the search for variables to cut ends, with its results so far.
    """
    others, end = dict(beside or {}), what_if.inferred + MOST_NODES if end is None else end
    changed = what_if.with_lengths(others) if others else what_if.script
    if isinstance(changed, Unknown):
        return ()
    refused: dict[str, str] = {}
    found_cuts = _cuttable(WhatIf(changed, what_if.effort), refused, end)
    cuts = sorted(found_cuts, key=lambda c: (c.way is not CutKind.ROWS, c.way is CutKind.PARTS, -c.nbytes))
    for cut in cuts[1:]:  # one alone is less to change than it with those before it
        alone = _largest(what_if, settings, cut, others)
        after = None if alone is None else _simulated(what_if, settings, {**others, **dict.fromkeys(cut.axes, _even(cut, alone))})
        if alone is not None and after is not None and _largest(what_if, settings, cuts[0], others) is None:
            return ChunkPlan((Chunks(cut, _even(cut, alone)),), after, tuple(refused.items()))
    done: list[Chunks] = []
    for cut in cuts:
        fixed = {**others, **{a: c.chunk for c in done for a in c.cut.axes}}
        largest = _largest(what_if, settings, cut, fixed)
        if largest is None:
            done.append(Chunks(cut, cut.step))
            continue
        chunks = [*done, Chunks(cut, _even(cut, largest))]
        regrown = [_regrown(what_if, settings, chunks, k, others) for k in range(len(chunks) - 1)]
        final = (*regrown[:1], *chunks[1:]) if regrown else tuple(chunks)
        after = _simulated(what_if, settings, {**others, **{a: c.chunk for c in final for a in c.cut.axes}})
        if after is not None:
            return ChunkPlan(tuple(c for c in final if c.chunk < c.cut.rows), after, tuple(refused.items()))
    return tuple(refused.items())


def _even(cut: Cuttable, largest: int) -> int:
    """For results that are joined, the largest chunk that divides the rows, if it is more than half of `largest`; else `largest`."""
    divisors = (d for d in range(largest, largest // 2, -1) if cut.rows % d == 0)
    return largest if cut.way is CutKind.ROWS else next(divisors, largest)


def _regrown(what_if: WhatIf, settings: MemorySettings, chunks: list[Chunks], k: int, others: Mapping[Axis, int]) -> Chunks:
    """Chunk number `k`, cut to one batch before others were cut, enlarged as far as those leave room."""
    fixed = {**others, **{a: c.chunk for i, c in enumerate(chunks) if i != k for a in c.cut.axes}}
    return Chunks(chunks[k].cut, _largest(what_if, settings, chunks[k].cut, fixed) or chunks[k].chunk)


def _largest(what_if: WhatIf, settings: MemorySettings, cut: Cuttable, fixed: Mapping[Axis, int]) -> int | None:
    """The largest multiple of the step with which everything fits; None if not even one step does."""

    needs: dict[int, int] = {}

    def fits(steps: int) -> bool:
        script = what_if.with_lengths({**fixed, **dict.fromkeys(cut.axes, steps * cut.step)})
        if isinstance(script, Unknown):
            return False
        process = simulate_figures(script, settings)
        needs[steps] = need(settings, process)
        return process.fits is True

    whole = -(-cut.rows // cut.step)
    if whole < 2 or not fits(1):
        return None
    limit = settings.limit_bytes
    if limit is not None and needs[1] + cut.nbytes > limit:
        needs[whole] = needs[1] + cut.nbytes
    return boundary(1, whole, fits, needs, limit) * cut.step


def _simulated(what_if: WhatIf, settings: MemorySettings, lengths: Mapping[Axis, int]) -> ProcessProfile | None:
    """The simulation with these lengths, if it fits; else None."""
    script = what_if.with_lengths(lengths)
    if isinstance(script, Unknown):
        return None
    profile = simulate_figures(script, settings)
    return profile if profile.fits is True else None


def _cuttable(what_if: WhatIf, refused: dict[str, str], end: int) -> Iterator[Cuttable]:
    """Yields the variables that can be cut: data of equal length together, each weight with the variables that must change with it."""
    script = what_if.script
    sizes = {s: n for s in script.shared if (n := nbytes(script, s))}
    data: dict[tuple[int, int], list[int]] = {}
    seen: set[tuple[int, ...]] = set()
    for shared in sorted(sizes, key=lambda s: -sizes[s]):
        why, small = _data(script, shared, data), sizes[shared] < SMALLEST
        if why is None or (small and (length(script, SharedAxis(shared, 0)) or 0) < MANY_ROWS):
            continue
        trained = _is_updated(script, shared)  # never cut, so the expensive search for axes that change with it is skipped
        other = None if trained or small else _weights(what_if, shared, sizes[shared], end)
        other = None if trained else other or _parts(what_if, shared, end)
        mixing = mixing_function(what_if, other.axes) if other is not None and other.way is CutKind.PARTS else None
        if mixing is not None:
            other, why = None, f"the results of {script.functions[mixing].name or 'a function'} for parts of it cannot be joined"
        written = None if other is None else _writing(script, other)
        if other is not None and written is not None:
            why, other = f"{written} creates arrays of {other.rows} rows, written there as a number", None
        if other is None and small:
            continue
        if other is None:
            refused[label(script, SharedAxis(shared, 0))[:-2]] = why
        elif other.shared not in seen:
            seen.add(other.shared)
            yield other
    for (rows, step), group in data.items():
        total = sum(sizes[s] for s in group)
        if total >= SMALLEST:
            yield Cuttable(tuple(group), CutKind.ROWS, tuple(SharedAxis(s, 0) for s in group), rows, step, total)


def _data(script: Script, shared: int, data: dict[tuple[int, int], list[int]]) -> str | None:
    """Adds a variable that is read by rows to those of equal length in `data`; returns the reason if the variable is not read so."""
    read = reads(script, shared, 0)
    if isinstance(read, Unknown):
        return read.reason
    rows, step = length(script, SharedAxis(shared, 0)), rows_read(script, tuple(r for r in read if r.way is CutKind.ROWS))
    if any(r.way is not CutKind.ROWS for r in read) or rows is None or step is None or rows <= step:
        return "it is used as a whole in a product"
    data.setdefault((rows, step), []).append(shared)
    return None


def _weights(what_if: WhatIf, shared: int, size: int, end: int) -> Cuttable | None:
    """A factor of products that is cut along its outer axis, else along the summed one; None if neither works."""
    script = what_if.script
    ndim = script.shared[shared].type.ndim
    for way in (CutKind.OUTPUT, CutKind.INNER):
        for axis in reversed(range(ndim)):
            read, seed = reads(script, shared, axis), SharedAxis(shared, axis)
            n = length(script, seed)
            if isinstance(read, Unknown) or n is None or n < 2 or any(r.way is not way for r in read):
                continue
            axes = closure(what_if, seed, end)
            if axes and not any(isinstance(a, SharedAxis) and _is_updated(script, a.shared) for a in axes):
                return Cuttable((shared,), way, axes, n, max(1, n // 256), size)
    return None


def _parts(what_if: WhatIf, shared: int, end: int) -> Cuttable | None:
    """A shared variable that functions read whole, with all variables that must be cut alike; None if it cannot be cut."""
    script, seed = what_if.script, SharedAxis(shared, 0)
    n, axes = length(script, seed), () if is_feature(script, (seed,)) else closure(what_if, seed, end)
    together = tuple(sorted(a.shared for a in axes if isinstance(a, SharedAxis)))
    leading = all(isinstance(a, SharedAxis) and a.axis == 0 and not _is_updated(script, a.shared) for a in axes)
    if not any(i.shared in together for f in script.functions for i in f.graph.inputs):
        return None  # the script ended before a function read it
    if n is None or n < 2 or not axes or not leading or any(growths(script, s) for s in together):
        return None  # a growing set differs between calls, so there is no epoch of parts
    return Cuttable(together, CutKind.PARTS, axes, n, max(1, n // 256), sum(nbytes(script, s) for s in together))


def _writing(script: Script, cut: Cuttable) -> str | None:
    """The function that has the number of rows of a variable as a constant, and would fail with parts of it; None if none does."""
    for f in script.functions:
        read = any(i.shared in cut.shared for i in f.graph.inputs)
        if read and (written_lengths(f.graph, cut.rows, cut.rows - 1) or is_written_inside(f.graph, cut.rows)):
            return f.name or "a function"
    return None


def _is_updated(script: Script, shared: int) -> bool:
    entries = (i for f in script.functions for i in f.graph.inputs if i.shared == shared)
    return any(i.update is not None for i in entries)


def nbytes(script: Script, shared: int) -> int:
    """Returns the largest size of a shared variable in the script, in bytes; 0 if no size is known."""
    sizes = [0]
    for event in script.events:
        if isinstance(event, (Create, SetValue)) and event.shared == shared and not isinstance(event.shape, Unknown):
            dims = [n for n in event.shape if isinstance(n, int)]
            sizes.append(prod(dims) * itemsize(script.shared[shared].type.dtype or "int8") if len(dims) == len(event.shape) else 0)
    return max(sizes)
