"""Computes all plans for one script: those that make it fit if it does not, and the batch plan if requested.

A net that has no product after its convolutions (style transfer, super-resolution, segmentation) takes pictures of any size, and a Scan
makes any number of steps: the largest that fit are looked for where no batch fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Union

from ..attempts import Attempts
from ..ir import Shape, ShapeTable, Unknown
from ..ir.shape import nbytes
from ..memory.profile import ProcessProfile
from ..memory.script import Call, Create, Event, Script
from ..memory.settings import AllocatorKind, MemorySettings
from ..memory.simulate import simulate_figures
from . import batch, memory_flags
from .batch import BatchPlan
from .batch_axes import is_picture, named, time_axes
from .chunking import plan as chunking
from .chunking import reallocation
from .chunking.plan import ChunkPlan
from .chunking.reallocation import GrowthPlan
from .combined import CombinedStep, combine
from .memory_flags import CollectionPlan, PreallocationPlan
from .resize import ArgumentAxis, Axis, SharedAxis, WhatIf, length

# A fitting step with a random part of the rows of the data (`pymc.Minibatch`) instead of all rows.
#
# Every Variable of the step is simulated with that part: an axis as long as the data, or a multiple of it (rows and columns in one), is
# shortened. The data themselves stay as they are: `Minibatch` takes rows out of them at each step, and these copies are counted too.

LEAST_ROWS = 1000
"""Below this number of rows, an axis may have that length by coincidence."""
PART = 20
"""The trial keeps one row in this many."""


def step_bytes(script: Script, settings: MemorySettings, function: int, rows: int, batch: int) -> int:
    """Returns the bytes that the step (function number `function`) needs with a batch of `batch` of the `rows` rows, including the copies
    of these rows.
    """
    process = simulate_figures(with_rows(script, function, rows, batch), settings)
    profile = process.functions.get(function)
    own = 0 if profile is None else max(0, profile.figures.live_peak_bytes - profile.figures.live_before_bytes)
    return own + _taken(script, function, rows, batch)


def with_rows(script: Script, function: int, rows: int, batch: int) -> Script:
    """Returns the script with the length `rows` replaced by `batch` in the function."""

    def changed(event: Event) -> Event:
        return replace(event, shapes=_table(event.shapes, rows, batch)) if isinstance(event, Call) and event.function == function else event

    return replace(script, events=tuple(map(changed, script.events)))


def _table(table: ShapeTable, rows: int, batch: int) -> ShapeTable:
    inner: Mapping[int, ShapeTable] = {node: _table(own, rows, batch) for node, own in table.inner.items()}
    return replace(table, shapes={v: _shortened(s, rows, batch) for v, s in table.shapes.items()}, inner=inner)


def _shortened(shape: Shape | Unknown, rows: int, batch: int) -> Shape | Unknown:
    if isinstance(shape, Unknown):
        return shape
    return tuple(d // rows * batch if isinstance(d, int) and d and d % rows == 0 else d for d in shape)


def _taken(script: Script, function: int, rows: int, batch: int) -> int:
    """Bytes of the rows that are taken out of the data at each step: of all inputs and constants that have them."""
    event = next((e for e in script.events if isinstance(e, Call) and e.function == function), None)
    if event is None:
        return 0
    taken = 0
    for v in script.functions[function].graph.variables:
        shape = event.shapes.shape(v.id)
        if v.owner is None and not isinstance(shape, Unknown) and rows in shape and v.type.dtype is not None:
            size = nbytes(_part(shape, rows, batch), v.type.dtype)
            taken += size if isinstance(size, int) else 0
    return taken


def _part(shape: Shape, rows: int, batch: int) -> Shape:
    part = _shortened(shape, rows, batch)
    return () if isinstance(part, Unknown) else part


SHORTEST = 32
"""Shorter axes of four-dimensional arrays are assumed to be those of kernels."""

MULTIPLES = (1, 2, 4, 8, 16, 32)
"""Steps in which sides are made shorter: a net that pools five times and enlarges again takes only multiples of 32."""

LEAST_SIDE = 8
"""Shortest side of a small picture to which others are in proportion."""


@dataclass(frozen=True)
class ShorterPlan:
    """The maximum length of one kind of axes that fits: sides, steps, or units of layers."""

    kind: str
    """`pictures`, `sequences` or `layers`."""
    plan: BatchPlan
    """The axes, their present length (as `batch`), the largest one that fits, and the figures of lengths around it."""


def plan(what_if: WhatIf, settings: MemorySettings, process: ProcessProfile) -> ShorterPlan | None:
    """Makes the plan for the function that fails: for its pictures, or else its sequences, or else the layer with the largest weights; None
    if none makes it fit.
    """
    for kind, axes in _kinds(what_if, process):
        shorter = batch.plan(what_if, settings, process, axes)
        if isinstance(shorter, BatchPlan) and shorter.largest is not None and shorter.largest < shorter.batch:
            return ShorterPlan(kind, shorter)
    return None


def _kinds(what_if: WhatIf, process: ProcessProfile) -> Iterator[tuple[str, tuple[Axis, ...]]]:
    function = process.failed_function
    pictures = _sides(what_if, function) if function is not None else ()
    if pictures:
        yield "pictures", pictures
    steps = time_axes(what_if, function) if function is not None else ()
    if steps:
        yield "sequences", steps
    units = _units(what_if)
    if units:
        yield "layers", units


LEAST_UNITS = 16
"""A narrower layer is not made narrower."""


def _units(what_if: WhatIf) -> tuple[Axis, ...]:
    """The axes of trained variables, and of their optimizer state, that are as long as the units of the layer with the largest weights;
    empty if they cannot be shorter together.
    """
    script = what_if.script
    trained = {i.shared for f in script.functions for i in f.graph.inputs if i.update is not None and i.shared is not None}
    shapes = {e.shared: e.shape for e in script.events if isinstance(e, Create) and e.shared in trained and isinstance(e.shape, tuple)}
    sizes = {k: prod(n for n in shape if isinstance(n, int)) for k, shape in shapes.items() if len(shape) == 2}
    if not sizes:
        return ()
    units = shapes[max(sizes, key=lambda k: sizes[k])][1]
    axes = tuple(SharedAxis(k, axis) for k, shape in shapes.items() for axis, n in enumerate(shape) if n == units)
    if not isinstance(units, int) or units < LEAST_UNITS or what_if.conflicts(dict.fromkeys(axes, units - 1)):
        return ()
    return axes


def _sides(what_if: WhatIf, function: int) -> tuple[Axis, ...]:
    """The height and width of all square pictures of one size that the function gets, in steps of as many pixels as a net that pools and
    enlarges them needs; else of those that are a multiple of a smaller one (a picture, and what a net made of it at an eighth of its size);
    empty where they cannot change.
    """
    sides = {a: m for a in _after_channels(what_if.script, function) if (m := length(what_if.script, a)) is not None}
    n = max(sides.values(), default=0)
    if n < SHORTEST:
        return ()
    square = tuple(a for a, m in sides.items() if m == n)
    groups = [tuple(replace(a, multiple=k) if isinstance(a, ArgumentAxis) else a for a in square) for k in MULTIPLES if n % k == 0]
    arguments = {a: m for a, m in sides.items() if isinstance(a, ArgumentAxis)}
    for base in sorted({m for m in arguments.values() if LEAST_SIDE <= m < n and n % m == 0}, reverse=True):
        groups.append(tuple(replace(a, multiple=m // base) for a, m in arguments.items() if m % base == 0))
    return next((g for g in groups if any(isinstance(a, ArgumentAxis) for a in g) and _are_sides(what_if, g)), ())


def _are_sides(what_if: WhatIf, group: tuple[Axis, ...]) -> bool:
    """Whether these axes can be shorter together, and are then those of smaller pictures."""
    shorter = (length(what_if.script, group[0]) or 1) - 1
    return not isinstance(what_if.with_lengths(dict.fromkeys(group, shorter)), Unknown) and is_picture(what_if, group)


def _after_channels(script: Script, function: int) -> list[Axis]:
    """The third and later axes of the function's arguments and shared variables."""
    graph = script.functions[function].graph
    axes: list[Axis] = []
    for entry in graph.inputs:
        for k in range(2, graph.variables[entry.variable].type.ndim if graph.variables[entry.variable].type.ndim >= 4 else 0):
            axes.append(ArgumentAxis(function, entry.variable, k) if entry.shared is None else SharedAxis(entry.shared, k))
    return axes


