"""Sizes of the Variables of a graph in JAX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...ir import Apply, FunctionGraph, Shape, ShapeTable, TypeKind, Unknown, nbytes, numel
from ..profile import UnknownSize

NARROW = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}
"""64-bit dtype -> the dtype that JAX uses, unless floatX is float64."""
ONLY_SHAPES = ("Shape", "Shape_i", "JAXShapeTuple")
"""Ops that read only shapes, which are known when a function is compiled."""
POINTER = 8
"""Bytes of a pointer in the table of results."""
KEY = 8
"""Bytes of a generator's key in JAX."""
LEAVES = 6
"""Number of arrays in the state of a generator."""


def address_table(results: int) -> int:
    """Returns the bytes of the address table that XLA counts as output of a call with `results` results; 0 for a single result."""
    return POINTER * results if results > 1 else 0


@dataclass(frozen=True)
class GeneratorState:
    """The state of a random generator as JAX gets it (PyTensor, link/jax/dispatch/random.py, `jax_typify_Generator`; PCG64)."""

    integer: int
    """Bytes of each integer in the state."""
    updated: bool
    """Whether the call returns the new state; if not, everything but the key is dropped."""

    @property
    def nbytes(self) -> int:
        """Bytes of the state: three integers, two 32-bit halves, and the key."""
        return 3 * self.integer + 2 * 4 + KEY if self.updated else KEY


def is_generator(graph: FunctionGraph, variable: int) -> bool:
    """Returns whether a Variable is a random Generator; the state of a RandomState (Aesara) is not modelled here."""
    kind = graph.variables[variable].type
    return kind.kind is TypeKind.RANDOM and "Generator" in kind.text


def used(graph: FunctionGraph, variable: int) -> bool:
    """Returns whether an input is needed at run time: it is returned, or a node reads more of it than its shape."""
    return variable in graph.outputs or any(graph.applies[node].op.name not in ONLY_SHAPES for node, _ in graph.clients[variable])


@dataclass
class Sizes:
    """Sizes of the Variables of one graph in JAX."""

    graph: FunctionGraph
    shapes: ShapeTable
    narrow: Mapping[str, str]
    """64-bit dtype -> the dtype that JAX uses instead."""
    state: GeneratorState
    unknown: list[UnknownSize] = field(default_factory=list)
    """Variables of unknown size that were requested."""
    in_loop: bool = False
    """Whether the graph is one step of a loop, or otherwise inside a node."""
    _counts: dict[int, int] = field(default_factory=dict)
    """Variable -> its number of elements, cached."""

    def __call__(self, variable: int) -> int:
        """Bytes of a Variable; 0 if it is no array or its size is unknown, which is recorded in `unknown`."""
        of = self.graph.variables[variable].type
        if of.kind is TypeKind.RANDOM:
            return self.state.nbytes if is_generator(self.graph, variable) else 0
        nbytes = bytes_of(self.shapes.shape(variable), self.dtype(variable)) if of.has_shape else 0
        if isinstance(nbytes, Unknown):
            owner = self.graph.variables[variable].owner
            op = None if owner is None else self.graph.applies[owner].op.text
            self.unknown.append(UnknownSize(self.graph.variables[variable].name or op or f"Variable {variable}", op, nbytes.reason))
            return 0
        return nbytes

    def count(self, variable: int) -> int:
        """Returns the number of elements of a Variable; 0 if unknown."""
        known = self._counts.get(variable)
        if known is None:
            count = numel(self.shapes.shape(variable)) if self.graph.variables[variable].type.has_shape else 0
            known = self._counts[variable] = 0 if isinstance(count, Unknown) else count
        return known

    def dtype(self, variable: int) -> str | None:
        """Returns the dtype that JAX uses for the Variable with this id; None if it has no dtype."""
        of = self.graph.variables[variable]
        added = None if of.owner is None else self.graph.applies[of.owner].op.params.get("acc_dtype")
        dtype = added if isinstance(added, str) else of.type.dtype
        return dtype and self.narrow.get(dtype, dtype)

    def inside(self, node: Apply) -> Sizes | None:
        """Returns the sizes within one step of the node's inner graph; None if it has no inner graph or the shapes are unknown."""
        inner, table = node.op.inner, self.shapes.inner.get(node.id)
        return None if inner is None or table is None else Sizes(inner, table, self.narrow, self.state, in_loop=True)


def bytes_of(shape: Shape | Unknown, dtype: str | None) -> int | Unknown:
    """Returns the bytes of an array; 0 if `dtype` is None (no array); Unknown if its shape is."""
    return 0 if dtype is None else nbytes(shape, dtype)
