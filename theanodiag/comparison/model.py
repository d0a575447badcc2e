"""The outcome of a comparison: by function what was equal, the first value that was not, and what random generators it drew from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..ir.graph import FunctionGraph, Site, TypeKind


@dataclass(frozen=True)
class Tolerance:
    """How far a value may be off, relative to the largest magnitude in its array."""

    relative: float | None = None
    """None: by dtype, `RELATIVE`."""
    absolute: float = 0.0

    def holds(self, dtype: str, absolute: float | None, scale: float) -> bool:
        """Whether a difference (None: infinite) is small enough."""
        relative = self.relative if self.relative is not None else RELATIVE.get(dtype, 0.0)
        return absolute is not None and absolute <= max(self.absolute, relative * scale)


MAY_ROUND = {"float16": 6e-2, "float32": 8e-6, "float64": 1.5e-14, "complex64": 8e-6, "complex128": 1.5e-14}
"""By dtype how far a difference may be off, relative to the largest magnitude of its call, to be asked whether it is rounding alone: some
64 units in the last place."""
RELATIVE = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-10, "complex64": 1e-4, "complex128": 1e-10}
"""Tolerances by dtype; integers and booleans must be the same."""


@dataclass(frozen=True)
class Difference:
    """A value that is another one."""

    call: int
    """0-based, of its function."""
    value: str
    """`output 0`, or `W after the update`."""
    why: str
    """How they differ, in words."""
    absolute: float | None = None
    """The largest difference; None where it is infinite or the shapes differ."""
    relative: float | None = None
    """The same by the largest magnitude of the first run."""
    at: tuple[int, ...] | None = None
    """Index of the element that differs most."""
    places: tuple[int | None, int | None] = (None, None)
    """In each run the output of the graph, updates counted on from the last one that is returned; None where it has no such value."""
    dtype: str | None = None
    """The old run's."""


@dataclass(frozen=True)
class FunctionPair:
    """One compiled function in both runs, paired by the order in which they were compiled."""

    index: int
    names: tuple[str, str]
    nodes: tuple[int, int]
    """Nodes of the optimised graphs."""
    calls: tuple[int, int]
    """Calls that were recorded."""
    seconds: tuple[float, float]
    """Sums over the recorded calls."""
    peaks: tuple[int | None, int | None] = (None, None)
    """Predicted peak of live bytes of the call that needs most, as `check` predicts it; None where it was not called."""
    draws: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    """The kinds of generators that it draws from."""
    values: int = 0
    """Values that were compared."""
    absolute: float = 0.0
    """The largest difference among those within the tolerance."""
    relative: float = 0.0
    first: Difference | None = None
    """The first value, in the order of calls, that differs; None where none does."""
    suspects: tuple[Difference, ...] = ()
    """Differences before it that may be rounding."""
    rounding: tuple[str, ...] = ()
    """Values that differ by no more than the rounding of what they are computed from, though by much of themselves."""
    unread: tuple[str, ...] = ()
    """Values of which dtype and shape alone were compared: sparse matrices, and arrays that are too large to keep."""


@dataclass(frozen=True)
class NodeShown:
    """A node, or an input, of the graph as the user wrote it."""

    text: str
    """As its framework prints it."""
    site: Site | None
    """The user's line that made it, or the loop in which it is."""
    dtype: str | None
    shape: tuple[int, ...] | None


@dataclass(frozen=True)
class FirstNode:
    """The first node whose value differs although the values that it reads agree."""

    function: int
    call: int
    """0-based, of its function."""
    value: str
    """The output, or the update, from which it was walked back."""
    old: NodeShown | None
    """None where the old run has no such node."""
    new: NodeShown | None
    absolute: float | None = None
    """The largest difference; None where shapes differ, it is infinite, or a run has no such node."""
    relative: float | None = None
    steps: tuple[int, ...] = ()
    """The steps of the loops in which it is, 0-based; empty outside of loops."""


@dataclass(frozen=True)
class Side:
    """One of the two runs."""

    path: str
    interpreter: str
    framework: str
    """Name and version."""
    functions: int
    ended: str
    """How the script ended, in words; empty where it ended well."""


@dataclass(frozen=True)
class Comparison:
    """Two runs side by side."""

    old: Side
    new: Side
    functions: tuple[FunctionPair, ...]
    node: FirstNode | None = None
    """Where the first call that differs goes apart; None where none does, or it could not be found."""
    node_unknown: str = ""
    """Why it could not be found."""
    same_draws: tuple[int, int] | None = None
    """With `--same-draws`: how many draws of the new run were those of the old one, and how many its own."""

    @property
    def first(self) -> tuple[FunctionPair, Difference] | None:
        """The first function with a value that differs."""
        return next(((f, f.first) for f in self.functions if f.first is not None), None)

    @property
    def equal(self) -> bool:
        """Whether both runs compiled and called as many functions, ended alike, and no value that was compared differs; a comparison of
        nothing is not."""
        same = self.old.functions == self.new.functions and all(f.calls[0] == f.calls[1] for f in self.functions)
        return same and self.first is None and any(f.values for f in self.functions) and not (self.old.ended or self.new.ended)


KINDS = {
    "MRG31k3p": "theano.sandbox.rng_mrg",
    "RandomState": "numpy.random.RandomState",
    "Generator": "numpy.random.Generator",
}
"""Kind -> where its numbers come from."""


def generators(graph: FunctionGraph) -> tuple[str, ...]:
    """The kinds of generators of a graph and of its loops, sorted."""
    return tuple(sorted(set(_kinds(graph))))


def _kinds(graph: FunctionGraph) -> Iterator[str]:
    for entry in graph.inputs:
        kind = graph.variables[entry.variable].type
        if kind.kind is TypeKind.RANDOM:
            yield "Generator" if "Generator" in kind.text else "RandomState"
    for node in graph.applies:
        if "mrg_uniform" in node.op.name.lower():
            yield "MRG31k3p"
        if node.op.inner is not None:
            yield from _kinds(node.op.inner)
