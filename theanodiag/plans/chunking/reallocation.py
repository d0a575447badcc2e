"""Plans for a growing shared variable: old and new value are live at the same time, and freed small blocks cannot serve a large request.

Either it is set to an empty array before it grows, or it has its final size from the start. libgpuarray's cache returns nothing to the
driver, so freeing first helps only where the old block adjoins other free memory, or without the cache.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

from ...ir import Shape, Unknown, itemsize
from ...memory.profile import ProcessProfile
from ...memory.script import Call, Create, Event, Script, SetValue
from ...memory.settings import AllocatorKind, MemorySettings
from ...memory.simulate import simulate_figures


@dataclass(frozen=True)
class Enlargement:
    """One event at which a shared variable becomes larger."""

    event: int
    """Position among the events of the script."""
    old: int
    """Bytes before."""
    new: int
    """Bytes after."""
    updated: bool
    """Whether an update of a function makes it larger; else set_value does."""
    shape: Shape = ()
    """The new shape."""


class GrowthKind(enum.Enum):
    """How a variable can reach its final size with less memory."""

    FREE_FIRST = "free first"
    """It is set to an empty array before each growth."""
    AT_ONCE = "last size at once"
    """It is created with its final size, and the script uses a part of it."""


@dataclass(frozen=True)
class GrowthPlan:
    """A way for a growing variable to reach its final size that makes the script fit."""

    shared: int
    """Id of the shared variable."""
    steps: tuple[Enlargement, ...]
    """The growths, in order."""
    way: GrowthKind
    """How it reaches its final size."""
    after: ProcessProfile
    """The simulation with the plan."""
    no_cache: bool = False
    """Whether the allocation cache must be off too."""
    function: str | None = None
    """Name of the function that computes the final value without the old one; None if the host computes it."""


def plan(script: Script, settings: MemorySettings) -> GrowthPlan | None:
    """Returns the first plan with which the script fits, trying all growing variables in descending order of final size; None if none fits.

    Each variable is tried with `FREE_FIRST`, under libgpuarray's cache with `FREE_FIRST` and the cache off, and last with `AT_ONCE`. After
    `AT_ONCE`, functions that read all of the variable have other results.
    """
    growing = {s: steps for s in script.shared if (steps := growths(script, s))}
    direct = replace(settings, preallocate=-1.0)
    for shared in sorted(growing, key=lambda s: -growing[s][-1].new):
        steps = growing[shared]
        tries = ((GrowthKind.FREE_FIRST, settings), (GrowthKind.FREE_FIRST, direct), (GrowthKind.AT_ONCE, settings))
        cached = settings.allocator is AllocatorKind.GPUARRAY and settings.preallocate >= 0 and not settings.hypothetical
        for way, used in tries if cached else tries[::2]:
            changed = freed_first(script, shared, steps) if way is GrowthKind.FREE_FIRST else at_once(script, shared, steps)
            after = None if changed is None else simulate_figures(changed, used)
            if after is not None and after.fits is True:
                return GrowthPlan(shared, steps, way, after, used is direct, maker(script, shared, steps[-1]))
    return None


def maker(script: Script, shared: int, step: Enlargement) -> str | None:
    """Returns the name of the function whose update makes this growth without reading the old value; None if there is no such function."""
    event = script.events[step.event]
    return script.functions[event.function].name if isinstance(event, Call) and not reads_old(script, shared, event) else None


def at_once(script: Script, shared: int, steps: tuple[Enlargement, ...]) -> Script | None:
    """Returns the script with the variable at its final size from the start; None if an update makes it grow."""
    if any(s.updated for s in steps):
        return None
    last = steps[-1].shape
    events = (replace(e, shape=last) if isinstance(e, (Create, SetValue)) and e.shared == shared else e for e in script.events)
    return replace(script, events=tuple(events))


def growths(script: Script, shared: int) -> tuple[Enlargement, ...]:
    """Returns all growths of a shared variable, in order."""
    return tuple(_growths(script, shared))


def _growths(script: Script, shared: int) -> Iterator[Enlargement]:
    size: int | None = None
    itself = itemsize(script.shared[shared].type.dtype or "int8")
    for position, event in enumerate(script.events):
        shape = _shape_after(script, event, shared)
        if shape is None:
            continue
        new = None if isinstance(shape, Unknown) else _bytes(shape, itself)
        if size is not None and new is not None and new > size and not isinstance(event, Create) and not isinstance(shape, Unknown):
            yield Enlargement(position, size, new, isinstance(event, Call), shape)
        size = new


def _bytes(shape: Shape, itself: int) -> int | None:
    dims = [n for n in shape if isinstance(n, int)]
    return prod(dims) * itself if len(dims) == len(shape) else None


def _shape_after(script: Script, event: Event, shared: int) -> Shape | Unknown | None:
    """The shape that an event gives to the variable; None if it does not change it."""
    if isinstance(event, (Create, SetValue)):
        return event.shape if event.shared == shared else None
    if isinstance(event, Call):
        graph = script.functions[event.function].graph
        for entry in graph.inputs:
            if entry.shared == shared and entry.update is not None:
                return event.shapes.shape(graph.outputs[entry.update])
    return None


def freed_first(script: Script, shared: int, steps: tuple[Enlargement, ...]) -> Script | None:
    """Returns the script with the variable emptied before each growth; None if an update that does more than enlarge it reads the old
    value.
    """
    events: list[Event] = []
    grown = {s.event: s for s in steps}
    for position, event in enumerate(script.events):
        step = grown.get(position)
        if step is None:
            events.append(event)
            continue
        events.append(SetValue(shared, (0,) * len(step.shape)))
        if isinstance(event, Call) and reads_old(script, shared, event):
            if does_more(script, shared, event):
                return None
            events.append(SetValue(shared, step.shape))
        else:
            events.append(event)
    return replace(script, events=tuple(events))


def reads_old(script: Script, shared: int, call: Call) -> bool:
    """Returns whether anything that a call computes depends on the old value of the variable."""
    graph = script.functions[call.function].graph
    return any(graph.clients[i.variable] for i in graph.inputs if i.shared == shared)


def does_more(script: Script, shared: int, call: Call) -> bool:
    """Returns whether a call does anything more than update the variable: it returns a result or updates another variable."""
    graph = script.functions[call.function].graph
    return graph.n_returned > 0 or any(i.update is not None and i.shared != shared for i in graph.inputs)
