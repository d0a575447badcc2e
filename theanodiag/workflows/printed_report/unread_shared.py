"""Shared variables that a printed function sets but does not read: no text shows them, but outputs reveal some.

Outputs for the caller come before new values of shared variables (Theano 1.0.5 compile/function_module.py `std_fgraph`, Aesara and PyTensor
the same), so every output behind the new state of a random generator is such a value. Values that can be of no printed input are of shared
variables that are not printed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Optional

from ...ir import Constant, FunctionGraph, ShapeTable, Type, TypeKind, Unknown
from ...ir.shape import admits
from ...memory.storage import exact
from .generator_states import draws

Unread = tuple[Type, tuple[int, ...]]
"""Type and shape of one such shared variable."""
Group = tuple[TypeKind, Optional[str], tuple[int, ...]]
"""Kind, dtype and shape of a value."""


def unread(graph: FunctionGraph, table: ShapeTable) -> tuple[Unread, ...]:
    """The shared variables that must exist besides the inputs of `graph`, as far as shapes are known."""
    wanted: dict[Group, list[Unread]] = {}
    for v in _set(graph):
        kind, shape = graph.variables[v].type, exact(table.shape(v))
        if kind.kind is not TypeKind.RANDOM and not isinstance(shape, Unknown) and v not in table.bounded:
            wanted.setdefault((kind.kind, kind.dtype, shape), []).append((kind, shape))
    left = {group: len(rows) for group, rows in wanted.items()}
    for variable in (graph.variables[i.variable] for i in graph.inputs) if wanted else ():
        for group in left:
            left[group] -= _may_be(variable.type, exact(table.shape(variable.id)), group)
    return tuple(row for group, rows in wanted.items() for row in rows[: max(0, left[group])])


def _may_be(kind: Type, shape: tuple[int, ...] | Unknown, group: Group) -> bool:
    """Whether an input with this type and shape can have a value of this group."""
    if kind.kind is TypeKind.OTHER:  # not printed
        return True
    fits = admits(kind.shape, group[2]) if isinstance(shape, Unknown) else shape == group[2]
    return (kind.kind, kind.dtype) == group[:2] and fits


def _set(graph: FunctionGraph) -> Iterator[int]:
    """Yields outputs that are certainly new values of shared variables."""
    sure = False
    for v in graph.outputs:
        if sure and not isinstance(graph.variables[v], Constant):
            yield v
        sure = sure or _is_state(graph, v)


def _is_state(graph: FunctionGraph, v: int) -> bool:
    variable = graph.variables[v]
    node = None if variable.owner is None else graph.applies[variable.owner]
    return variable.type.kind is TypeKind.RANDOM or (node is not None and draws(node.op.name) and node.outputs[0] == v)
