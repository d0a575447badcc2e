"""Finds large constants in graphs; each function holds its own copy of what could be one shared variable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...ir import Constant, GraphInput, Role, Shape, TypeKind, Unknown, Variable, nbytes
from ...memory.script import CompiledFunction, Create, Script, SharedVariable

LEAST_BYTES = 1 << 20
"""Smallest size of a constant that is reported."""
ARRAYS = frozenset({TypeKind.TENSOR, TypeKind.GPUARRAY, TypeKind.CUDANDARRAY})
"""Type kinds of arrays."""


@dataclass(frozen=True)
class LargeConstant:
    """Constants that look the same, in one function or in several."""

    places: tuple[tuple[int, int], ...]
    """(Index of the function, id of the Variable) of each copy."""
    dtype: str
    shape: Shape
    nbytes: int
    """Bytes of one copy."""


def find_constants(script: Script) -> Iterator[LargeConstant]:
    """Yields the large constants of all functions.

    Values are not recorded: constants of the same dtype, shape, name and source line count as equal.
    """
    alike: dict[tuple[object, ...], list[tuple[int, int]]] = {}
    for function in script.functions:
        for v in function.graph.variables:
            size = nbytes(v.shape, v.type.dtype or "int8") if isinstance(v, Constant) and v.type.kind in ARRAYS else 0
            if isinstance(v, Constant) and not isinstance(size, Unknown) and size >= LEAST_BYTES:
                key = (v.type.dtype, v.shape, v.name, v.site) if v.name or v.site else (function.index, v.id)
                alike.setdefault(key, []).append((function.index, v.id))
    for places in alike.values():
        first = script.functions[places[0][0]].graph.variables[places[0][1]]
        assert isinstance(first, Constant)
        size = nbytes(first.shape, first.type.dtype or "int8")
        yield LargeConstant(tuple(places), first.type.dtype or "", first.shape, size if isinstance(size, int) else 0)


def as_shared(script: Script, constants: list[LargeConstant]) -> Script:
    """The script in which each of these constants is one shared variable."""
    number = max(script.shared, default=0) + 1
    functions, shared, created = list(script.functions), dict(script.shared), []
    for k, constant in enumerate(constants, number):
        first = script.functions[constant.places[0][0]].graph.variables[constant.places[0][1]]
        shared[k] = SharedVariable(k, first.name, first.type)
        created.append(Create(k, constant.shape))
        for function, variable in constant.places:
            functions[function] = _replaced(functions[function], variable, k)
    return replace(script, shared=shared, functions=tuple(functions), events=(*created, *script.events))


def _replaced(function: CompiledFunction, variable: int, shared: int) -> CompiledFunction:
    graph = function.graph
    old = graph.variables[variable]
    new = Variable(old.id, old.type, old.name, None, old.site)
    variables = (*graph.variables[:variable], new, *graph.variables[variable + 1 :])
    inputs = (*graph.inputs, GraphInput(variable, Role.SHARED, shared=shared))
    return replace(function, graph=replace(graph, variables=variables, inputs=inputs))
