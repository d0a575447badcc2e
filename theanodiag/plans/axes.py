"""The axes of a script that a plan can make longer or shorter: those of arguments and of shared variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from ..ir import Shape, Unknown
from ..memory.script import Create, Script, SetValue


@dataclass(frozen=True)
class ArgumentAxis:
    """One axis of an argument, at all calls of a function; or of the rows that a function cuts out of a shared variable itself."""

    function: int
    """Index of the function."""
    variable: int
    """Id of the argument, or of what was cut out, in the function's graph."""
    axis: int


@dataclass(frozen=True)
class SharedAxis:
    """One axis of what the script puts into a shared variable."""

    shared: int
    axis: int


Axis = Union[ArgumentAxis, SharedAxis]


def shapes_at(script: Script, axis: Axis) -> list[Shape | Unknown]:
    """The shapes that the script gives to what has this axis, in its order."""
    if isinstance(axis, SharedAxis):
        return [e.shape for e in script.events if isinstance(e, (Create, SetValue)) and e.shared == axis.shared]
    return [call.shapes.shape(axis.variable) for call in script.calls(axis.function)]


def length(script: Script, axis: Axis) -> int | None:
    """The greatest length that the script gives to an axis; None where it gives none that is known."""
    found = [s[axis.axis] for s in shapes_at(script, axis) if not isinstance(s, Unknown) and len(s) > axis.axis]
    return max((n for n in found if not isinstance(n, Unknown)), default=None)


def label(script: Script, axis: Axis) -> str:
    """`x:0`, as the option --batch-dim takes it."""
    if isinstance(axis, SharedAxis):
        return f"{script.shared[axis.shared].name or f'shared variable {axis.shared}'}:{axis.axis}"
    return f"{argument_name(script, axis.function, axis.variable)}:{axis.axis}"


def argument_name(script: Script, function: int, variable: int) -> str:
    """What to call an argument: its name, else its position; what is cut out of a shared variable is called after that."""
    graph = script.functions[function].graph
    if variable not in graph.roles:
        return f"rows of {source_name(script, function, variable)}"
    if graph.variables[variable].name:
        return str(graph.variables[variable].name)
    return f"argument {[i.variable for i in graph.inputs].index(variable)}"


def source_name(script: Script, function: int, variable: int) -> str:
    """The name of the shared variable of which a Variable is a part."""
    graph = script.functions[function].graph
    owner = graph.variables[variable].owner
    while owner is not None:
        variable = graph.applies[owner].inputs[0]
        owner = graph.variables[variable].owner
    return graph.variables[variable].name or "a shared variable"
