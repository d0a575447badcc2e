"""Simulates a script with other lengths of axes: all shapes are inferred again from the graphs.

Only the greatest length that the script gives to the axis changes; shorter ones (the rest of an epoch) are cut to the new length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..ir import Role, Shape, Unknown
from ..memory.script import Call, Create, Event, Script, SetValue
from .axes import ArgumentAxis, Axis, SharedAxis, length
from .shape_replay import Reinfer


@dataclass
class Effort:
    """The cost of searches so far."""

    nodes: int = 0
    """Number of nodes whose shapes were inferred."""


class WhatIf:
    """A script that is resized several times; facts about its calls are cached.

    `effort` is shared by searches that belong together, so that a limit holds for all of them.
    """

    def __init__(self, script: Script, effort: Effort | None = None) -> None:
        self.script = script
        self._calls: dict[tuple[int, int], Reinfer] = {}
        self.effort = effort or Effort()
        self.batches: dict[int, tuple[Axis, ...]] = {}
        """The batch axes that were found, by function (`batch_axes.find`)."""

    @property
    def inferred(self) -> int:
        """Number of nodes whose shapes were inferred so far, the measure of what a search costs."""
        return self.effort.nodes

    def with_lengths(self, changes: Mapping[Axis, int]) -> Script | Unknown:
        """The script with these lengths; Unknown, with the reason, if the resulting shapes cannot be inferred."""
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
        """Number of nodes whose inputs would not fit together, plus the number of events whose shapes could not be inferred."""
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
        """The shape inference for a call, cached by its table, which calls of equal shapes share."""
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
        """The event after the change."""
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
        name = self.asked.script.shared[shared].name or "a shared variable"
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
