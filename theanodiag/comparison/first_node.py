"""Searches backwards from a value that differs for the first node whose result differs although its inputs agree.

The graphs are those of one call, as the user wrote them, with the value of each Variable (`agent/record/recompute.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Optional

from ..ir.graph import Site


@dataclass(frozen=True)
class ValuedVariable:
    """A Variable of the user's graph, with its value in the compared call."""

    name: str | None
    constant: bool
    site: Site | None
    """Where an input was created; None for the result of a node."""
    shape: tuple[int, ...] | None
    """The shape; None if the value is not a numeric array or could not be computed."""
    dtype: str | None
    file: str | None
    """The file with the value; None if it was not kept."""
    state: str | None
    """Type and digest of the state of a random generator."""


@dataclass(frozen=True)
class ValuedNode:
    """A node of the user's graph (an Op applied to inputs), in the compared call."""

    op: str
    """Class name of the Op; for elementwise Ops that of the scalar Op."""
    text: str
    params: str
    """Digest of the Op's parameters, comparable within one release of a framework."""
    reads: tuple[int, ...]
    makes: tuple[int, ...]
    site: Site | None
    failure: str | None
    """Why it could not be computed; None if it was."""
    inner: tuple[ValuedGraph, ...] = ()
    """For a loop: the graphs of its first steps, with their values."""


