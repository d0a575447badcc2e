"""Axes whose length a plan can change: those of arguments and of shared variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from ..ir import Shape, Unknown
from ..memory.script import Create, Script, SetValue


@dataclass(frozen=True)
class ArgumentAxis:
    """One axis of an argument, in all calls of a function; or of the rows that a function itself slices from a shared variable."""

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
    """The shapes that the script gives to the owner of this axis, in order of the events."""
    if isinstance(axis, SharedAxis):
        return [e.shape for e in script.events if isinstance(e, (Create, SetValue)) and e.shared == axis.shared]
    return [call.shapes.shape(axis.variable) for call in script.calls(axis.function)]


def length(script: Script, axis: Axis) -> int | None:
    """The largest known length of an axis in the script, divided by its `multiple`; None if none is known."""
    lengths = [s[axis.axis] for s in shapes_at(script, axis) if not isinstance(s, Unknown) and len(s) > axis.axis]
    longest = max((n for n in lengths if not isinstance(n, Unknown)), default=None)
    return longest if longest is None else longest // multiple_of(axis)


def multiple_of(axis: Axis) -> int:
    """The length of an axis as a multiple of the length that a plan changes."""
    return axis.multiple if isinstance(axis, ArgumentAxis) else 1


def label(script: Script, axis: Axis) -> str:
    """The axis in the notation of --batch-dim: `x:0`; where it is a multiple of the length that changes, with how many times."""
    if isinstance(axis, SharedAxis):
        return f"{script.shared[axis.shared].name or f'shared variable {axis.shared}'}:{axis.axis}"
    times = f" ({axis.multiple} {'rows for each' if axis.axis < 2 else 'times as long'})" if axis.multiple > 1 else ""
    return f"{argument_name(script, axis.function, axis.variable)}:{axis.axis}{times}"


def argument_name(script: Script, function: int, variable: int) -> str:
    """Name of an argument, else `argument N`; for rows sliced from a shared variable, `rows of NAME`."""
    graph = script.functions[function].graph
    if variable not in graph.roles:
        return f"rows of {source_name(script, function, variable)}"
    if graph.variables[variable].name:
        return str(graph.variables[variable].name)
    return f"argument {[i.variable for i in graph.inputs].index(variable)}"


def source_name(script: Script, function: int, variable: int) -> str:
    """Name of the shared variable from which a Variable is sliced."""
    graph = script.functions[function].graph
    owner = graph.variables[variable].owner
    while owner is not None:
        variable = graph.applies[owner].inputs[0]
        owner = graph.variables[variable].owner
    return graph.variables[variable].name or "a shared variable"
