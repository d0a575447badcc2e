"""Simulates a script with other lengths of axes (of arguments and of shared variables): all shapes are inferred again from the graphs;
and finds the largest length that fits a device.

Only the greatest length that the script gives to the axis changes; shorter ones (the rest of an epoch) are cut to the new length. Bytes
grow with a length almost in proportion, so few lengths have to be tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Union

from ..ir import Role, Shape, Unknown
from ..memory.profile import ProcessProfile
from ..memory.script import Call, Create, Event, Script, SetValue
from ..memory.settings import AllocatorKind, MemorySettings
from .shape_replay import Reinfer


def need(settings: MemorySettings, process: ProcessProfile) -> int:
    """Returns the peak in bytes that decides whether a script fits: reserved bytes if the allocator has a cache, otherwise live bytes."""
    return process.deciding_bytes(settings.allocator is AllocatorKind.DIRECT)


MISSES = 2
"""Maximum number of proposed lengths that do not halve the remaining range; then the middle is tried."""


def boundary(low: int, high: int, fits: Callable[[int], bool], needs: Mapping[int, int], limit: int | None) -> int:
    """Returns the largest length that fits, from `low`, which fits or is 0, to below `high`, which does not fit.

    The next length to try is where the line through two needs meets the limit: those of the last two lengths that fit, or that do not, else
    of both ends. If a line does not halve the remaining range, or the needs do not show what fits, it is the middle, and 1
    while none is known to fit.

    Args:
        low: A length that fits, or 0.
        high: A longer one that does not.
        fits: Whether a length fits; it may add to `needs`.
        needs: Length -> bytes needed, for the lengths tried so far (if known) and for length 0.
        limit: The available bytes; None if they are not known.
    """
    wide, missed, flat, consistent = high - low, 0, 0, limit is not None
    first, last, fitted = low, high, False
    while high - low > 1:
        met = _crossing(needs, first, last, limit or 0) if consistent and missed < MISSES else None
        middle = min(max(met, low + 1), high - 1) if met is not None else (low + high) // 2 if low else 1
        fit = fits(middle)
        consistent = consistent and limit is not None and middle in needs and fit == (needs[middle] <= limit)
        flat += middle in needs and needs[middle] == needs.get(low if fit else high)
        consistent = consistent and flat < MISSES
        before, (low, high) = (low if fit else high), ((middle, high) if fit else (low, middle))
        first, last = (before, middle) if fit == fitted else (low, high)
        fitted = fit
        missed += 1
        if 2 * (high - low) <= wide:
            wide, missed = high - low, 0
    return low


def _crossing(needs: Mapping[int, int], first: int, last: int, limit: int) -> int | None:
    """The length at which the line through the needs of two lengths meets the limit. None if a need is unknown, both are equal, or the last
    one is not at least twice as near to the limit as the first.
    """
    if first not in needs or last not in needs or needs[first] == needs[last]:
        return None
    before, excess = needs[first] - limit, needs[last] - limit
    if before * excess > 0 and 2 * abs(excess) > abs(before):
        return None
    return last + -excess * (last - first) // (needs[last] - needs[first])


@dataclass(frozen=True)
class ArgumentAxis:
    """One axis of an argument in all calls of a function, or one axis of the rows that a function itself slices from a shared variable."""

    function: int
    """Index of the function."""
    variable: int
    """Id, in the function's graph, of the argument or of the sliced Variable."""
    axis: int
    """Number of the axis."""
    multiple: int = 1
    """Its length as a multiple of the length that a plan changes: the number of steps, for targets flattened to steps x rows."""


@dataclass(frozen=True)
class SharedAxis:
    """One axis of the values that the script gives to a shared variable."""

    shared: int
    """Id of the shared variable."""
    axis: int
    """Number of the axis."""


Axis = Union[ArgumentAxis, SharedAxis]
"""An axis whose length a plan can change."""


def shapes_at(script: Script, axis: Axis) -> list[Shape | Unknown]:
    """Returns the shapes that the script gives to the owner of this axis, in order of the events."""
    if isinstance(axis, SharedAxis):
        return [e.shape for e in script.events if isinstance(e, (Create, SetValue)) and e.shared == axis.shared]
    return [call.shapes.shape(axis.variable) for call in script.calls(axis.function)]


def length(script: Script, axis: Axis) -> int | None:
    """Returns the largest known length of an axis in the script, divided by its `multiple`; None if none is known."""
    lengths = [s[axis.axis] for s in shapes_at(script, axis) if not isinstance(s, Unknown) and len(s) > axis.axis]
    longest = max((n for n in lengths if not isinstance(n, Unknown)), default=None)
    return longest if longest is None else longest // multiple_of(axis)


def multiple_of(axis: Axis) -> int:
    """Returns how many times the length that a plan changes the length of an axis is."""
    return axis.multiple if isinstance(axis, ArgumentAxis) else 1


