"""The parts of a function that are the same in all calls: its order of evaluation, when each value is freed, and which Variables are
watched.

The CVM evaluates depth-first from the outputs, first what the caller gets, then the updates. For one Apply it runs, in this
order: the nodes that must come first since this one destroys what they read; the owners of its inputs; itself.
A lazy Apply (IfElse) runs the owner of its condition, then only the branch taken.
Source: Theano 1.0.5, gof/c_code/lazylinker_c.c (`lazy_rec_eval`), gof/vm.py (`VM_Linker.make_vm`: prerequisites sorted by the
number a Variable gets when nodes are numbered in toposort order), ifelse.py (`IfElse.make_thunk`).
The other virtual machines (`c|py`, `py`, JAX, numba) run in toposort order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from ..ir import Apply, FunctionGraph, TypeKind

DEPTH_FIRST_LINKERS = frozenset({"cvm", "cvm_nogc"})
"""Linkers that evaluate depth-first from the outputs, in any graph."""
LAZY_OPS = frozenset({"IfElse"})
"""Ops that decide at run time which of their inputs are evaluated."""

Choose = Callable[[Apply], bool]
"""Returns whether a lazy Apply takes its first branch."""


def execution_order(
    graph: FunctionGraph, linker: str = "cvm", choose: Choose = lambda node: True, allow_gc: bool = True
) -> tuple[int, ...]:
    """Returns the ids of the Apply nodes that run under `linker`, in order; `choose` decides the branches of lazy nodes."""
    depth_first = linker in DEPTH_FIRST_LINKERS or (linker.startswith("vm") and not LAZY_OPS.isdisjoint(graph.op_names))
    return depth_first_order(graph, choose, allow_gc) if depth_first else tuple(range(len(graph.applies)))


def depth_first_order(graph: FunctionGraph, choose: Choose = lambda node: True, allow_gc: bool = True) -> tuple[int, ...]:
    """Returns the ids of the Apply nodes in the CVM's depth-first order. Iterative, because a graph may be as deep as it is long."""
    owners, applies, done = [v.owner for v in graph.variables], graph.applies, bytearray(len(graph.applies))
    passed = PassedOver(graph)
    order: list[int] = []
    for output in graph.outputs:
        todo = [owners[output]]
        while todo:
            apply_id = todo.pop()
            if apply_id is None or done[apply_id] or apply_id in passed.nodes:
                continue
            node = applies[apply_id]
            needed = (*node.after, *(owners[v] for v in evaluated_inputs(node, choose)))  # in the order of the CVM
            missing = [n for n in needed if n is not None and not done[n] and n not in passed.nodes]
            if missing:
                todo += (apply_id, *reversed(missing))  # a stack: the last entry is handled first
                continue
            done[apply_id] = 1
            order.append(apply_id)
            if allow_gc and node.op.name in LAZY_OPS:
                passed.after(node, done)
    return tuple(order)


class PassedOver:
    """Tracks nodes that never run but count as done, because a lazy node that could have used their results has run.

    After a node has run, the VM with `allow_gc` empties the cells of all its inputs, computed or not, and marks them as done. A node that
    computes an unneeded input therefore seems to have run as soon as all its outputs are marked, and no node waits for it any longer.
    """

    def __init__(self, graph: FunctionGraph) -> None:
        self.graph = graph
        self.nodes: set[int] = set()
        self._marked: set[int] = set()

    def after(self, lazy: Apply, done: Sequence[int]) -> set[int]:
        """Records that the lazy node `lazy` has run; returns the ids of nodes that count as done from now on."""
        new = set()
        for variable in lazy.inputs:
            owner = self.graph.variables[variable].owner
            if owner is None or done[owner] or variable in self.graph.outputs:
                continue
            if all(done[c] or c in self.nodes for c, _ in self.graph.clients[variable]):
                self._marked.add(variable)
                if self._marked.issuperset(self.graph.applies[owner].outputs):
                    new.add(owner)
        self.nodes |= new
        return new


def evaluated_inputs(node: Apply, choose: Choose) -> tuple[int, ...]:
    """Returns the inputs that `node` evaluates: all inputs, or for a lazy Op its condition and the branch that it takes."""
    if node.op.name not in LAZY_OPS or not node.inputs:
        return node.inputs
    condition, branches = node.inputs[0], node.inputs[1:]
    half = len(branches) // 2
    return (condition, *(branches[:half] if choose(node) else branches[half:]))


