"""Builds a Script with one assumed call of a printed function, and the flags with which it was compiled."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir import FunctionGraph, Role, TypeKind
from ...memory.script import Call, CallInput, Compile, CompiledFunction, Create, Event, Script, SharedVariable
from .shaping import Shaped


def script_of(shaped: Shaped, flags: Mapping[str, object], name: str = "", linker: str = "cvm", framework: str = "") -> Script:
    """The script that creates the shared variables and calls the function once."""
    graph, table = shaped.graph, shaped.table
    title = name or graph.name or "graph"
    entries = [i for i in graph.inputs if i.role is Role.SHARED and i.shared is not None]
    variables = {
        i.shared: SharedVariable(i.shared, graph.variables[i.variable].name, graph.variables[i.variable].type)
        for i in entries
        if i.shared is not None
    }
    creations: list[Event] = [Create(i.shared, table.shape(i.variable)) for i in entries if i.shared is not None]
    for number, (kind, shape) in enumerate(shaped.unread, 1 + max((i.variable for i in graph.inputs), default=-1)):
        variables[number] = SharedVariable(number, "shared variable that is only set", kind)
        creations.append(Create(number, shape))
    arguments = [graph.variables[i.variable] for i in graph.inputs if i.role is Role.ARGUMENT]
    inputs = tuple(CallInput(v.id, v.name, v.type.dtype, table.shape(v.id)) for v in arguments)
    events = (*creations, Compile(0), Call(0, inputs, table, assumed=True))
    return Script(variables, (CompiledFunction(0, title, graph, linker),), events, flags, framework)


def flags_of(graph: FunctionGraph, allow_gc: bool = True, preallocate: float = 0.0) -> dict[str, object]:
    """The flags with which such a graph was compiled, as far as it shows them."""
    return {"device": "gpu" if TypeKind.CUDANDARRAY in graph.kinds else "cuda", "allow_gc": allow_gc, "gpuarray.preallocate": preallocate}
