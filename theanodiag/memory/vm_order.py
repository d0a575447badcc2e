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
"""Linkers that evaluate depth-first from the outputs, in any graph."""
LAZY_OPS = frozenset({"IfElse"})
"""Ops that decide at run time which of their inputs are evaluated."""

Choose = Callable[[Apply], bool]
"""Tells whether a lazy Apply takes its first branch."""


def execution_order(
    graph: FunctionGraph, linker: str = "cvm", choose: Choose = lambda node: True, allow_gc: bool = True
) -> tuple[int, ...]:
    """Ids of the Apply nodes that run under `linker`, in order; `choose` decides the branches of lazy nodes."""
    depth_first = linker in DEPTH_FIRST_LINKERS or (linker.startswith("vm") and not LAZY_OPS.isdisjoint(graph.op_names))
    return depth_first_order(graph, choose, allow_gc) if depth_first else tuple(range(len(graph.applies)))


def depth_first_order(graph: FunctionGraph, choose: Choose = lambda node: True, allow_gc: bool = True) -> tuple[int, ...]:
    """Apply ids in the CVM's depth-first order. Iterative, since a graph may be as deep as it is long."""
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
                todo += (apply_id, *reversed(missing))  # a stack: the last entry is handled first
                continue
            done[apply_id] = 1
            order.append(apply_id)
            if allow_gc and node.op.name in LAZY_OPS:
                passed.after(node, done)
    return tuple(order)


class PassedOver:
    """Nodes that never run but count as done, because a lazy node that could have used their results has run.

    After a node has run, the VM with `allow_gc` empties the cells of all its inputs, computed or not, and marks them as done. The maker of
    an input that was not needed therefore looks as if it had run once all its outputs are marked, and nothing waits for it any more.
    """

    def __init__(self, graph: FunctionGraph) -> None:
        self.graph = graph
        self.nodes: set[int] = set()
        self._marked: set[int] = set()

    def after(self, lazy: Apply, done: Sequence[int]) -> set[int]:
        """Notes that `lazy` ran; returns the nodes that count as done from now on."""
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
    """Ids of the nodes that must run before `node`, in the order in which the CVM evaluates them; None for an input that no node makes."""
    return [*node.after, *[owners[v] for v in evaluated_inputs(node, choose)]]


def evaluated_inputs(node: Apply, choose: Choose) -> tuple[int, ...]:
    """The inputs that `node` evaluates: all, or for a lazy Op its condition and the branch taken."""
    if node.op.name not in LAZY_OPS or not node.inputs:
        return node.inputs
    condition, branches = node.inputs[0], node.inputs[1:]
    half = len(branches) // 2
    return (condition, *(branches[:half] if choose(node) else branches[half:]))