def dropped_after(graph: FunctionGraph, order: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Returns for each step of `order` the Variables that are read there for the last time. If `allow_gc` is set, their storage cells are
    emptied right after the step.
    """
    if len(order) == len(graph.applies):
        return _all_run(graph, order)
    step_of = {apply_id: step for step, apply_id in enumerate(order)}
    done = {**_passed_over(graph, order), **step_of}
    drops: list[list[int]] = [[] for _ in order]
    kept = set(graph.outputs)
    for variable in graph.variables:
        maker = None if variable.owner is None else step_of.get(variable.owner)
        if maker is None or variable.id in kept:
            continue
        clients = [apply_id for apply_id, _ in graph.clients[variable.id]]
        if clients and all(c in done for c in clients):
            last = max(done[c] for c in clients)
            after = [step_of[c] for c in clients if step_of.get(c, -1) >= max(last, maker + 1)]
            if after:
                drops[min(after)].append(variable.id)
    return tuple(tuple(_by_position(graph, order[step], row)) for step, row in enumerate(drops))


def _all_run(graph: FunctionGraph, order: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """`dropped_after` for an order in which every node runs: each computed Variable is freed with the last of its clients."""
    stays = bytearray([v.owner is None for v in graph.variables])  # never freed, or freed after a later step
    for v in graph.outputs:
        stays[v] = 1
    drops = []
    for apply_id in reversed(order):
        node, gone = graph.applies[apply_id], []
        for v in node.inputs:
            if not stays[v]:
                stays[v] = 1
                gone.append(v)
        drops.append(tuple(gone))
        for v in node.outputs:
            stays[v] = 1  # earlier steps cannot be clients
    return tuple(reversed(drops))


def _passed_over(graph: FunctionGraph, order: Sequence[int]) -> dict[int, int]:
    """Nodes that never run but count as done (see `PassedOver`): node -> step of the lazy node after which they do."""
    steps: dict[int, int] = {}
    if LAZY_OPS.isdisjoint(graph.op_names):
        return steps
    done, passed = bytearray(len(graph.applies)), PassedOver(graph)
    for step, apply_id in enumerate(order):
        done[apply_id] = 1
        if graph.applies[apply_id].op.name in LAZY_OPS:
            steps.update(dict.fromkeys(passed.after(graph.applies[apply_id], done), step))
    return steps


def _by_position(graph: FunctionGraph, apply_id: int, dropped: list[int]) -> list[int]:
    """`dropped` in the order in which the node lists these Variables as inputs, which is the order in which the VM empties cells."""
    if len(dropped) < 2:
        return dropped
    inputs = graph.applies[apply_id].inputs
    place = {v: i for i, v in zip(range(len(inputs) - 1, -1, -1), reversed(inputs))}
    return sorted(dropped, key=place.__getitem__)


def dropped_at_end(graph: FunctionGraph, order: Sequence[int], drops: Sequence[Sequence[int]] | None = None) -> tuple[int, ...]:
    """Returns the Variables whose storage cells are emptied only at the end of the call, if `allow_gc` is set.

    `drops` is the result of `dropped_after`, where it is known already.
    """
    early = {*graph.outputs, *chain.from_iterable(dropped_after(graph, order) if drops is None else drops)}
    return tuple([v for apply_id in order for v in graph.applies[apply_id].outputs if v not in early])


DEVICE = frozenset({TypeKind.GPUARRAY, TypeKind.CUDANDARRAY})
"""Type kinds whose values are in GPU memory."""
HOST = frozenset({TypeKind.TENSOR})
"""Type kinds whose values are in host memory."""
ALWAYS = frozenset({"HostFromGpu"})
"""Ops that may take device memory although none of their outputs is on the device."""


@dataclass(frozen=True)
class ExecutionPlan:
    """A FunctionGraph with the order in which a linker runs it, and the lifetimes that follow from it."""

    graph: FunctionGraph
    order: tuple[int, ...]
    """Apply ids in the order in which they run."""
    watched: frozenset[TypeKind]
    """Type kinds whose memory is simulated: `DEVICE` or `HOST`."""
    linker: str = "cvm"
    """Name of the linker that decides the order."""
    allow_gc: bool = True
    """Whether intermediates are freed right after their last use."""
    borrowed: frozenset[int] = frozenset()
    """Positions of the outputs that the caller borrows: the next call may overwrite them."""

    @cached_property
    def drops(self) -> tuple[tuple[int, ...], ...]:
        """For each step of `order`, the simulated Variables whose storage cells are emptied after it."""
        followed = self.followed
        return self._dropped if self._all else tuple([tuple([v for v in row if followed[v]]) if row else row for row in self._dropped])

    @cached_property
    def _dropped(self) -> tuple[tuple[int, ...], ...]:
        return dropped_after(self.graph, self.order)

    @cached_property
    def last(self) -> tuple[int, ...]:
        """The simulated Variables whose storage cells are emptied at the end of the call."""
        followed = self.followed
        return tuple([v for v in dropped_at_end(self.graph, self.order, self._dropped) if followed[v]])

    @cached_property
    def fresh(self) -> tuple[int, ...]:
        """The simulated computed Variables that may share memory with outputs: their storage cells are emptied when the next call
        begins.
        """
        shared = may_share_memory(self.graph, [v for k, v in enumerate(self.graph.outputs) if k not in self.borrowed])
        return tuple(v for v in sorted(shared) if self.graph.variables[v].owner is not None and self.watches(v))

    @cached_property
    def outputs(self) -> frozenset[int]:
        """Variable ids of the graph's outputs."""
        return frozenset(self.graph.outputs)

    @cached_property
    def lazy(self) -> tuple[Apply, ...]:
        """The IfElse nodes, which evaluate only some of their inputs."""
        graph = self.graph
        return () if LAZY_OPS.isdisjoint(graph.op_names) else tuple(n for n in graph.applies if n.op.name in LAZY_OPS)

    def taking(self, choices: tuple[bool, ...]) -> ExecutionPlan:
        """Returns the plan for a call in which the lazy nodes take the branches `choices` (True: the first), one entry for each node of
        `lazy`.
        """
        first = {node.id: choice for node, choice in zip(self.lazy, choices)}
        return prepare(self.graph, self.linker, self.watched, lambda node: first[node.id], self.allow_gc, self.borrowed)

    @cached_property
    def acts(self) -> tuple[bool, ...]:
        """Returns for each Apply, by id, whether it may allocate or free memory that is simulated."""
        if self._all:
            return (True,) * len(self.graph.applies)
        followed = self.followed
        rows = [(n.op, n.outputs) for n in self.graph.applies]
        return tuple([op.inner is not None or op.name in ALWAYS or any(map(followed.__getitem__, outputs)) for op, outputs in rows])

    @cached_property
    def followed(self) -> tuple[bool, ...]:
        """For each Variable, by id, whether its memory is simulated."""
        if self._all:
            return (True,) * len(self.graph.variables)
        return tuple([v.type.kind in self.watched for v in self.graph.variables])

    @cached_property
    def _all(self) -> bool:
        """Whether the memory of all Variables is followed, because every kind of Variable in the graph is watched."""
        return self.graph.kinds <= self.watched

    def watches(self, variable: int) -> bool:
        """Returns whether the memory of Variable number `variable` is simulated, because it is on the device or host that the plan is
        about.
        """
        return self.followed[variable]


def prepare(
    graph: FunctionGraph,
    linker: str,
    watched: frozenset[TypeKind],
    choose: Choose = lambda node: True,
    allow_gc: bool = True,
    borrowed: frozenset[int] = frozenset(),
) -> ExecutionPlan:
    """Makes the execution plan of `graph` under `linker`; `choose` decides for each lazy node whether it takes its first branch."""
    return ExecutionPlan(graph, execution_order(graph, linker, choose, allow_gc), watched, linker, allow_gc, borrowed)


def aliased_inputs(node: Apply, output: int) -> tuple[int, ...]:
    """Returns the ids of the inputs of `node` of which output number `output` is a view, or which it overwrites."""
    positions = (*node.op.view_map.get(output, ()), *node.op.destroy_map.get(output, ()))
    return tuple(node.inputs[p] for p in positions)


def alias_sets(graph: FunctionGraph) -> Mapping[int, int]:
    """Maps each Variable that is a view or overwrites another to the root of its alias set, the Variable that owns the memory."""
    base: dict[int, int] = {}
    for node in graph.applies:
        for position, output in enumerate(node.outputs):
            sources = aliased_inputs(node, position)
            if sources:
                base[output] = base.get(sources[0], sources[0])
    return base


def may_share_memory(graph: FunctionGraph, variables: Iterable[int]) -> frozenset[int]:
    """Returns all Variables that may share memory with one of `variables`, themselves included: the transitive closure of aliasing.

    Source: Theano 1.0.5, compile/function_module.py, `infer_reuse_pattern`: it goes both ways along view_map and destroy_map.
    """
    neighbours: dict[int, list[int]] = {}
    for node in graph.applies:
        for position, output in enumerate(node.outputs):
            for source in aliased_inputs(node, position):
                neighbours.setdefault(output, []).append(source)
                neighbours.setdefault(source, []).append(output)
    closure, todo = set(), list(variables)
    while todo:
        variable = todo.pop()
        if variable not in closure:
            closure.add(variable)
            todo += neighbours.get(variable, ())
    return frozenset(closure)
