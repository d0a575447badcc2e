"""How JAX converts what PyTensor and Aesara pass to it: which arguments it drops, which dtypes it narrows, the state of a generator.

Source: pytensor and aesara, link/jax/dispatch/basic.py and random.py; jaxlib, CompiledMemoryStats (a result of several is a tuple, whose
table of pointers counts as output).
"""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import FunctionGraph, TypeKind

NARROW = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}
"""64-bit dtype -> the dtype that JAX uses, unless floatX is float64."""
ONLY_SHAPES = ("Shape", "Shape_i", "JAXShapeTuple")
"""Ops that only read shapes, which are known when a function is compiled."""
POINTER = 8
"""Bytes of a pointer in the table of results."""
KEY = 8
"""Bytes of a generator's key."""
LEAVES = 6
"""Number of arrays in the state of a generator."""


@dataclass(frozen=True)
class GeneratorState:
    """The state of a random generator as JAX gets it (PyTensor, link/jax/dispatch/random.py, `jax_typify_Generator`; PCG64)."""

    integer: int
    """Bytes of each integer in it."""
    updated: bool
    """Whether the call returns the new state; if not, all of it but the key is dropped."""

    @property
    def nbytes(self) -> int:
        """Bytes of the state: three integers, two 32-bit halves, and the key."""
        return 3 * self.integer + 2 * 4 + KEY if self.updated else KEY


def is_generator(graph: FunctionGraph, variable: int) -> bool:
    """Whether a Variable is a Generator; the state of a RandomState (Aesara) is not known here."""
    found = graph.variables[variable].type
    return found.kind is TypeKind.RANDOM and "Generator" in found.text


def used(graph: FunctionGraph, variable: int) -> bool:
    """Whether an input is a result, or read for more than its shape."""
    return variable in graph.outputs or any(graph.applies[node].op.name not in ONLY_SHAPES for node, _ in graph.clients[variable])
