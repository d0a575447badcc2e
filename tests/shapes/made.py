"""Graphs of one node, and what `infer` says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from theanodiag.ir import Op, Shape, Type, TypeKind, Unknown
from theanodiag.ir.builder import GraphBuilder, tensor
from theanodiag.ir.shape import Value
from theanodiag.shapes import infer


@dataclass(frozen=True)
class Known:
    """An input whose value is known: an integer, or a tuple of them."""

    value: Value
    dtype: str = "int64"

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a number or a vector."""
        return (len(self.value),) if isinstance(self.value, tuple) else ()


@dataclass(frozen=True)
class Sized:
    """An input of a known shape."""

    shape: Sequence[int]
    dtype: str = "float32"


Input = Any
"""A shape, a Known or a Sized."""


def shapes_of(op: Op, inputs: Sequence[Input], ndims: Sequence[int]) -> list[Shape | Unknown]:
    """The shapes of the outputs of `op` on `inputs`, for outputs of so many dimensions."""
    table, outputs = _inferred(op, inputs, ndims)
    return [table.shape(v) for v in outputs]


def _inferred(op: Op, inputs: Sequence[Input], ndims: Sequence[int]) -> Any:
    b = GraphBuilder()
    ids, given = [], {}
    for k, entry in enumerate(inputs):
        if isinstance(entry, Known):
            ids.append(b.constant(tensor(*entry.shape, dtype=entry.dtype), entry.value))
            continue
        sized = entry if isinstance(entry, Sized) else Sized(entry)
        ids.append(b.argument(f"x{k}", tensor(*[None] * len(sized.shape), dtype=sized.dtype)))
        given[ids[-1]] = tuple(sized.shape)
    outputs = b.apply_many(op, ids, [tensor(*[None] * n) for n in ndims])
    return infer(b.build(*outputs), given, strict=True), outputs


def shape_of(name: str, inputs: Sequence[Input], ndim: int, params: Mapping[str, object] | None = None, text: str = "") -> Shape | Unknown:
    """The shape of the only output of an Op."""
    return shapes_of(Op(name, text or name, params=params or {}), inputs, [ndim])[0]


def is_bounded(name: str, inputs: Sequence[Input], ndim: int, params: Mapping[str, object] | None = None) -> bool:
    """Whether the shape of the only output is an upper bound."""
    table, outputs = _inferred(Op(name, name, params=params or {}), inputs, [ndim])
    return outputs[0] in table.bounded


def reason_of(shape: Shape | Unknown) -> str:
    """Why a shape is not known; fails where it is."""
    found = shape if isinstance(shape, Unknown) else next(d for d in shape if isinstance(d, Unknown))
    return found.reason


UNTYPED = Type(TypeKind.OTHER, None, (), "")