Refused = tuple[tuple[str, str], ...]
"""Names of shared variables that cannot be split into chunks, with the reasons."""


@dataclass(frozen=True)
class Advice:
    """The plans that were found, one field for each kind of plan; None if there is no plan of that kind."""

    batch: BatchPlan | Unknown | None = None
    """The largest batch that fits; Unknown where it cannot be simulated."""
    chunks: Union[ChunkPlan, Refused] = ()
    """Chunks of shared variables; if there are none, the variables that cannot be split, with the reasons."""
    growth: GrowthPlan | None = None
    """How a growing shared variable can reach its final size."""
    collection: CollectionPlan | None = None
    """Garbage-collection flags."""
    uncached: ProcessProfile | None = None
    """The simulation without libgpuarray's allocation cache, if the script fits then."""
    combined: tuple[CombinedStep, ...] = ()
    """Changes that together make the script fit, if no single plan does."""
    shorter: ShorterPlan | None = None
    """The largest pictures or the longest sequences that fit, if no plan except a flag makes the script fit unchanged."""
    asked: bool = False
    """Whether the user named the axes of the batch (`--batch-dim`)."""


def advise(
    script: Script,
    settings: MemorySettings,
    process: ProcessProfile,
    axes: Sequence[str] = (),
    finished: bool = True,
    reserving: PreallocationPlan | None = None,
    source: str = "",
    attempts: Attempts | None = None,
) -> Advice:
    """Returns the plans for a script that does not fit; for one that fits, only the batch plan, and only if `axes` are given.

    `axes` are written as for --batch-dim. `finished`: whether the script ran to its end, so that later uses of a variable can be
    excluded. `reserving` is the preallocation plan: if it makes the script fit, combinations of plans are not tried. `source` is the
    text of the script. `attempts` runs each plan; a plan that fails because of a bug is left out.
    """
    attempts = attempts or Attempts()
    chosen = named(script, axes)
    wanted = process.fits is False
    if not wanted and not chosen:
        return Advice()
    if wanted and process.failure is None and any(f.in_one_piece for f in script.functions):
        return Advice(Unknown("the verdict is based on the compiler's figures, which exist only for this batch"), asked=bool(chosen))
    what_if = WhatIf(script)
    batch_plan = attempts.result("the largest batch", lambda: batch.plan(what_if, settings, process, chosen), None)
    if not wanted:
        return Advice(batch_plan, asked=True)  # no micro-batch: the whole one fits
    no_chunks: ChunkPlan | Refused = ()
    single = Advice(
        attempts.result("the batch in parts", lambda: _with_micro(what_if, settings, batch_plan), batch_plan),
        attempts.result("chunks of the data", lambda: chunking.plan(what_if, settings), no_chunks),
        attempts.result("the growth of a shared variable", lambda: reallocation.plan(script, settings), None),
        attempts.result("garbage collection", lambda: memory_flags.collection_plan(script, settings), None),
        attempts.result("memory without a cache", lambda: _uncached(script, settings, process), None),
        asked=bool(chosen),
    )
    if _parts(single) or single.growth or single.collection:
        return single
    by_flag = single.uncached is not None or (reserving is not None and reserving.after.fits is True)
    combined: tuple[CombinedStep, ...] = ()
    if not by_flag:
        combined = attempts.result("several changes together", lambda: combine(what_if, settings, process, finished, source), ())
    if combined:
        return replace(single, combined=combined)
    return replace(single, shorter=attempts.result("the longest sequences", lambda: plan(what_if, settings, process), None))


def _with_micro(what_if: WhatIf, settings: MemorySettings, found: BatchPlan | Unknown | None) -> BatchPlan | Unknown | None:
    return batch.with_micro(what_if, settings, found) if isinstance(found, BatchPlan) else found


def _parts(advice: Advice) -> bool:
    """Whether processing the data in parts, as smaller batches or chunks, makes the script fit."""
    return (isinstance(advice.batch, BatchPlan) and advice.batch.largest is not None) or isinstance(advice.chunks, ChunkPlan)


def _uncached(script: Script, settings: MemorySettings, process: ProcessProfile) -> ProcessProfile | None:
    """The simulation in which each array is a separate driver block, if the script fits then; None otherwise."""
    if settings.hypothetical or settings.allocator is not AllocatorKind.GPUARRAY or settings.preallocate < 0:
        return None  # only libgpuarray has such a flag
    if settings.free_bytes is not None and process.live_peak_bytes > settings.free_bytes:
        return None  # what is live at once does not fit, cached or not
    uncached = simulate_figures(script, replace(settings, preallocate=-1.0))
    return uncached if uncached.fits is True else None
