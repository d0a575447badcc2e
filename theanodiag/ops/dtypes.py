"""Input of the dtype rules, which infer dtypes in graphs printed without types; and functions that combine dtypes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from ..ir.shape import is_dtype, itemsize, upcast

Dtypes = Sequence["str | None"]
"""Dtypes of some values; None for a literal, which takes the dtype of what it is computed with."""
INDEX = "int64"
"""Dtype of shapes and positions, and of values that are used as such."""


@dataclass(frozen=True)
class TypeQuery:
    """What a dtype rule knows about a node whose types were not printed."""

    name: str
    """Class name of the Op."""
    params: Mapping[str, object]
    """Parameters of the Op."""
    inputs: Dtypes
    """Dtypes of the inputs."""
    n_outputs: int
    floatX: str
    """The framework's flag floatX."""
    scalar: bool = False
    """Whether it is a scalar Op, whatever its class."""

    def at(self, position: int) -> str | None:
        """Returns the dtype of input number `position`, None if unknown; floatX if there is no such input."""
        return self.inputs[position] if -len(self.inputs) <= position < len(self.inputs) else self.floatX

    def param(self) -> str | None:
        """Returns the dtype in the parameter `dtype` of the Op; None if there is none."""
        value = self.params.get("dtype")
        return self.floatX if value == "floatX" else value if isinstance(value, str) and is_dtype(value) else None


DtypeRule = Callable[[TypeQuery], Dtypes]
"""Computes the dtypes of the outputs of a node; the last one holds for all further outputs."""


def widest(dtypes: Dtypes) -> str | None:
    """Returns the dtype to which all of these are upcast; None if none is known."""
    known = [d for d in dtypes if d is not None]
    return reduce(upcast, known) if known else None


def as_float(dtype: str) -> str:
    """Returns the float dtype that a function's result has for arguments of `dtype`. Source: Theano 1.0.5 scalar/basic.py
    `upgrade_to_float`.
    """
    return dtype if is_real(dtype) else "float32" if itemsize(dtype) <= 2 else "float64"


def is_real(dtype: str) -> bool:
    """Returns whether a dtype is a float or complex dtype."""
    return "float" in dtype or "complex" in dtype


def as_input(*positions: int) -> DtypeRule:
    """Makes a dtype rule: output k has the dtype of the input at position k of `positions`."""
    return lambda query: [query.at(p) for p in positions]


def always(*dtypes: str) -> DtypeRule:
    """Makes a dtype rule: the outputs always have these dtypes."""
    return lambda query: list(dtypes)


def all_inputs(query: TypeQuery) -> Dtypes:
    """Returns the dtype rule: the output has the dtype to which all inputs are upcast."""
    return [widest(query.inputs)]


def first_and(dtype: str) -> DtypeRule:
    """Makes a dtype rule: the first output has the dtype of the first input, the second has `dtype`."""
    return lambda query: [query.at(0), dtype]
