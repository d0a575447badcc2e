"""The order in which a virtual machine runs the nodes of a graph.

The CVM evaluates depth-first from the outputs, first what the caller gets, then the updates. For one Apply it runs, in this
order: the nodes that must come first since this one destroys what they read; the owners of its inputs; itself.
A lazy Apply (IfElse) runs the owner of its condition, then only the branch taken.
Source: Theano 1.0.5, gof/c_code/lazylinker_c.c (`lazy_rec_eval`), gof/vm.py (`VM_Linker.make_vm`: prerequisites sorted by the
number a Variable gets when nodes are numbered in toposort order), ifelse.py (`IfElse.make_thunk`).
The other virtual machines (`c|py`, `py`, JAX, numba) run in toposort order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir import Apply, FunctionGraph

DEPTH_FIRST_LINKERS = frozenset({"cvm", "cvm_nogc"})
LAZY_OPS = frozenset({"IfElse"})
"""Ops that say at run time which of their inputs they want."""

Choose = Callable[[Apply], bool]
"""Whether a lazy Apply takes its first branch."""


def execution_order(
    graph: FunctionGraph, linker: str = "cvm", choose: Choose = lambda node: True, allow_gc: bool = True
) -> tuple[int, ...]:
    """Ids of the Apply nodes that run, in the order in which they do."""
    depth_first = linker in DEPTH_FIRST_LINKERS or (linker.startswith("vm") and not LAZY_OPS.isdisjoint(graph.op_names))
    return depth_first_order(graph, choose, allow_gc) if depth_first else tuple(range(len(graph.applies)))


def depth_first_order(graph: FunctionGraph, choose: Choose = lambda node: True, allow_gc: bool = True) -> tuple[int, ...]:
    """The CVM's order. Iterative: a graph may be as deep as it is long."""
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
            missing = [n for n in _needed(node, owners, choose) if n is not None and not done[n] and n not in passed.nodes]
            if missing:
                todo += (apply_id, *reversed(missing))  # the last one comes first
                continue
            done[apply_id] = 1
            order.append(apply_id)
            if allow_gc and node.op.name in LAZY_OPS:
                passed.after(node, done)
    return tuple(order)


class PassedOver:
    """Nodes that never run but count as done, since a lazy node that could have wanted their results has run.

    The machine that collects garbage empties the cells of all inputs of a node that ran, computed or not, and marks them as done with;
    so the maker of an input that was not wanted looks as if it had run, once all its outputs are marked: nobody waits for it any more.
    """

    def __init__(self, graph: FunctionGraph) -> None:
        self.graph = graph
        self.nodes: set[int] = set()
        self._marked: set[int] = set()

    def after(self, lazy: Apply, done: Sequence[int]) -> set[int]:
        """`lazy` ran; which nodes count as done now, and did not before."""
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


def _needed(node: Apply, owners: Sequence[int | None], choose: Choose) -> list[int | None]:
    """Ids of the nodes that have to run before `node`, in the order in which the CVM asks for them; None for what no node makes."""
    return [*node.after, *[owners[v] for v in evaluated_inputs(node, choose)]]


def evaluated_inputs(node: Apply, choose: Choose) -> tuple[int, ...]:
    """The inputs that `node` asks for: all, or for a lazy op its condition and the branch taken."""
    if node.op.name not in LAZY_OPS or not node.inputs:
        return node.inputs
    condition, branches = node.inputs[0], node.inputs[1:]
    half = len(branches) // 2
    return (condition, *(branches[:half] if choose(node) else branches[half:]))
