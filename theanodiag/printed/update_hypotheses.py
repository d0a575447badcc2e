"""Hypotheses about which outputs of a printed PyTensor function update its inputs, and the evidence for each.

The text does not say which inputs are shared variables, and an update may overwrite the old value. The order of the nodes tells: a node
that overwrites a value must wait for all others that read it, and the printed numbers follow from that.
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
"""destroy_map by node."""
MAX_TRIES = 12
"""Largest number of sets of updates that are tried."""
LEAST_TRIES = 2
"""Smallest number of sets tried in large graphs."""
MAX_STEPS = 2_500
"""Limit for all sets together, in nodes visited."""


def update_hypotheses(plan: Plan) -> list[Destroy]:
    """destroy_map by node, for each hypothesis that the printed order allows; likeliest first."""
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
    """Whether no input would be left as an argument, which is so in few functions."""
    taken = set(updates)
    return all(v.owner is not None or isinstance(v, Constant) or v.type.dtype is None or v.id in taken for v in plan.variables)


def _sure(plan: Plan) -> int:
    """How many of the last outputs are certainly updates: from a bare input on, of which the caller would get a copy."""
    results = plan.arrays
    bare = (k for k, v in enumerate(results) if plan.variables[v].owner is None and not isinstance(plan.variables[v], Constant))
    return len(results) - next(bare, len(results))


def _sets(plan: Plan, updates: list[int], sure: int, known: Inferred) -> Iterator[Destroy]:
    """Yields what is overwritten if all candidates are updates, or only the last ones; certain updates always are.

    The set of all comes second where no argument or no output for the caller would be left, or where the last one does not look like an
    update.
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
    """Whether the nodes are numbered as they would be if exactly this were overwritten."""
    before = waits(plan, destroy)
    if _are_numbered(plan, before):
        return True
    other = waits(plan, destroy, backwards=False) if any(len(row) > 1 for row in before.values()) else before
    return other != before and _are_numbered(plan, other)


def _are_numbered(plan: Plan, before: Mapping[int, Sequence[int]]) -> bool:
    return all(map(eq, plan.order, chain(number(plan, before), repeat(-1))))  # in a cycle of waiting nodes some get no number