def label(script: Script, axis: Axis) -> str:
    """Returns the axis in the notation of --batch-dim, `x:0`, and the multiple, if its length is a multiple of the length that changes."""
    if isinstance(axis, SharedAxis):
        return f"{script.shared[axis.shared].label}:{axis.axis}"
    times = f" ({axis.multiple} {'rows for each' if axis.axis < 2 else 'times as long'})" if axis.multiple > 1 else ""
    return f"{argument_name(script, axis.function, axis.variable)}:{axis.axis}{times}"


def argument_name(script: Script, function: int, variable: int) -> str:
    """Returns the name of an argument, else `argument N`; for rows sliced from a shared variable, `rows of NAME`."""
    graph = script.functions[function].graph
    if variable not in graph.roles:
        return f"rows of {source_name(script, function, variable)}"
    if graph.variables[variable].name:
        return str(graph.variables[variable].name)
    return f"argument {[i.variable for i in graph.inputs].index(variable)}"


def source_name(script: Script, function: int, variable: int) -> str:
    """Returns the name, for messages, of the shared variable from which a Variable is sliced."""
    graph = script.functions[function].graph
    owner = graph.variables[variable].owner
    while owner is not None:
        variable = graph.applies[owner].inputs[0]
        owner = graph.variables[variable].owner
    entry = graph.roles.get(variable)
    return script.shared[entry.shared].label if entry and entry.shared is not None else graph.variables[variable].name or "an array"


@dataclass
class Effort:
    """The cost of the searches so far."""

    nodes: int = 0
    """Number of nodes whose shapes were inferred."""


KEPT = 4
"""Number of resized scripts that are kept: whether axes are rows, pictures or time is read from the same one."""


class WhatIf:
    """A script that is simulated with several sizes; facts about its calls are cached.

    Searches that belong together share `effort`, so that one limit applies to all of them.
    """

    def __init__(self, script: Script, effort: Effort | None = None) -> None:
        self.script = script
        self._calls: dict[tuple[int, int], Reinfer] = {}
        self._resized: dict[frozenset[tuple[Axis, int]], Script | Unknown] = {}
        self.effort = effort or Effort()
        self.batches: dict[int, tuple[Axis, ...]] = {}
        """The batch axes that were found, by function (`batch_axes.find`)."""

    @property
    def inferred(self) -> int:
        """Returns the number of nodes whose shapes were inferred so far, which measures the cost of a search."""
        return self.effort.nodes

    def with_lengths(self, changes: Mapping[Axis, int]) -> Script | Unknown:
        """Returns the script with these lengths; Unknown, with the reason, if the resulting shapes cannot be inferred."""
        key = frozenset(changes.items())
        if key not in self._resized:
            if len(self._resized) == KEPT:
                del self._resized[next(iter(self._resized))]
            self._resized[key] = self._with_lengths(changes)
        return self._resized[key]

    def _with_lengths(self, changes: Mapping[Axis, int]) -> Script | Unknown:
        """The uncached result of `with_lengths`."""
        lengths = {axis: (length(self.script, axis), new) for axis, new in changes.items()}
        if any(new < 0 for new in changes.values()):
            return Unknown("a length is at least 0")
        walk = _EventWalk(self, {axis: (old, new) for axis, (old, new) in lengths.items() if old is not None})
        try:
            events = tuple(map(walk.event, self.script.events))
        except _Stop as stop:
            return stop.why
        return replace(self.script, events=events)

    def conflicts(self, changes: Mapping[Axis, int]) -> int:
        """Returns the number of nodes whose inputs would be incompatible, plus the number of events whose shapes could not be inferred."""
        lengths = {axis: (n, new) for axis, new in changes.items() if (n := length(self.script, axis)) is not None}
        walk = _EventWalk(self, lengths, count=True)
        untold = 0
        for event in self.script.events:
            try:
                walk.event(event)
            except _Stop:
                untold += 1
        return sum(walk.conflicts.values()) + untold

    def call(self, function: int, event: Call) -> Reinfer:
        """Returns the shape inference for a call, cached by its table, which calls of equal shapes share."""
        key = (function, id(event.shapes))
        if key not in self._calls:
            self._calls[key] = Reinfer(self.script.functions[function].graph, event.shapes)
        return self._calls[key]


class _Stop(Exception):
    """Raised if the resulting shapes cannot be inferred."""

    def __init__(self, why: Unknown) -> None:
        super().__init__(why.reason)
        self.why = why


