"""Whether results of a printed PyTensor function are new values of its inputs: what speaks for it, and the readings that are left.

Nothing in the text says which inputs are shared variables, and an update may overwrite the old value. What tells is the order of the
nodes: whoever overwrites a value must wait for all others that read it, and the numbers follow from that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .inplace import UPDATES, Plan, infer, updatable
from .maps import IndexMap
from .toposort import number, waits

Destroy = Mapping[int, IndexMap]
MAX_TRIES = 12
"""At most so many sets of updates are tried."""
MAX_NODES = 20_000
"""In larger graphs the order is not asked."""


def readings(plan: Plan) -> list[Destroy]:
    """By node what it overwrites, in each reading of the text that its order allows; the likeliest first."""
    updates = updatable(plan)
    none = infer(plan, frozenset()).destroy
    rows = [row for row in _sets(plan, updates) if row != none]
    if not rows:
        return [none]
    most = rows[0]
    if len(plan.order) <= MAX_NODES:
        fits, plain = [row for row in rows if _explains(plan, row)], _explains(plan, none)
        if fits and not plain:
            return fits[:1]
        if plain and not fits:
            return [none]
        most = fits[0] if fits else most
    return [most, none] if _likely(plan, most, none) else [none, most]


def _sets(plan: Plan, updates: list[int]) -> Iterator[Destroy]:
    """What is overwritten if all that can be are updates, or only the last ones."""
    for n in range(len(updates), max(0, len(updates) - MAX_TRIES), -1):
        yield infer(plan, frozenset(updates[:n])).destroy


def _explains(plan: Plan, destroy: Destroy) -> bool:
    """Whether the nodes are numbered as they would be if just this were overwritten."""
    return list(plan.order) == number(plan, waits(plan, destroy))


def _likely(plan: Plan, most: Destroy, none: Destroy) -> bool:
    """Whether the inputs that would be overwritten look like what a function trains: one is read elsewhere too, or in part, and what
    overwrites it makes a result."""
    results = set(plan.results)
    for node, row in most.items():
        if results.isdisjoint(plan.outputs[node]):
            continue
        for v in (plan.root(plan.inputs[node][i]) for ins in row.values() for i in ins if row != none.get(node)):
            read = [n for n in plan.clients.get(v, ()) if n == node or plan.names[n] not in ("Shape_i", "Shape", *UPDATES)]
            if plan.variables[v].owner is None and (len(read) > 1 or (plan.names[node] in UPDATES and len(results) == 1)):
                return True
    return False
