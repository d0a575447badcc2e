"""Whether results of a printed PyTensor function are new values of its inputs: what speaks for it, and the readings that are left.

Nothing in the text says which inputs are shared variables, and an update may overwrite the old value. What tells is the order of the
nodes: whoever overwrites a value must wait for all others that read it, and the numbers follow from that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from operator import eq

from ..ir import Constant
from ..ops import IndexMap
from .overwritten import Inferred, Plan, infer
from .toposort import number, waits
from .trained_values import looks_trained
from .updated_inputs import updatable

Destroy = Mapping[int, IndexMap]
MAX_TRIES = 12
"""At most so many sets of updates are tried."""
LEAST_TRIES = 2
"""In large graphs at least so many."""
MAX_STEPS = 2_500
"""Most nodes that are gone through for all sets."""


def update_hypotheses(plan: Plan) -> list[Destroy]:
    """By node what it overwrites, in each reading of the text that its order allows; the likeliest first."""
    updates = updatable(plan)
    sure = updates[: _sure(plan)]
    least = infer(plan, frozenset(sure))
    none = least.destroy
    rows = (row for row in _sets(plan, updates, len(sure), least) if row != none)
    most = next(rows, None)
    if most is None:
        return [none]
    fit, plain = next((row for row in chain((most,), rows) if _explains(plan, row)), None), _explains(plan, none)
    if plain and fit is None:
        return [none]
    other = next((row for row in rows if row != fit), None) if fit is most else None
    open_ = other is not None and fit is not None and not looks_trained(plan, fit, other)
    more = [other] if other is not None and open_ and _explains(plan, other) else []
    if fit is not None and not plain:
        return [fit, *more]
    most = fit or most
    gradient = len(updates) == 1 < len(plan.arrays) and _is_all(plan, updates)
    return [most, none, *more] if looks_trained(plan, most, none) and not gradient else [none, most, *more]


def _is_all(plan: Plan, updates: list[int]) -> bool:
    """Whether no input would be left that is an argument: few functions have none."""
    taken = set(updates)
    return all(v.owner is not None or isinstance(v, Constant) or v.type.dtype is None or v.id in taken for v in plan.variables)


def _sure(plan: Plan) -> int:
    """How many of the last results are updates for sure: from a bare input on, of which the caller would get a copy."""
    results = plan.arrays
    bare = (k for k, v in enumerate(results) if plan.variables[v].owner is None and not isinstance(plan.variables[v], Constant))
    return len(results) - next(bare, len(results))


def _sets(plan: Plan, updates: list[int], sure: int, known: Inferred) -> Iterator[Destroy]:
    """What is overwritten if all that can be are updates, or only the last ones, but for those that are for sure.

    All comes second where no argument would be left then, or nothing for the caller, or where the last one does not look like an update.
    """
    tries = min(MAX_TRIES, max(LEAST_TRIES, MAX_STEPS // (len(plan.order) + 1)))
    sizes = range(len(updates), max(sure, len(updates) - tries), -1)
    rows = (found.destroy for found in _inferred(plan, [frozenset(updates[:n]) for n in sizes], known))
    first, second = next(rows, None), next(rows, None)
    if first is not None and second is not None:
        bare = len(updates) == len(plan.arrays) or _is_all(plan, updates) or not looks_trained(plan, first, second)
        yield from (second, first) if bare else (first, second)
    elif first is not None:
        yield first
    yield from rows


def _inferred(plan: Plan, sets: Iterable[frozenset[int]], known: Inferred) -> Iterator[Inferred]:
    for updated in sets:
        known = infer(plan, updated, known)
        yield known


def _explains(plan: Plan, destroy: Destroy) -> bool:
    """Whether the nodes are numbered as they would be if just this were overwritten."""
    before = waits(plan, destroy)
    if _are_numbered(plan, before):
        return True
    other = waits(plan, destroy, backwards=False) if any(len(row) > 1 for row in before.values()) else before
    return other != before and _are_numbered(plan, other)


def _are_numbered(plan: Plan, before: Mapping[int, Sequence[int]]) -> bool:
    return all(map(eq, plan.order, chain(number(plan, before), repeat(-1))))  # where nodes wait for each other, some have no number
