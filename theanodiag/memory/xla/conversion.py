"""How JAX takes what PyTensor and Aesara hand over: which arguments it drops, which dtypes it narrows, what a generator's state is.

Source: pytensor and aesara, link/jax/dispatch/basic.py and random.py; jaxlib, CompiledMemoryStats (a result of several is a tuple, whose
table of pointers counts as output).
"""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import FunctionGraph, TypeKind

NARROW = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}
"""What becomes of 64-bit types unless floatX is float64."""
ONLY_SHAPES = ("Shape", "Shape_i", "JAXShapeTuple")
"""Ops that ask for lengths, which are known when a function is compiled."""
POINTER = 8
KEY = 8
LEAVES = 6
"""Arrays in the state of a generator."""


@dataclass(frozen=True)
class GeneratorState:
    """The state of a random generator as JAX gets it (pytensor, link/jax/dispatch/random.py, jax_typify_Generator; PCG64)."""

    integer: int
    """Bytes of Python's integers there."""
    updated: bool
    """Whether it is handed out again; if not, all but the key is dropped."""

    @property
    def nbytes(self) -> int:
        """Three integers, two halves of the state of 32 bits each, and the key."""
        return 3 * self.integer + 2 * 4 + KEY if self.updated else KEY


def is_generator(graph: FunctionGraph, variable: int) -> bool:
    """A Generator; a RandomState (Aesara) has another state, which is not known here."""
    found = graph.variables[variable].type
    return found.kind is TypeKind.RANDOM and "Generator" in found.text


def used(graph: FunctionGraph, variable: int) -> bool:
    """Whether anything is computed with an input, or it is a result."""
    return variable in graph.outputs or any(graph.applies[node].op.name not in ONLY_SHAPES for node, _ in graph.clients[variable])
