"""Which nodes of a compiled PyTensor function overwrite an input: PyTensor 2.12 on does not print it.

The rewrite tries, for each Elemwise output, inputs of its dtype and broadcast pattern that the function computes itself, and keeps
the first that nobody reads later. Source: PyTensor 3.3.7 tensor/rewriting/elemwise.py `InplaceElemwiseOptimizer`,
tensor/rewriting/subtensor.py. The printed order numbers already honour the outcome, so that "nobody reads it later" can be read
from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...ir import Constant, Variable
from .maps import IndexMap

_UPDATES = frozenset({"IncSubtensor", "AdvancedIncSubtensor", "AdvancedIncSubtensor1"})
"""Ops whose in-place form has no text of its own, and overwrites input 0."""


class Inferred(NamedTuple):
    """What was inferred, by node."""

    destroy: Mapping[int, IndexMap]
    unsure: frozenset[int]
    """Nodes that may as well overwrite an input of the function that they update."""


class Plan(NamedTuple):
    """A graph as the inference needs it; nodes in their printed order."""

    order: Sequence[int]
    names: Sequence[str]
    inputs: Sequence[Sequence[int]]
    outputs: Sequence[Sequence[int]]
    views: Sequence[IndexMap]
    destroys: Sequence[IndexMap]
    variables: Sequence[Variable]
    results: frozenset[int]


def infer(plan: Plan) -> Inferred:
    """The destroy_map of each node of which the text says nothing."""
    roots = _roots(plan)
    last = {roots.get(v, v): node for node in plan.order for v in plan.inputs[node]}
    taken = {roots.get(v, v) for v in plan.results}
    found: dict[int, IndexMap] = {}
    unsure = set()
    for node in plan.order:
        destroy = plan.destroys[node]
        if plan.names[node] == "Elemwise" or plan.names[node] in _UPDATES:
            bases = [roots.get(v, v) for v in plan.inputs[node]]
            free = [i for i, base in enumerate(bases) if last[base] == node and base not in taken]
            destroy = _choose(plan, node, [i for i in free if plan.variables[bases[i]].owner is not None])
            found[node] = destroy
            if _may_update(plan, node, free):
                unsure.add(node)
        taken.update(roots.get(plan.inputs[node][i], plan.inputs[node][i]) for ins in destroy.values() for i in ins)
    return Inferred(found, frozenset(unsure))


def _roots(plan: Plan) -> dict[int, int]:
    """For each Variable that is a view, the Variable that it is a view of."""
    roots: dict[int, int] = {}
    for node in plan.order:
        for out, ins in plan.views[node].items():
            source = plan.inputs[node][ins[0]]
            roots[plan.outputs[node][out]] = roots.get(source, source)
    return roots


def _choose(plan: Plan, node: int, free: list[int]) -> IndexMap:
    """For each output the first of the `free` inputs that fits it."""
    if plan.names[node] in _UPDATES:
        return {0: (0,)} if 0 in free else {}
    chosen: dict[int, tuple[int, ...]] = {}
    left = list(free)
    for out, variable in enumerate(plan.outputs[node]):
        fits = next((i for i in left if _alike(plan.variables[plan.inputs[node][i]], plan.variables[variable])), None)
        if fits is not None:
            chosen[out] = (fits,)
            left.remove(fits)
    return chosen


def _alike(a: Variable, b: Variable) -> bool:
    """Same dtype and broadcast pattern, both printed."""
    return a.type.dtype is not None and a.type.dtype == b.type.dtype and [d == 1 for d in a.type.shape] == [d == 1 for d in b.type.shape]


def _may_update(plan: Plan, node: int, free: list[int]) -> bool:
    """Whether the node makes a result that may be the new value of an input which it reads last."""
    made = [v for v in plan.outputs[node] if v in plan.results]
    leaves = [plan.variables[plan.inputs[node][i]] for i in free]
    return any(_alike(leaf, plan.variables[v]) for leaf in leaves if leaf.owner is None and not isinstance(leaf, Constant) for v in made)
