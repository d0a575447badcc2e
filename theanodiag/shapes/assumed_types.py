"""Builds types as the frameworks would have them, from dtype, kind and shapes; a type contains only lengths that hold for all inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Optional

from ..ir import Apply, Constant, FunctionGraph, Shape, ShapeTable, Type, TypeKind, Unknown, Variable
from ..ir.shape import static_text
from .infer import infer
from .ranks import ranks_of_inputs
from .scan_alignment import Stepped

What = tuple[Optional[str], Optional[TypeKind]]
"""Dtype and kind of a value, None where not known."""
_WORDS = {TypeKind.GPUARRAY: "GpuArrayType<None>", TypeKind.CUDANDARRAY: "CudaNdarrayType", TypeKind.SPARSE: "SparseTensorType"}
_BARE = {TypeKind.RANDOM: "RandomType", TypeKind.OTHER: "NoneTypeT"}
_ANY = Unknown("any length will do")
_NOTHING = ShapeTable({})


class AssumedShapes(NamedTuple):
    """Shapes of one graph, for the given inputs and for all inputs."""

    real: ShapeTable
    """Shapes for the inputs that the user gives."""
    fixed: ShapeTable
    """Shapes as far as they hold for all inputs with these numbers of dimensions."""

    def inside(self, node: Apply) -> AssumedShapes:
        """Shapes of the inner graph of `node`."""
        return AssumedShapes(self.real.inner.get(node.id) or _NOTHING, self.fixed.inner.get(node.id) or _NOTHING)

    def of_step(self, node: Apply, inner: FunctionGraph, found: Stepped) -> AssumedShapes:
        """Shapes of one step of the Scan `node`, as `found` assigns its inputs."""
        rows = ((v, p, self.fixed.shape(node.inputs[p])) for v, p in found.fed_by.items())
        steps = {v: shape[1:] if p <= found.last else shape for v, p, shape in rows if not isinstance(shape, Unknown)}
        return AssumedShapes(found.table, infer(inner, steps))

    def lengths(self, graph: FunctionGraph, v: Variable) -> tuple[int | None, ...] | None:
        """The static shape of a Variable's type; None where not even its number of dimensions is known."""
        real = v.shape if isinstance(v, Constant) else self.real.shape(v.id)
        if isinstance(real, Unknown):
            return None
        fixed = v.shape if isinstance(v, Constant) else self.fixed.shape(v.id)
        if isinstance(fixed, Unknown) or len(fixed) != len(real) or v.id in self.fixed.bounded:
            fixed = (_ANY,) * len(real)
        rows = [1 if k in _always_one(graph, v) else d for k, d in enumerate(fixed)]
        return tuple(d if isinstance(d, int) and d == n else None for d, n in zip(rows, real))

    def ranks(self, graph: FunctionGraph) -> dict[int, int]:
        """Numbers of dimensions of inputs whose shapes are not known, as far as they follow from the Ops."""
        found = {v.id: self.real.shape(v.id) for v in graph.variables}
        if not any(v.owner is None and isinstance(found[v.id], Unknown) for v in graph.variables):
            return {}
        return ranks_of_inputs(graph, {v: len(s) for v, s in found.items() if not isinstance(s, Unknown)})


def shapes_of(graph: FunctionGraph, table: ShapeTable) -> AssumedShapes:
    """Shapes of the outer graph; a given length of 1 is assumed to be part of the type."""
    inputs = [(v.id, table.shape(v.id)) for v in graph.variables if v.owner is None and not isinstance(v, Constant)]
    first: dict[int, Shape] = {v: tuple(d if d == 1 else _ANY for d in s) for v, s in inputs if not isinstance(s, Unknown)}
    return AssumedShapes(table, infer(graph, first))


def _always_one(graph: FunctionGraph, v: Variable) -> set[int]:
    """Dimensions that the node which makes `v` declares to have length 1: Rebroadcast{?,1}."""
    said = None if v.owner is None else graph.applies[v.owner].op.params.get("axis")
    return {int(k) for k, one in said.items() if one and k.isdecimal()} if isinstance(said, dict) else set()


def bare_type(what: What) -> Type | None:
    """The type of a value without dimensions (scalar, generator, None); None for arrays and for what is not known."""
    dtype, kind = what
    if kind in _BARE:
        return Type(kind, None, (), _BARE[kind])
    return Type(kind, dtype, (), dtype) if kind is TypeKind.SCALAR and dtype is not None else None


def array_type(what: What, lengths: Sequence[int | None], only_ones: bool) -> Type | None:
    """The type of an array; with `only_ones` it states no length but 1."""
    dtype, kind = what
    if dtype is None or kind is None or kind in _BARE:
        return None
    shape = tuple(None if only_ones and d != 1 else d for d in lengths)
    return Type(kind, dtype, shape, f"{_WORDS.get(kind, 'TensorType')}({dtype}, {static_text(shape)})")
