"""The result of a comparison: for each function which values were equal, the first that was not, and the random generators it used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..ir.graph import FunctionGraph, Site, TypeKind


@dataclass(frozen=True)
class Tolerance:
    """The allowed difference of a value, relative to the largest magnitude in its array."""

    relative: float | None = None
    """Relative tolerance; None: the default for the dtype, `RELATIVE`."""
    absolute: float = 0.0

    def holds(self, dtype: str, absolute: float | None, scale: float) -> bool:
        """Returns whether a difference is within the tolerance; `absolute` is None if it is infinite, `scale` is the largest magnitude in
        the array.
        """
        relative = self.relative if self.relative is not None else RELATIVE.get(dtype, 0.0)
        return absolute is not None and absolute <= max(self.absolute, relative * scale)


MAY_ROUND = {"float16": 6e-2, "float32": 8e-6, "float64": 1.5e-14, "complex64": 8e-6, "complex128": 1.5e-14}
"""dtype -> relative difference up to which rounding is examined as the cause: about 64 units in the last place, relative to the largest
magnitude of the call."""
RELATIVE = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-10, "complex64": 1e-4, "complex128": 1e-10}
"""dtype -> default relative tolerance; integers and booleans must be equal."""


@dataclass(frozen=True)
class Difference:
    """A value of a call that differs between the runs."""

    call: int
    """Number of the call of its function, 0-based."""
    value: str
    """`output 0`, or `W after the update`."""
    why: str
    """Description of how the two values differ."""
    absolute: float | None = None
    """The largest difference; None where it is infinite or the shapes differ."""
    relative: float | None = None
    """The largest difference, relative to the largest magnitude of the first run."""
    at: tuple[int, ...] | None = None
    """Index of the element that differs most."""
    places: tuple[int | None, int | None] = (None, None)
    """In each run the position among the graph's outputs, with updates counted after the returned ones; None if a run has no such value."""
    dtype: str | None = None
    """The dtype in the old run."""


@dataclass(frozen=True)
class FunctionPair:
    """One compiled function in both runs, paired by compilation order. In each pair of figures the old run's comes first."""

    index: int
    names: tuple[str, str]
    nodes: tuple[int, int]
    """Number of nodes of the optimized graphs."""
    calls: tuple[int, int]
    """Number of recorded calls of the function."""
    seconds: tuple[float, float]
    """Total time of the recorded calls, in seconds."""
    peaks: tuple[int | None, int | None] = (None, None)
    """Peak of live bytes that `check` predicts for the call that needs most; None if it was not called."""
    draws: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    """The kinds of random generators that it uses."""
    values: int = 0
    """Number of values that were compared."""
    absolute: float = 0.0
    """The largest difference among those within the tolerance."""
    relative: float = 0.0
    first: Difference | None = None
    """The first value, in the order of calls, that differs; None where none does."""
    suspects: tuple[Difference, ...] = ()
    """Differences of earlier values that may be rounding errors."""
    rounding: tuple[str, ...] = ()
    """Values whose difference is explained by rounding in what they are computed from, although it is a large part of the value."""
    unread: tuple[str, ...] = ()
    """Values of which only dtype and shape were compared: sparse matrices, and arrays that are too large to keep."""


@dataclass(frozen=True)
class NodeShown:
    """A node or input of the graph as the user wrote it."""

    text: str
    """The node or input, as printed by its framework."""
    site: Site | None
    """The user's line that created it, or the loop that contains it."""
    dtype: str | None
    shape: tuple[int, ...] | None


@dataclass(frozen=True)
class FirstNode:
    """The first node whose value differs although its inputs agree."""

    function: int
    call: int
    """Number of the call of its function, 0-based."""
    value: str
    """The output or update from which the search went backwards."""
    old: NodeShown | None
    """None where the old run has no such node."""
    new: NodeShown | None
    absolute: float | None = None
    """The largest difference; None if shapes differ, it is infinite, or a run has no such node."""
    relative: float | None = None
    steps: tuple[int, ...] = ()
    """Step numbers of the loops that contain it, 0-based; empty outside of loops."""


@dataclass(frozen=True)
class Side:
    """One of the two runs: its script, its interpreter and how it ended."""

    path: str
    interpreter: str
    framework: str
    """Name and version of the run's framework."""
    functions: int
    ended: str
    """How the script ended, in words; empty if it finished normally."""
    lent: bool = False
    """Whether the script imports theanodiag although its interpreter lacks it, so that this program's own was made importable for the
    run.
    """


@dataclass(frozen=True)
class Comparison:
    """The comparison of the values that two runs computed."""

    old: Side
    new: Side
    functions: tuple[FunctionPair, ...]
    node: FirstNode | None = None
    """The first node that differs; None if no call differs, or it could not be found."""
    node_unknown: str = ""
    """Why the first differing node could not be found."""
    same_draws: tuple[int, int] | None = None
    """With `--same-draws`: how many draws of the new run were taken from the old run, and how many were its own."""

    @property
    def first(self) -> tuple[FunctionPair, Difference] | None:
        """Returns the first function of which a value differs, and that value; None if all are equal."""
        return next(((f, f.first) for f in self.functions if f.first is not None), None)

    @property
    def equal(self) -> bool:
        """Whether the comparison found no difference: both runs compiled and called the same number of functions, ended in the same way,
        and no compared value differs. False if nothing was compared.
        """
        same = self.old.functions == self.new.functions and all(f.calls[0] == f.calls[1] for f in self.functions)
        return same and self.first is None and any(f.values for f in self.functions) and not (self.old.ended or self.new.ended)


KINDS = {
    "MRG31k3p": "theano.sandbox.rng_mrg",
    "RandomState": "numpy.random.RandomState",
    "Generator": "numpy.random.Generator",
}
"""Kind of generator -> where its numbers come from."""


def generators(graph: FunctionGraph) -> tuple[str, ...]:
    """Returns the kinds of random generators that a graph and its loops use, sorted."""
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
