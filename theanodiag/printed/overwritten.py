"""Infers which nodes of a compiled PyTensor function overwrite an input, which PyTensor from 2.12 on does not print.

The rewrite tries, for each Elemwise, pairs of an output and an unprotected input of the same type, and keeps a pair unless it would create
a cycle; outputs and arguments of the graph are protected, updated shared variables are not. Source: PyTensor 3.3.7
tensor/rewriting/elemwise.py `InplaceGraphOptimizer`, graph/destroyhandler.py `inplace_candidates`, tensor/rewriting/subtensor.py. The
printed order numbers already reflect the outcome: a node that reads a value last could overwrite it, and then does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

from ..ir import Apply, FunctionGraph, Type, TypeKind, Variable
from ..ops import IndexMap

# Orders the nodes of a printed graph, and finds those that must follow others whose inputs they overwrite.

Edges = Sequence[Sequence[int]]
"""For each node, numbers of other nodes or of Variables."""


def readers_before(inputs: Edges, outputs: Edges, views: Sequence[IndexMap], destroys: Sequence[IndexMap]) -> list[tuple[int, ...]]:
    """Returns for each node that overwrites an input the nodes that must run before it, because they read the same memory (that input or a
    view of it). Source: Theano 1.0.5 gof/destroyhandler.py, `orderings`.
    """
    root: dict[int, int] = {}
    for node, view in enumerate(views):
        for out, ins in view.items() if view else ():
            source = inputs[node][ins[0]]
            root[outputs[node][out]] = root.get(source, source)
    first: dict[int, int] = {}
    for node, destroy in enumerate(destroys):
        for ins in destroy.values() if destroy else ():
            for at in ins:
                source = inputs[node][at]
                first.setdefault(root.get(source, source), node)
    readers: dict[int, dict[int, None]] = {}
    for node, row in enumerate(inputs) if first else ():
        for variable in row:
            base = root.get(variable, variable) if root else variable
            if base in first and first[base] != node:
                readers.setdefault(first[base], {})[node] = None
    return [tuple(readers[node]) if node in readers else () for node in range(len(inputs))]


def schedule(inputs: Edges, before: Edges) -> list[int]:
    """Sorts nodes topologically by `inputs` (numbers of nodes); each also comes after the nodes in `before` where that is possible."""
    order: list[int] = []
    state = [0] * len(inputs)  # 0 new, 1 open, 2 placed
    for first in range(len(inputs)):
        stack = [(first, iter((*inputs[first], *before[first])))] if not state[first] else []
        state[first] = state[first] or 1
        while stack:
            node, rest = stack[-1]
            below = next((n for n in rest if state[n] == 0), None)
            if below is None:
                stack.pop()
                state[node] = 2
                order.append(node)
            else:
                state[below] = 1
                stack.append((below, iter((*inputs[below], *before[below]))))
    return order


def fits(order: Sequence[int], owners: Edges) -> bool:
    """Returns whether `order` is topological: each node comes after those that make its inputs."""
    done = bytearray(len(order))
    for node in order:
        for owner in owners[node]:
            if not done[owner]:
                return False
        done[node] = 1
    return True


# The inputs that a fused loop of PyTensor 3.3 may overwrite, according to its inner graph (PyTensor 3.3.7
# tensor/rewriting/fused_elemwise.py, `FuseElemwise`): inputs that are read through an index are protected; a result that is summed up
# overwrites nothing; one that is written through an index always overwrites its target. If this forbids what the loop overwrote before
# fusion, inputs are chosen again, without preferring those that are updated.

FUSED = frozenset({"FusedElemwise", "IndexedElemwise"})
"""Loops that PyTensor fuses from several nodes after choosing in-place nodes, part of which it then chooses again."""
_NUMBER = re.compile(r"i(\d{1,4})$")
_WRITES = ("AdvancedIncSubtensor", "AdvancedIncSubtensor1")


class Loop(NamedTuple):
    """The inputs and outputs of a loop that PyTensor fused from several nodes."""

    inputs: frozenset[int]
    """Positions of the inputs that the loop reads elementwise."""
    writes: IndexMap
    """Outputs that always overwrite an input, since they are written through an index."""
    reads: tuple[tuple[int | None, Type], ...]
    """What the loop reads: (position among the inputs or None if picked by an index, type inside the loop) of each."""
    makes: tuple[tuple[int | None, Type], ...]
    """What the loop computes: (position among the outputs or None if reduced or written through an index, type) of each."""

    def is_complete_for(self, n_inputs: int, n_outputs: int) -> bool:
        """Returns whether a node with these numbers of inputs and outputs has everything that the loop reads and writes. In a damaged text
        some may be missing.
        """
        read = (at for at, _ in self.reads if at is not None)
        results = (at for at, _ in self.makes if at is not None)
        ins = (*read, *(i for row in self.writes.values() for i in row))
        return max(ins, default=-1) < n_inputs and max((*results, *self.writes), default=-1) < n_outputs


def loops_of(names: Sequence[str], inner: Mapping[int, FunctionGraph]) -> dict[int, Loop]:
    """Returns the layouts of the fused loops, by node, as far as they can be parsed; `names` are the class names of all nodes, `inner`
    their inner graphs.
    """
    return {i: loop for i, graph in inner.items() if names[i] in FUSED and (loop := loop_of(graph)) is not None}


def loop_of(inner: FunctionGraph) -> Loop | None:
    """Returns the layout of a fused loop, from its inner graph; None if that cannot be parsed."""
    numbers = {i.variable: int(m[1]) for i in inner.inputs if (m := _NUMBER.match(inner.variables[i.variable].name or ""))}
    cores = [node for node in inner.applies if node.op.name == "Elemwise"]
    if len(cores) != 1 or len(numbers) != len(inner.inputs):
        return None
    plain, writes = {}, {}
    for k, v in enumerate(inner.outputs):
        maker = inner.maker(v)
        if maker is cores[0]:
            plain[v] = k
        elif maker is not None and maker.op.name in _WRITES and maker.inputs and maker.inputs[0] in numbers:
            writes[k] = (numbers[maker.inputs[0]],)
    reads = tuple(_reads(inner, cores[0], numbers))
    makes = tuple((plain.get(v), inner.variables[v].type) for v in _originals(cores[0]))
    return Loop(frozenset(at for at, _ in reads if at is not None), writes, reads, makes)


def unmoved(inner: FunctionGraph, variable: int) -> int:
    """Returns the Variable to which a DimShuffle adds dimensions; `variable` itself if no such DimShuffle computed it."""
    maker = inner.maker(variable)
    return maker.inputs[0] if maker is not None and maker.inputs and maker.op.name == "DimShuffle" else variable


def _reads(inner: FunctionGraph, core: Apply, numbers: Mapping[int, int]) -> Iterator[tuple[int | None, Type]]:
    """Yields what the loop reads, behind Ops that only add dimensions."""
    for v in core.inputs:
        source = unmoved(inner, v)
        maker = inner.maker(source)
        if source in numbers or (maker is not None and maker.op.name in ("AdvancedSubtensor", "AdvancedSubtensor1")):
            yield numbers.get(source), inner.variables[v].type


def _originals(core: Apply) -> Iterator[int]:
    """Yields the results that the loop had before fusion, without duplicates."""
    scalars = core.op.inner.outputs if core.op.inner is not None else ()
    for k, v in enumerate(core.outputs):
        if len(scalars) != len(core.outputs) or scalars[k] not in scalars[:k]:
            yield v


UPDATES = frozenset({"IncSubtensor", "AdvancedIncSubtensor", "AdvancedIncSubtensor1"})
"""Ops that are printed alike whether they work in place or not; in place they overwrite input 0."""
ELEMENTWISE = frozenset({"Elemwise", "FusedElemwise", "IndexedElemwise", "ScalarizedElemwise"})
"""Ops that may overwrite any input with the type of an output."""
INFERRED = UPDATES | ELEMENTWISE
"""Ops for which a text may not say what they overwrite."""
_HIDDEN = INFERRED - {"AdvancedIncSubtensor1"}
"""Ops for which no text of a compiled function says what they overwrite."""
LARGE = 500
"""Number of nodes above which scalars are not overwritten."""


@dataclass(frozen=True)
class OverwritePlan:
    """The parts of a graph that the inference of overwritten inputs needs; nodes and Variables are numbers."""

    order: Sequence[int]
    """The nodes in printed order."""
    names: Sequence[str]
    """Class name of each node."""
    inputs: Sequence[Sequence[int]]
    """Variables that each node reads."""
    outputs: Sequence[Sequence[int]]
    """Variables that each node makes."""
    views: Sequence[IndexMap]
    """view_map of each node."""
    destroys: Sequence[IndexMap]
    """destroy_map of each node, as far as the text shows it."""
    variables: Sequence[Variable]
    """The Variables, by number."""
    results: Sequence[int]
    """The outputs of the graph."""
    loops: Mapping[int, Loop] = field(default_factory=dict)
    """Fused loops, by node."""
    scalars: Sequence[object] = ()
    """The scalar Op of each elementwise node."""
    inner: Mapping[int, FunctionGraph] = field(default_factory=dict)
    """Inner graphs, by node."""
    adding: dict[tuple[int, int, int], bool] = field(default_factory=dict)
    """Cache for whether an output of an inner graph adds to an input, by `id()` of the graph and both numbers."""

    def ordered(self, order: Sequence[int]) -> OverwritePlan:
        """Returns a copy of the plan with another order of nodes."""
        return replace(self, order=order)

    @cached_property
    def owners(self) -> Sequence[int]:
        """For each Variable, the node that computes it; -1 for inputs."""
        return [-1 if v.owner is None else v.owner for v in self.variables]

    @cached_property
    def makers(self) -> Sequence[Sequence[int]]:
        """For each node, the nodes that compute its inputs."""
        owners = self.owners
        return [[owner for v in row if (owner := owners[v]) >= 0] for row in self.inputs]

    @cached_property
    def returned(self) -> frozenset[int]:
        """The Variables that are outputs of the graph."""
        return frozenset(self.results)

    @cached_property
    def arrays(self) -> Sequence[int]:
        """The outputs of the graph that are not states of random generators."""
        return [v for v in self.results if self.variables[v].type.kind is not TypeKind.RANDOM]

    def root(self, variable: int) -> int:
        """Returns the Variable that owns the memory of `variable`: the one of which it is a view, or itself."""
        return self._roots.get(variable, variable)

    @cached_property
    def _roots(self) -> dict[int, int]:
        roots: dict[int, int] = {}
        for node in self.order:
            for out, ins in self.views[node].items():
                source = self.inputs[node][ins[0]]
                roots[self.outputs[node][out]] = roots.get(source, source)
        return roots

    @cached_property
    def bases(self) -> Sequence[Sequence[int]]:
        """For each node, the Variables that own the memory of its inputs."""
        roots = self._roots
        return [[roots.get(v, v) for v in row] for row in self.inputs] if roots else self.inputs

    @cached_property
    def hidden(self) -> Sequence[int]:
        """Returns the nodes whose destroy_map is never printed in the text of a compiled function."""
        return [node for node in self.order if self.names[node] in _HIDDEN]

    @cached_property
    def taken(self) -> frozenset[int]:
        """Variables (owners of memory) that no hidden node may overwrite: outputs of the graph, and those that other nodes overwrite."""
        by_text = (n for n in self.order if self.destroys[n] and self.names[n] not in _HIDDEN)
        return frozenset(map(self.root, self.results)).union(
            self.bases[n][i] for n in by_text for ins in self.destroys[n].values() for i in ins
        )

    @cached_property
    def ends(self) -> Mapping[int, Sequence[int]]:
        """Returns for each hidden node the positions of the inputs that no later node reads. The node may overwrite these inputs, unless
        they are inputs of the function.
        """
        last, taken, bases = self.last, self.taken, self.bases
        return {
            node: self.alone(node, [i for i, base in enumerate(bases[node]) if last[base] == node and base not in taken])
            for node in self.hidden
        }

    def alone(self, node: int, among: Sequence[int]) -> Sequence[int]:
        """Returns those positions in `among` whose inputs share no memory with other inputs of the node. In a fused loop these are only
        inputs that are read elementwise.
        """
        bases, loop = self.bases[node], self.loops.get(node)
        if loop is not None:
            among = [i for i in among if i in loop.inputs]
        return [i for i in among if bases.count(bases[i]) == 1] if among and len(bases) > 1 else among

    @cached_property
    def places(self) -> Mapping[int, int]:
        """Node -> its position in `order`."""
        return {node: place for place, node in enumerate(self.order)}

    @cached_property
    def last(self) -> Mapping[int, int]:
        """Variable (owner of memory) -> the last node that reads it or a view of it."""
        bases, last = self.bases, dict[int, int]()
        for node in self.order:
            for base in bases[node]:
                last[base] = node
        return last

    @cached_property
    def readers(self) -> Mapping[int, list[int]]:
        """Variable (owner of memory) -> the nodes that read it or a view of it."""
        table: dict[int, list[int]] = {}
        for node in self.order:
            for base in dict.fromkeys(self.bases[node]):
                table.setdefault(base, []).append(node)
        return table

    @cached_property
    def clients(self) -> Mapping[int, list[int]]:
        """Variable -> the nodes that read it."""
        table: dict[int, list[int]] = {}
        for node in self.order:
            for v in dict.fromkeys(self.inputs[node]):
                table.setdefault(v, []).append(node)
        return table


_NOTHING: IndexMap = {}
Allowed = Callable[[int, int], bool]
"""Returns whether output number `out` may overwrite input number `i`."""


class Inferred(NamedTuple):
    """The inferred destroy maps, for one hypothesis about which inputs of the function are updated."""

    destroy: Mapping[int, IndexMap]
    """Node -> its inferred destroy_map."""
    updated: frozenset[int]
    """The inputs of the function that are assumed to be updated."""


def infer(plan: OverwritePlan, updated: frozenset[int], known: Inferred | None = None) -> Inferred:
    """Infers the destroy_map of each hidden node, under the hypothesis that the inputs `updated` of the function are updated.

    `known` is the result for another hypothesis: only nodes whose result could differ are inferred again.
    """
    destroys: dict[int, IndexMap] = {}
    heirs = _Heirs(plan, updated, destroys)
    if known is None:
        for node in plan.hidden:
            destroys[node] = _overwritten(plan, node, updated, heirs)
        return Inferred(destroys, updated)
    destroys.update(known.destroy)
    places, readers = plan.places, plan.readers
    todo = bytearray(len(plan.order))  # 1 at the position of each node to be examined: readers come after the nodes they read
    for v in known.updated ^ updated:
        for reader in readers.get(v, ()):
            todo[places[reader]] = reader in destroys
    place = todo.find(1)
    while place >= 0:
        node = plan.order[place]
        destroy = _overwritten(plan, node, updated, heirs)
        if destroy != destroys[node]:
            destroys[node] = destroy
            for v in plan.outputs[node]:
                for reader in readers.get(v, ()):
                    todo[places[reader]] = reader in destroys
        place = todo.find(1, place + 1)
    return Inferred(destroys, updated)


@dataclass(frozen=True)
class _Heirs:
    """The Variables whose value is in the memory of an updated input: results of nodes that overwrite one."""

    plan: OverwritePlan
    updated: frozenset[int]
    destroy: Mapping[int, IndexMap]

    def __contains__(self, variable: object) -> bool:
        owner = self.plan.owners[variable] if isinstance(variable, int) else -1
        bases = self.plan.bases[owner] if owner >= 0 else ()
        return any(bases[i] in self.updated for ins in self.destroy.get(owner, _NOTHING).values() for i in ins)


def _overwritten(plan: OverwritePlan, node: int, updated: frozenset[int], heirs: Container[int]) -> IndexMap:
    """The destroy_map of a node, chosen among the inputs of which it is the last reader."""
    ends = plan.ends[node]
    free = unprotected(plan, node, updated, ends) if ends else []
    return choose(plan, node, free, updated, heirs) if free or node in plan.loops else _NOTHING


def candidates(plan: OverwritePlan, node: int, updated: frozenset[int]) -> list[int]:
    """Returns the positions of the inputs that a node could overwrite if no other node read them."""
    return unprotected(plan, node, updated, plan.alone(node, range(len(plan.bases[node]))))


def unprotected(plan: OverwritePlan, node: int, updated: frozenset[int], among: Iterable[int]) -> list[int]:
    """Those positions in `among` at which the node reads a computed Variable or an input of the function that is in `updated`."""
    bases, owners = plan.bases[node], plan.owners
    return [i for i in among if owners[(base := bases[i])] >= 0 or base in updated]


@lru_cache(maxsize=256)
def _over(at: int) -> IndexMap:
    """The map of output 0 overwriting input `at`; one object for all nodes."""
    return {0: (at,)}


def choose(
    plan: OverwritePlan,
    node: int,
    free: list[int],
    updated: frozenset[int],
    heirs: Container[int] = frozenset(),
    allowed: Allowed | None = None,
) -> IndexMap:
    """Chooses the destroy_map of a node. Each output overwrites the first of the inputs `free` (positions) that has its type.

    Outputs of the function choose first: an input in `updated`, else one of the `heirs`, which are stored in the memory of such an input,
    else any. `allowed` can forbid pairs.
    """
    if plan.names[node] in UPDATES:
        return _over(0) if 0 in free and (allowed is None or allowed(0, 0)) else _NOTHING
    loop, inputs, outputs, variables = plan.loops.get(node), plan.inputs[node], plan.outputs[node], plan.variables
    if loop is not None:
        return _in_loop(plan, node, loop, free, updated, heirs, allowed)
    types = [variables[v].type for v in outputs]
    if len(plan.order) > LARGE and types and types[0].is_single:
        return _NOTHING
    if len(outputs) == 1 and allowed is None:  # fast path for nearly all nodes
        free = [i for i in free if _alike(variables[inputs[i]].type, types[0])]
        if len(free) < 2:
            return _over(free[0]) if free else _NOTHING
    computed = [(k, kind, outputs[k] in plan.returned) for k, kind in enumerate(types)]
    pairs = _matched(computed, [(i, variables[inputs[i]].type, inputs[i]) for i in free], updated, heirs, allowed)
    return _over(pairs[0]) if len(computed) == len(pairs) == 1 else {k: (i,) for k, i in pairs.items()}


def _in_loop(
    plan: OverwritePlan, node: int, loop: Loop, free: list[int], updated: frozenset[int], heirs: Container[int], allowed: Allowed | None
) -> IndexMap:
    """The destroy_map of a fused loop: as chosen before fusion, or a new choice if that is not possible."""
    reads = [(j, kind, -1 if at is None else plan.inputs[node][at]) for j, (at, kind) in enumerate(loop.reads) if at is None or at in free]
    makes = [(k, kind, at is not None and plan.outputs[node][at] in plan.returned) for k, (at, kind) in enumerate(loop.makes)]
    if len(plan.order) > LARGE and makes and makes[0][1].is_single:
        return loop.writes

    def places(pairs: Mapping[int, int]) -> list[tuple[int | None, int | None]]:
        return [(loop.makes[k][0], loop.reads[j][0]) for k, j in pairs.items()]

    def may(k: int, j: int) -> bool:
        (out, _), (at, _) = loop.makes[k], loop.reads[j]
        return allowed is None or out is None or at is None or allowed(out, at)

    rows = places(_matched(makes, reads, updated, heirs, may))
    if any(out is None or at is None for out, at in rows):
        plain = [row for row in makes if loop.makes[row[0]][0] is not None], [row for row in reads if row[2] >= 0]
        rows = places(_matched(*plain, frozenset(), frozenset(), may))
    return {**loop.writes, **{out: (at,) for out, at in rows if out is not None and at is not None}}


Computed = tuple[int, Type, bool]
"""(number, type, whether it is an output of the function) of a value that is computed."""
Read = tuple[int, Type, int]
"""(number, type, Variable) of a value that is read."""


def _matched(
    computed: Sequence[Computed], read: Sequence[Read], updated: frozenset[int], heirs: Container[int], allowed: Allowed | None
) -> dict[int, int]:
    """Number of a computed value -> number of the read value that it overwrites."""
    pairs: dict[int, int] = {}
    left = list(read)
    first: list[Container[int] | None] = [updated, heirs] if updated and any(new for *_, new in computed) else []
    for among in (*first, None):
        for k, kind, new in computed:
            if k in pairs or (among is not None and not new):
                continue
            for at, (i, read_kind, variable) in enumerate(left):
                if (among is None or variable in among) and _alike(read_kind, kind) and (allowed is None or allowed(k, i)):
                    pairs[k] = i
                    del left[at]
                    break
    return pairs


def _alike(a: Type, b: Type) -> bool:
    """Whether two types are arrays of the same dtype and static shape, both printed."""
    return (a is b or a == b) and a.dtype is not None and a.kind is not TypeKind.SCALAR
