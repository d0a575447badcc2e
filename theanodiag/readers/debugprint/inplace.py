"""Which nodes of a compiled PyTensor function overwrite an input: PyTensor 2.12 on does not print it.

The rewrite tries, for each Elemwise, pairs of an output and an input of its very type that nothing protects, and keeps what no circle
forbids; the graph's outputs and arguments are protected, shared variables that are updated are not. Source: PyTensor 3.3.7
tensor/rewriting/elemwise.py `InplaceGraphOptimizer`, graph/destroyhandler.py `inplace_candidates`, tensor/rewriting/subtensor.py.
The printed order numbers already honour the outcome: who reads a value last could overwrite it, and then does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from ...ir import Constant, Variable
from .maps import IndexMap

UPDATES = frozenset({"IncSubtensor", "AdvancedIncSubtensor", "AdvancedIncSubtensor1"})
"""Ops whose in-place form has no text of its own, and overwrites input 0."""
ELEMENTWISE = frozenset({"Elemwise", "FusedElemwise", "IndexedElemwise", "ScalarizedComposite"})
"""Ops that may overwrite any input of an output's type."""
LARGE = 500
"""Above so many nodes, scalars are left alone."""


@dataclass(frozen=True)
class Plan:
    """A graph as the inference needs it; nodes by number."""

    order: Sequence[int]
    """The nodes in their printed order."""
    names: Sequence[str]
    inputs: Sequence[Sequence[int]]
    outputs: Sequence[Sequence[int]]
    views: Sequence[IndexMap]
    destroys: Sequence[IndexMap]
    variables: Sequence[Variable]
    results: Sequence[int]

    def ordered(self, order: Sequence[int]) -> Plan:
        """The same with another order."""
        return replace(self, order=order)

    def root(self, variable: int) -> int:
        """The Variable that this one is a view of, itself if it is none."""
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
        """For each node what its inputs are views of, the inputs themselves where they are none."""
        roots = self._roots
        return [[roots.get(v, v) for v in row] for row in self.inputs] if roots else self.inputs

    @cached_property
    def last(self) -> Mapping[int, int]:
        """The last node that reads each Variable, or a view of it."""
        return {base: node for node in self.order for base in self.bases[node]}

    @cached_property
    def readers(self) -> Mapping[int, list[int]]:
        """The nodes that read each Variable, or a view of it."""
        table: dict[int, list[int]] = {}
        for node in self.order:
            for base in dict.fromkeys(self.bases[node]):
                table.setdefault(base, []).append(node)
        return table

    @cached_property
    def clients(self) -> Mapping[int, list[int]]:
        """The nodes that read each Variable."""
        table: dict[int, list[int]] = {}
        for node in self.order:
            for v in dict.fromkeys(self.inputs[node]):
                table.setdefault(v, []).append(node)
        return table


_NOTHING: IndexMap = {}


class Inferred(NamedTuple):
    """What was inferred, by node."""

    destroy: Mapping[int, IndexMap]
    touched: frozenset[int]
    """Inputs of the function that are overwritten."""


def infer(plan: Plan, updated: frozenset[int]) -> Inferred:
    """The destroy_map of each node of which the text says nothing, if these inputs of the function are updated."""
    taken = {plan.root(v) for v in plan.results}
    found: dict[int, IndexMap] = {}
    overwritten: set[int] = set()
    for node in plan.order:
        destroy, bases = plan.destroys[node], plan.bases[node]
        if plan.names[node] in ELEMENTWISE or plan.names[node] in UPDATES:
            free = [i for i in candidates(plan, node, updated) if plan.last[bases[i]] == node and bases[i] not in taken]
            destroy = found[node] = choose(plan, node, free, updated) if free else _NOTHING
            overwritten.update(bases[i] for ins in destroy.values() for i in ins)
        taken.update(bases[i] for ins in destroy.values() for i in ins)
    return Inferred(found, frozenset(v for v in overwritten if plan.variables[v].owner is None))


def candidates(plan: Plan, node: int, updated: frozenset[int]) -> list[int]:
    """Positions of the inputs that nothing but other nodes protects: each stands for memory of its own."""
    bases = plan.bases[node]
    return [i for i, base in enumerate(bases) if _may_go(plan.variables[base], updated) and bases.count(base) == 1]


def _may_go(base: Variable, updated: frozenset[int]) -> bool:
    """Whether nothing protects what is in this Variable."""
    return base.owner is not None or base.id in updated


def choose(plan: Plan, node: int, free: list[int], updated: frozenset[int]) -> IndexMap:
    """For each output the first of the `free` inputs that fits it; for a new value of an input that one, if it can be."""
    if plan.names[node] in UPDATES:
        return {0: (0,)} if 0 in free else {}
    outputs = [plan.variables[v] for v in plan.outputs[node]]
    if len(plan.order) > LARGE and outputs and all(d == 1 for d in outputs[0].type.shape):
        return {}
    chosen: dict[int, tuple[int, ...]] = {}
    left = sorted(free, key=lambda i: plan.inputs[node][i] not in updated) if any(v.id in plan.results for v in outputs) else list(free)
    for out, variable in enumerate(outputs):
        fits = next((i for i in left if same_type(plan.variables[plan.inputs[node][i]], variable)), None)
        if fits is not None:
            chosen[out] = (fits,)
            left.remove(fits)
    return chosen


def same_type(a: Variable, b: Variable) -> bool:
    """Same dtype and static shape, both printed."""
    return a.type.dtype is not None and a.type == b.type


def updatable(plan: Plan) -> list[int]:
    """Inputs of the function of which the text shows no other use than by one that may be updated: each as the new value of one
    of the last results, from the last one on."""
    leaves = [v for v in plan.variables if v.owner is None and not isinstance(v, Constant)]
    found: list[int] = []
    for result in reversed(plan.results):
        made = plan.variables[result]
        if made.owner is None:
            break
        near = [v for v in plan.inputs[made.owner] if _could_be(plan.variables[v], made) and v not in found]
        far = [v.id for v in leaves if _could_be(v, made) and v.id not in found]
        if not near and not far:
            break
        found.append((near or far)[0])
    return found


def _could_be(leaf: Variable, made: Variable) -> bool:
    """Whether a result can be the new value of an input."""
    a, b = leaf.type, made.type
    fits = a.dtype == b.dtype and a.ndim == b.ndim and all(x is None or y is None or x == y for x, y in zip(a.shape, b.shape))
    return leaf.owner is None and not isinstance(leaf, Constant) and a.dtype is not None and fits