@dataclass(frozen=True)
class ValuedGraph:
    """The user's graph in the compared call: nodes in topological order, and Variables by number."""

    nodes: tuple[ValuedNode, ...]
    variables: tuple[ValuedVariable, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    roles: tuple[str, ...] = ()
    """`shared` or `argument` for each input; empty for a step of a loop."""

    @cached_property
    def owner(self) -> Mapping[int, int]:
        """Returns Variable -> number of the node that computes it, without the inputs."""
        return {v: n for n, node in enumerate(self.nodes) for v in node.makes}


def read(document: Mapping[str, Any], roles: Sequence[str] = ()) -> ValuedGraph:
    """Builds a graph from a JSON document that `agent/record/recompute.py` wrote; `roles` are the roles of its inputs."""
    nodes = tuple(
        ValuedNode(
            str(row["op"]), str(row["text"]), str(row["params"]), tuple(row["reads"]), tuple(row["makes"]), _site(row["site"]),
            row["failure"], tuple(read(step) for step in row["inner"]),
        )
        for row in document["nodes"]
    )  # fmt: skip
    variables = tuple(
        ValuedVariable(
            row["name"], bool(row["constant"]), _site(row["site"]), None if row["shape"] is None else tuple(row["shape"]), row["dtype"],
            row["file"], row["state"],
        )
        for row in document["variables"]
    )  # fmt: skip
    return ValuedGraph(nodes, variables, tuple(document["inputs"]), tuple(document["outputs"]), tuple(roles))


def _site(row: Mapping[str, Any] | None) -> Site | None:
    return None if row is None else Site(str(row["path"]), int(row["line"]), row.get("function"), row.get("code"))


Aligned = Callable[[Optional[Site], Optional[Site]], bool]
"""Returns whether two source lines are the same line of both scripts, or lines that correspond to each other."""


FORMS = ("DimShuffle", "Cast", "TensorFromScalar", "UndefinedGrad")
"""Classes of Ops that give a constant the rank or dtype that its reader needs, or pass it on."""

SUMS = ("Add", "Sub", "Mul", "TrueDiv")
"""Scalar Ops whose result equals one input if the other is 0 or 1, so that equality with an input proves nothing."""

EMPTY = "AllocEmpty"
"""Class name of the Op whose result is uninitialised memory."""


@dataclass(frozen=True)
class Agreement:
    """Which values of two graphs are equal within the tolerance."""

    pairs: Mapping[int, Set[int]]
    """Variable of the old graph -> Variables of the new one with its value."""
    weak: tuple[Set[int], Set[int]] = (frozenset(), frozenset())
    """Variables of each graph whose value, such as all zeros, is too common to identify them."""
    back: Mapping[int, Set[int]] = field(init=False)
    """Variable of the new graph -> Variables of the old one with its value."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "back", _turned(self.pairs))


def _turned(pairs: Mapping[int, Set[int]]) -> dict[int, Set[int]]:
    """The inverse mapping: new Variable -> old Variables."""
    back: dict[int, set[int]] = {}
    for old, news in pairs.items():
        for new in news:
            back.setdefault(new, set()).add(old)
    return dict(back)


Judge = Callable[[ValuedGraph, ValuedGraph], Agreement]
"""Compares the values of two graphs, Variable by Variable."""


@dataclass(frozen=True)
class FirstDifference:
    """The first place at which two graphs differ: a Variable of each graph, by number; None if that run has no such value."""

    graphs: tuple[ValuedGraph, ValuedGraph]
    old: int | None
    new: int | None
    steps: tuple[int, ...] = ()
    """Step numbers (0-based) of the loops that contain the difference; empty outside of loops."""
    loops: tuple[Site | None, Site | None] = (None, None)
    """In each run, the source line of the innermost loop that contains the difference: PyTensor does not record lines of nodes inside
    loops.
    """


def first(
    old: ValuedGraph, new: ValuedGraph, values: tuple[int | None, int | None], judge: Judge, aligned: Aligned, steps: tuple[int, ...] = ()
) -> FirstDifference:
    """Searches for the first difference, backwards from two values that differ. A value is None if that run does not have it."""
    if values[0] is None or values[1] is None:
        return FirstDifference((old, new), *values, steps)
    search = _NodeSearch(old, new, judge(old, new), aligned)
    pair = search.pair(values[0], values[1])
    inside = search.scans(pair)
    return (_inside(inside, judge, aligned, steps) if inside else None) or FirstDifference((old, new), *pair, steps)


def _inside(nodes: tuple[ValuedNode, ValuedNode], judge: Judge, aligned: Aligned, steps: tuple[int, ...]) -> FirstDifference | None:
    """The first difference in the first steps of two loops; None if these steps agree."""
    for step, (old, new) in enumerate(zip(nodes[0].inner, nodes[1].inner)):
        if len(old.outputs) != len(new.outputs):
            return None
        agreement = judge(old, new)
        apart = [
            (a, b) for a, b in zip(old.outputs, new.outputs) if _known(old, a) and _known(new, b) and b not in agreement.pairs.get(a, ())
        ]
        if apart:
            difference = first(old, new, apart[0], judge, aligned, (*steps, step))
            return difference if any(difference.loops) else replace(difference, loops=(nodes[0].site, nodes[1].site))
    return None


def _known(graph: ValuedGraph, variable: int) -> bool:
    return graph.variables[variable].shape is not None


class _NodeSearch:
    """A search through two graphs, backwards from values that differ."""

    def __init__(self, old: ValuedGraph, new: ValuedGraph, agreement: Agreement, aligned: Aligned) -> None:
        self.graphs, self.agreement, self.aligned = (old, new), agreement, aligned
        self.partners = partners(old, new)
        self.leaves = (dict(self.partners), {b: a for a, b in self.partners.items()})
        twins = dict(_twins(old, new, self.partners, agreement))
        self.twins: tuple[Mapping[int, Set[int]], Mapping[int, Set[int]]] = (twins, _turned(twins))

    def pair(self, a: int, b: int) -> tuple[int | None, int | None]:
        """Returns a pair of Variables, one of each graph: the outputs of the first nodes that differ, or the first inputs that do. In place
        of a missing graph there is None.
        """
        olds, news = ([*self._sources(side, (a, b)[side])] for side in (0, 1))
        if not olds and not news:
            return a, b
        if not news:
            return min(olds), None
        if not olds:
            return None, min(news)
        return max(((x, y) for x in olds for y in news), key=lambda p: (self._likeness(*p), -p[0], -p[1]))

    def scans(self, pair: tuple[int | None, int | None]) -> tuple[ValuedNode, ValuedNode] | None:
        """Returns the two loops that compute `pair` (old, new); None if one of the Variables is not computed by a loop."""
        nodes = [None if v is None else self._node(side, v) for side, v in enumerate(pair)]
        old, new = nodes
        return (old, new) if old is not None and new is not None and old.inner and new.inner else None

    def _node(self, side: int, variable: int) -> ValuedNode | None:
        number = self.graphs[side].owner.get(variable)
        return None if number is None else self.graphs[side].nodes[number]

    def _sources(self, side: int, start: int) -> Iterator[int]:
        """Yields the Variables above `start` that differ between the runs although all inputs of their nodes agree."""
        seen, open_ = {start}, [start]
        while open_:
            variable = open_.pop()
            if variable != start and self._agrees(side, variable):  # that `start` differs is known, whatever else has its value
                continue
            node = self._node(side, variable)
            reads = () if node is None else node.reads
            behind = [v for v in reads if not self._agrees(side, v)]
            if not behind and (node is None or node.failure is None):
                yield variable
            open_ += [v for v in behind if v not in seen]
            seen.update(behind)

    def _agrees(self, side: int, variable: int) -> bool:
        """Whether the other run has the value of a Variable; also True where that cannot be determined."""
        row, node = self.graphs[side].variables[variable], self._node(side, variable)
        if row.constant or self._only_constants(side, node):
            return True
        if node is None:
            return self._same_leaf(side, variable)
        if row.shape is None or node.op == EMPTY:
            return node.failure is None
        if row.file is None:
            return False
        alike = (self.agreement.pairs, self.agreement.back)[side].get(variable, frozenset())
        twins = self.twins[side].get(variable)
        if twins:
            return any(v in alike for v in twins)
        if variable in self.agreement.weak[side] or (node.op in SUMS and all(self._node(1 - side, v) is None for v in alike)):
            return any(self._alike(side, node, v) for v in alike)
        return bool(alike)

    def _only_constants(self, side: int, node: ValuedNode | None) -> bool:
        """Whether a node gives constants another form only: they belong to the node that reads them."""
        return node is not None and node.op in FORMS and all(self.graphs[side].variables[v].constant for v in node.reads)

    def _alike(self, side: int, node: ValuedNode, other: int) -> bool:
        """Whether a Variable of the other graph may be what `node` computes: by its Op or its line."""
        theirs = self._node(1 - side, other)
        return theirs is not None and (theirs.op == node.op or self._on_one_line(side, node, theirs))

    def _on_one_line(self, side: int, node: ValuedNode, theirs: ValuedNode) -> bool:
        return self.aligned(node.site, theirs.site) if side == 0 else self.aligned(theirs.site, node.site)

    def _same_leaf(self, side: int, variable: int) -> bool:
        """Whether an input has the same value in both runs; also True where the other run has no such input, or the values cannot be
        compared.
        """
        partner = self.leaves[side].get(variable)
        if partner is None:
            return True
        mine, other = self.graphs[side].variables[variable], self.graphs[1 - side].variables[partner]
        if mine.state and other.state:
            return mine.state == other.state or mine.state.partition(":")[0] != other.state.partition(":")[0]
        if mine.shape is None or other.shape is None or mine.file is None or other.file is None:
            return True
        return partner in (self.agreement.pairs, self.agreement.back)[side].get(variable, frozenset())

    def _likeness(self, a: int, b: int) -> int:
        """How well two Variables that differ correspond."""
        old, new = self._node(0, a), self._node(1, b)
        if old is None or new is None:
            return 10 if self.partners.get(a) == b else 0
        same_inputs = all(
            any(y == self.partners.get(x) or y in self.agreement.pairs.get(x, ()) for y in new.reads)
            for x in old.reads
            if not self.graphs[0].variables[x].constant
        )
        return 4 * self.aligned(old.site, new.site) + 3 * same_inputs + 2 * (old.op == new.op)


def partners(old: ValuedGraph, new: ValuedGraph) -> dict[int, int]:
    """Returns a mapping: input of the old graph -> corresponding input of the new graph. Arguments correspond by position, shared variables
    by name, or by order if they have none.
    """
    if not old.roles or not new.roles:
        return dict(zip(old.inputs, new.inputs)) if len(old.inputs) == len(new.inputs) else {}
    pairs: dict[int, int] = {}
    for role in ("argument", "shared"):
        sides = [[v for v, r in zip(graph.inputs, graph.roles) if r == role] for graph in (old, new)]
        if role == "argument" and len(sides[0]) == len(sides[1]):
            pairs.update(zip(*sides))
            continue
        names = [{graph.variables[v].name: v for v in side} for graph, side in zip((old, new), sides)]
        named = {name for name in names[0] if name is not None and name in names[1]}
        pairs.update({names[0][name]: names[1][name] for name in named})
        rests = [[v for v in side if graph.variables[v].name not in named] for graph, side in zip((old, new), sides)]
        if len(rests[0]) == len(rests[1]):
            pairs.update(zip(*rests))
    return pairs


def _twins(old: ValuedGraph, new: ValuedGraph, leaves: Mapping[int, int], agreement: Agreement) -> Iterator[tuple[int, Set[int]]]:
    """Yields (Variable of the old graph, Variables of the new graph that are made by the same Op with the same parameters from the same
    inputs).
    """
    twins: dict[int, set[int]] = {a: {b} for a, b in leaves.items()}
    by_op: dict[tuple[str, str, int], list[ValuedNode]] = {}
    for node in new.nodes:
        by_op.setdefault((node.op, node.params, len(node.reads)), []).append(node)

    def same(x: int, y: int) -> bool:
        a, b = old.variables[x], new.variables[y]
        if a.constant != b.constant:
            return False
        if a.constant:
            return (a.shape is None and b.shape is None and a.name == b.name) or y in agreement.pairs.get(x, ())
        return y in twins.get(x, ())

    for node in old.nodes:
        matches = [n for n in by_op.get((node.op, node.params, len(node.reads)), ()) if all(map(same, node.reads, n.reads))]
        for position, variable in enumerate(node.makes):
            counterparts = {n.makes[position] for n in matches if position < len(n.makes)}
            if counterparts:
                twins[variable] = counterparts
                yield variable, counterparts


def node_text(graph: ValuedGraph, variable: int) -> tuple[str, Site | None]:
    """Returns the text of the node that computes a Variable, or of the input that it is, and its source line."""
    number = graph.owner.get(variable)
    if number is not None:
        return graph.nodes[number].text, graph.nodes[number].site
    row = graph.variables[variable]
    role = dict(zip(graph.inputs, graph.roles)).get(variable, "input")
    return f"{role} {row.name or '(no name)'}", row.site


def lines_that_stand_for_each_other(blocks: Sequence[tuple[str, int, int, int, int]]) -> Callable[[int, int], bool]:
    """Returns a function that decides whether a line of the old source corresponds to a line of the new source; `blocks` are difflib
    opcodes.
    """

    def stand(old: int, new: int) -> bool:
        for tag, a, b, c, d in blocks:
            if a <= old - 1 < b:
                return c <= new - 1 < d and (tag != "equal" or old - a == new - c)
        return False

    return stand


# Estimates how far rounding alone may change each value of a graph, from the magnitudes of its values.
#
# Where a sum cancels (the gradient of a bias before a normalisation is zero but for rounding) what is left has the size of the rounding of
# its terms: it may differ by as much, however small it is itself. Each node adds the rounding of its own result, or of its terms where it
# sums, and passes on that of its inputs, multiplied by its sensitivity to them. An Op without an entry here passes on the largest
# relative one. The magnitudes are the largest of each array, so that the bounds are on the large side of what rounding does, and far below
# what another computation does.


EPSILON = {"float16": 9.8e-4, "float32": 1.2e-7, "float64": 2.3e-16, "complex64": 1.2e-7, "complex128": 2.3e-16}
"""dtype -> distance from 1 to the next number (one unit in the last place)."""
SLACK = 16.0
"""Rounding error that each node may add, in units of a value's own rounding: for another summation order or another library's function."""


@dataclass(frozen=True)
class Scale:
    """The magnitude of an array: its largest and smallest absolute value, and its number of elements."""

    largest: float
    smallest: float
    size: float


_SUMS = ("Add", "Sub")
_MOVES = frozenset((
    "DimShuffle", "Reshape", "Subtensor", "AdvancedSubtensor", "AdvancedSubtensor1", "Join", "Alloc", "Cast", "TensorFromScalar", "Neg",
    "ScalarFromTensor", "Switch", "MakeVector", "Rebroadcast", "SpecifyShape", "Split", "Identity", "Second", "Maximum", "Minimum", "Abs",
    "Clip", "IncSubtensor", "AdvancedIncSubtensor", "AdvancedIncSubtensor1", "Unbroadcast", "ExtractDiag", "Tanh", "Sigmoid", "Sin", "Cos",
))  # fmt: skip
"""Class names of Ops whose result differs by no more than their inputs differ."""
_PRODUCTS = frozenset(("Dot", "Dot22", "Gemm", "Gemv", "Ger", "BatchedDot", "Dot22Scalar", "MatMul", "Matmul"))


def bounds(graph: ValuedGraph, scales: Mapping[int, Scale]) -> dict[int, float]:
    """Returns Variable -> the largest difference from its value that rounding explains; 0 if nothing is known about its value."""
    limits: dict[int, float] = {}
    for number, variable in enumerate(graph.variables):
        if number not in graph.owner and number in scales:
            limits[number] = EPSILON.get(str(variable.dtype), 0.0) * scales[number].largest
    for node in graph.nodes:
        reads = [(scales.get(v, Scale(0.0, 0.0, 1.0)), limits.get(v, 0.0)) for v in node.reads]
        for output in node.makes:
            epsilon = EPSILON.get(str(graph.variables[output].dtype), 0.0)
            if output in scales and epsilon:
                terms, handed_on = _of_node(node, reads, scales[output])
                limits[output] = SLACK * epsilon * max(terms, scales[output].largest) + handed_on
    return limits


def _of_node(node: ValuedNode, reads: Sequence[tuple[Scale, float]], result: Scale) -> tuple[float, float]:
    """The largest sum of magnitudes that a node adds up, and the rounding of its inputs that it passes on."""
    sizes, held = [scale.largest for scale, _ in reads], [bound for _, bound in reads]
    if node.op in _SUMS and len(reads) == 1:  # a reduction
        terms = max(1.0, reads[0][0].size / max(result.size, 1.0))
        return terms * sizes[0], terms * held[0]
    if node.op in _SUMS:
        return sum(sizes), sum(held)
    if node.op == "Mul" and len(reads) > 1:
        return 0.0, sum(bound * _product(sizes, n) for n, bound in enumerate(held))
    if node.op in ("TrueDiv", "IntDiv") and len(reads) == 2 and reads[1][0].smallest > 0:
        least = reads[1][0].smallest
        return 0.0, held[0] / least + sizes[0] * held[1] / least**2
    if node.op == "Sqr":
        return 0.0, 2 * sizes[0] * held[0]
    if node.op == "Sqrt" and reads[0][0].smallest > 0:
        return 0.0, held[0] / (2 * reads[0][0].smallest ** 0.5)
    if node.op in ("Log", "Log1p") and reads[0][0].smallest > 0:
        return 0.0, held[0] / reads[0][0].smallest
    if node.op == "Exp":
        return 0.0, result.largest * held[0]
    if node.op in _PRODUCTS and len(reads) >= 2:
        inner = max(1.0, (reads[-1][0].size * reads[-2][0].size / max(result.size, 1.0)) ** 0.5)
        return inner * sizes[-1] * sizes[-2] + sum(sizes[:-2]), inner * (sizes[-1] * held[-2] + sizes[-2] * held[-1]) + sum(held[:-2])
    if node.op in _MOVES:
        return 0.0, max(held, default=0.0)
    return 0.0, result.largest * max((bound / size for bound, size in zip(held, sizes) if size), default=0.0)


def _product(sizes: Sequence[float], left_out: int) -> float:
    product = 1.0
    for number, size in enumerate(sizes):
        product *= 1.0 if number == left_out else size
    return product
