"""Tells whether an output that overwrites an input looks like the new value of a parameter, as training computes it."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir import Constant, FunctionGraph
from ..ops import IndexMap
from .fused import unmoved
from .overwritten import UPDATES, Plan


def looks_trained(plan: Plan, most: Mapping[int, IndexMap], none: Mapping[int, IndexMap]) -> bool:
    """Whether any input that is overwritten in `most` but not in `none` looks like a parameter being updated.

    That is so if it is changed only in part, or something is added to it and it is either read elsewhere too or a counter.
    """
    for node, row in most.items():
        if plan.returned.isdisjoint(plan.outputs[node]):
            continue
        old = none.get(node, {})
        if any(_is_trained(plan, node, ins[0]) for out, ins in row.items() if old.get(out) != ins):
            return True
    return False


def _is_trained(plan: Plan, node: int, at: int) -> bool:
    v = plan.root(plan.inputs[node][at])
    if plan.variables[v].owner is not None:
        return False
    clients = plan.clients.get(v, ())
    if plan.names[node] in UPDATES:
        return len(plan.returned) == 1 or len(clients) == 1 or _is_read_beside(plan, v, node)
    if not any(v in plan.returned and adds(plan, node, k, at) for k, v in enumerate(plan.outputs[node])):
        return False
    return _is_read_beside(plan, v, node) or (len(plan.returned) > 1 and _counts(plan, node, at))


def _is_read_beside(plan: Plan, variable: int, node: int) -> bool:
    """Whether other nodes read the elements of a Variable too."""
    return any(n != node and plan.names[n] not in ("Shape_i", "Shape", *UPDATES) for n in plan.clients.get(variable, ()))


def _counts(plan: Plan, node: int, at: int) -> bool:
    """Whether a node computes a scalar from this input and constants."""
    rows = [plan.variables[v] for i, v in enumerate(plan.inputs[node]) if i != at]
    return plan.variables[plan.inputs[node][at]].type.ndim == 0 and all(isinstance(v, Constant) for v in rows)


def adds(plan: Plan, node: int, out: int, at: int) -> bool:
    """Whether output number `out` is input number `at`, or a part of it, plus something else."""
    inner = plan.inner.get(node)
    if inner is None:
        scalar = plan.scalars[node] if node < len(plan.scalars) else None
        return scalar == "Add" or (scalar == "Sub" and at == 0)
    key = id(inner), out, at
    if key not in plan.adding:
        plan.adding[key] = _adds_inside(inner, out, at)
    return plan.adding[key]


def _adds_inside(inner: FunctionGraph, out: int, at: int) -> bool:
    names = {inner.variables[i.variable].name: i.variable for i in inner.inputs}
    source = names.get(f"i{at}")
    if source is None or out >= len(inner.outputs):
        return False
    made = inner.outputs[out]
    owner = inner.variables[made].owner
    core = None if owner is None else inner.applies[owner]
    if core is None or core.op.name != "Elemwise":  # the inner graph is that of the scalars, not of a fused loop
        return _is_part(inner, made, source)
    place = next((i for i, v in enumerate(core.inputs) if unmoved(inner, v) == source), None)
    scalars = core.op.inner
    if place is None or scalars is None:
        scalar = core.op.params.get("scalar_op")
        return place is not None and (scalar == "Add" or (scalar == "Sub" and place == 0))
    found = {scalars.variables[i.variable].name: i.variable for i in scalars.inputs}.get(f"i{place}")
    number = core.outputs.index(made)
    return found is not None and number < len(scalars.outputs) and _is_part(scalars, scalars.outputs[number], found)


def _is_part(scalars: FunctionGraph, made: int, source: int) -> bool:
    """Whether a scalar is `source`, possibly times a positive constant, plus something else, or selected from several such."""
    todo = [made]
    while todo:
        here = todo.pop()
        if here == source:
            return True
        owner = scalars.variables[here].owner
        node = None if owner is None else scalars.applies[owner]
        name = "" if node is None else node.op.name
        if node is None or not node.inputs:
            continue
        if name in ("Add", "Maximum", "Minimum", "Clip"):
            todo += node.inputs
        elif name == "Sub":
            todo.append(node.inputs[0])
        elif name == "Switch":
            todo += node.inputs[1:]
        elif name == "Mul":
            rest = [v for v in node.inputs if not isinstance(scalars.variables[v], Constant)]
            factors = [getattr(scalars.variables[v], "value", None) for v in node.inputs if v not in rest]
            todo += rest if len(rest) == 1 and all(isinstance(f, (int, float)) and f > 0 for f in factors) else []
    return False