@dataclass
class _EventWalk:
    """One pass over the events, with the shapes that shared variables have before and after the change."""

    asked: WhatIf
    changes: Mapping[Axis, tuple[int, int]]
    old: dict[int, Shape | Unknown] = field(default_factory=dict)
    new: dict[int, Shape | Unknown] = field(default_factory=dict)
    count: bool = False
    """Whether to count conflicts instead of stopping at the first."""
    conflicts: dict[tuple[int, int], int] = field(default_factory=dict)
    made: dict[tuple[int, int, tuple[tuple[int, Shape], ...]], Call] = field(default_factory=dict)

    def event(self, event: Event) -> Event:
        """Returns the event as it is after the change."""
        if isinstance(event, (Create, SetValue)):
            return self._filled(event)
        return self._called(event) if isinstance(event, Call) else event

    def _filled(self, event: Create | SetValue) -> Event:
        """The creation or `set_value` of a shared variable, with the changed shape."""
        shape = event.shape
        for axis, (old, new) in self.changes.items():
            if isinstance(axis, SharedAxis) and axis.shared == event.shared:
                shape = _changed(shape, axis.axis, old, new)
        self.old[event.shared], self.new[event.shared] = event.shape, shape
        return replace(event, shape=shape)

    def _called(self, event: Call) -> Event:
        """The call with changed shapes of its inputs and of all its Variables."""
        known = self.asked.call(event.function, event)
        changed = self._inputs(event)
        key = (event.function, id(event.shapes), tuple(sorted(changed.items())))
        if key not in self.made:
            self.asked.effort.nodes += len(self.asked.script.functions[event.function].graph.applies)
            if self.count:
                self.conflicts[event.function, id(event.shapes)] = known.conflicts(changed)
                return event
            table = known.table_for(changed)
            if isinstance(table, Unknown):
                raise _Stop(table)
            self.made[key] = replace(event, shapes=table)
        table = self.made[key].shapes
        inputs = tuple(replace(i, shape=changed.get(i.variable, i.shape)) for i in event.inputs)
        self._updated(event, replace(event, shapes=table))
        return replace(event, shapes=table, inputs=inputs)

    def _inputs(self, event: Call) -> dict[int, Shape]:
        """New shapes of the inputs that change in a call."""
        shapes: dict[int, Shape] = {}
        for entry in self.asked.script.functions[event.function].graph.inputs:
            shape = event.shapes.shape(entry.variable)
            if entry.role is Role.SHARED and entry.shared is not None:
                after = self._shared(entry.shared, shape)
            else:
                after = self._argument(event.function, entry.variable, shape)
            if after != shape and not isinstance(after, Unknown):
                shapes[entry.variable] = after
        return {**shapes, **self._cut_out(event)}

    def _cut_out(self, event: Call) -> dict[int, Shape]:
        """New shapes of the rows that a function slices out of shared variables, if these are to change."""
        roles = self.asked.script.functions[event.function].graph.roles
        own = [a.variable for a in self.changes if isinstance(a, ArgumentAxis) and a.function == event.function]
        wanted = [v for v in dict.fromkeys(own) if v not in roles]
        rows = ((v, event.shapes.shape(v), self._argument(event.function, v, event.shapes.shape(v))) for v in wanted)
        return {v: new for v, old, new in rows if new != old and not isinstance(new, Unknown)}

    def _shared(self, shared: int, captured: Shape | Unknown) -> Shape | Unknown:
        """The shape of a shared variable at a call, as the events before it leave it."""
        old, new = self.old.get(shared, captured), self.new.get(shared, captured)
        if old == new:
            return captured
        name = self.asked.script.shared[shared].label
        if isinstance(new, Unknown):
            raise _Stop(Unknown(f"the shape that {name} would have then is not known: {new.reason}"))
        if old != captured:
            raise _Stop(Unknown(f"the script changed the shape of {name} in a way that was not seen"))
        return new

    def _argument(self, function: int, variable: int, shape: Shape | Unknown) -> Shape | Unknown:
        for axis, (old, new) in self.changes.items():
            if isinstance(axis, ArgumentAxis) and (axis.function, axis.variable) == (function, variable):
                shape = _changed(shape, axis.axis, old * axis.multiple, new * axis.multiple)
        return shape

    def _updated(self, before: Call, after: Call) -> None:
        """Records the shapes that updates give to shared variables."""
        graph = self.asked.script.functions[before.function].graph
        for entry in graph.inputs:
            if entry.shared is not None and entry.update is not None:
                output = graph.outputs[entry.update]
                self.old[entry.shared], self.new[entry.shared] = before.shapes.shape(output), after.shapes.shape(output)


def _changed(shape: Shape | Unknown, axis: int, old: int, new: int) -> Shape | Unknown:
    """The shape with another length along `axis`; Unknown dimensions stay."""
    if isinstance(shape, Unknown) or axis >= len(shape):
        return shape
    now = shape[axis]
    if isinstance(now, Unknown):
        return shape
    return (*shape[:axis], new if now == old else min(now, new), *shape[axis + 1 :])
