"""Assumes dtype and kind (host, device, scalar) of inputs and constants of which a text prints none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..ir import Apply, Constant, FunctionGraph, ShapeTable, TypeKind, Variable
from ..ir.dtype import is_dtype
from ..ir.shape import Value
from ..ops import op_info
from .assumed_types import What
from .device_placement import generators, inputs_on_device
from .dtypes import INDEX
from .integer_inputs import Known, whole_numbers

_SIZES = ((7, "int8"), (15, "int16"), (31, "int32"))


class Premises(NamedTuple):
    """What all assumptions rest on."""

    floatX: str
    """The flag floatX."""
    named: Mapping[str, str]
    """Dtypes of inputs by name."""
    device: TypeKind
    """Kind of the arrays on the device."""
    whole: Known
    """Variables known to be integers, for each graph."""


def is_missing(variable: Variable) -> bool:
    """Whether the text prints no type for a Variable, or that of a constant without its dtype."""
    kind = variable.type
    return not kind.text and (kind.dtype is None or kind.kind is TypeKind.OTHER)


class Inputs:
    """Assumes dtype and kind of the inputs and constants of one graph, from how they are used."""

    def __init__(self, told: Premises, graph: FunctionGraph, table: ShapeTable, first: Mapping[int, What], scalars: bool) -> None:
        self._told, self._graph, self._table, self._first = told, graph, table, first
        self._array = TypeKind.SCALAR if scalars else TypeKind.TENSOR
        self.whole = whole_numbers(graph, told.whole)
        """Ids of the Variables that are integers."""
        self.states = generators(graph)
        """Ids of the Variables that are states of random generators."""
        self._on_device, self._written = inputs_on_device(graph, self.whole), _written_into(graph)

    def of(self, v: Variable) -> What:
        """Assumed dtype and kind of the input or constant `v`."""
        if v.id in self._first:
            return self._first[v.id]
        if v.id in self.states:
            return None, TypeKind.RANDOM
        whole = v.id in self.whole
        if isinstance(v, Constant):
            return dtype_of_constant(v, whole, self._told.floatX), self._place_of_constant(v)
        dtype = self._told.named.get(v.name or f"input{v.id}") or self._written.get(v.id)
        dtype = dtype or dtype_of_input(self._graph, v.id, whole or v.id in self._table.values, self._told.floatX)
        return dtype, self._told.device if v.id in self._on_device and self._array is TypeKind.TENSOR else self._array

    def _place_of_constant(self, v: Constant) -> TypeKind:
        """The kind of a constant; OTHER (None or a slice) for one without a value with which nothing computes."""
        kind = v.type.kind
        if self._array is TypeKind.SCALAR:
            return self._array
        nothing = v.value is None and v.shape == () and kind in (TypeKind.OTHER, TypeKind.SCALAR)
        if nothing and not any(self._graph.applies[n].op.name in ("Elemwise", "Alloc") for n, _ in self._graph.clients[v.id]):
            return TypeKind.OTHER
        return self._array if kind is TypeKind.OTHER else kind


def dtype_of_constant(constant: Constant, whole: bool, floatX: str) -> str | None:
    """Dtype of a constant by its value: floatX if it has floats, for a single integer the smallest that holds it, else int64.

    Source: Theano 1.0.5 tensor/basic.py `constant`, scalar/basic.py `NumericAutoCaster`; Aesara and PyTensor the same.
    """
    value = constant.value
    if value is None:
        return INDEX if whole else floatX
    numbers = list(_numbers(value))
    if any(isinstance(n, float) for n in numbers):
        return floatX
    if numbers and all(isinstance(n, bool) for n in numbers):
        return "bool"
    if len(set(numbers)) > 1:
        return INDEX
    most = max((abs(n) for n in numbers), default=0)
    return next((dtype for bits, dtype in _SIZES if most < 1 << bits), INDEX)


def _numbers(value: Value) -> list[int | float | bool]:
    if not isinstance(value, tuple):
        return [value]
    return [n for part in value for n in _numbers(part)]


def _written_into(graph: FunctionGraph) -> dict[int, str]:
    """Dtypes of inputs that are initial values of recurrences: those of the buffers into which they are written, which are printed."""
    found = {}
    for node in graph.applies:
        if node.op.name == "IncSubtensor" and len(node.inputs) > 1:
            buffer = _maker(graph, node.inputs[0])
            dtype = buffer.op.params.get("dtype") if buffer is not None and buffer.op.name == "AllocEmpty" else None
            v, maker = node.inputs[1], _maker(graph, node.inputs[1])
            while maker is not None and maker.inputs and _keeps_entries(maker):
                v, maker = maker.inputs[0], _maker(graph, maker.inputs[0])
            if maker is None and isinstance(dtype, str) and is_dtype(dtype):
                found[v] = dtype
    return found


def _keeps_entries(node: Apply) -> bool:
    op = op_info(node.op.name)
    return op.rearranges or op.hands_on


def _maker(graph: FunctionGraph, variable: int) -> Apply | None:
    owner = graph.variables[variable].owner
    return None if owner is None else graph.applies[owner]


def dtype_of_input(graph: FunctionGraph, variable: int, whole: bool, floatX: str) -> str:
    """int64 if it is used as an integer (`whole`, a position or length, cast to floatX, compared with positions), else floatX."""
    return INDEX if whole or any(_asks_whole(graph, n, floatX) for n, _ in graph.clients[variable]) else floatX


def _asks_whole(graph: FunctionGraph, client: int, floatX: str) -> bool:
    node = graph.applies[client]
    text = str(node.op.params.get("scalar_text", ""))
    if text.startswith("Cast{") and text[5:].rstrip("}") == floatX:
        return True
    return str(node.op.params.get("scalar_op")) in ("EQ", "NEQ") and any(_is_position(graph, v) for v in node.inputs)


def _is_position(graph: FunctionGraph, variable: int) -> bool:
    maker = _maker(graph, variable)
    return maker is not None and maker.op.name in ("Argmax", "MaxAndArgmax", "GpuMaxAndArgmax")
