"""The search for an order beside the plainest one: all orders of a random graph."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.plans.ordering import Buffer, Problem, Task, best_order

Reads = list[set[int]]


def problem(sizes: list[int], reads: Reads, stay: set[int], early: Reads | None = None) -> Problem:
    """Tasks that each make one buffer and read earlier ones; `early` must run before without being read."""
    users = [1 << k | sum(1 << j for j, row in enumerate(reads) if k in row) for k in range(len(sizes))]
    tasks = []
    for k, size in enumerate(sizes):
        before = reads[k] | (early[k] if early else set())
        mask = 0
        for j in before:
            mask |= 1 << j | tasks[j].before
        touches = tuple(b for b in range(len(sizes)) if users[b] >> k & 1)
        tasks.append(Task(size, size + sum(sizes[j] for j in reads[k]), mask, touches))
    return Problem(tuple(tasks), tuple(Buffer(size, 0 if k in stay else users[k]) for k, size in enumerate(sizes)))


@st.composite
def problems(draw: st.DrawFn, most: int = 7) -> tuple[Problem, list[int], Reads, set[int]]:
    """A random graph of up to `most` nodes."""
    sizes = draw(st.lists(st.integers(0, 9), min_size=1, max_size=most))
    reads = [draw(st.sets(st.integers(0, k - 1), max_size=3)) if k else set() for k in range(len(sizes))]
    read = set().union(*reads)
    stay = draw(st.sets(st.integers(0, len(sizes) - 1))) | {k for k in range(len(sizes)) if k not in read}
    return problem(sizes, reads, stay), sizes, reads, stay


def plain_peak(order: tuple[int, ...], sizes: list[int], reads: Reads, stay: set[int]) -> int:
    """The highest point, told as a story."""
    live: set[int] = set()
    peak = 0
    for step, node in enumerate(order):
        live.add(node)
        peak = max(peak, sum(sizes[b] for b in live))
        later = order[step + 1 :]
        live = {b for b in live if b in stay or any(b in reads[n] for n in later)}
    return peak


def allowed(order: tuple[int, ...], reads: Reads) -> bool:
    """Whether each node runs after what it reads."""
    return all(all(order.index(r) < order.index(n) for r in reads[n]) for n in order)


@given(problems())
def test_no_order_is_better(made: tuple[Problem, list[int], Reads, set[int]]) -> None:
    """The exact search finds the lowest peak of all orders, and its order has it."""
    asked, sizes, reads, stay = made
    least = min(plain_peak(o, sizes, reads, stay) for o in permutations(range(len(sizes))) if allowed(o, reads))
    found = best_order(asked)
    assert found.exact
    assert found.peak == least == found.bound
    assert allowed(found.order, reads)
    assert plain_peak(found.order, sizes, reads, stay) == asked.peak(found.order) == least
    assert asked.bound() <= least


@given(problems(30), st.integers(1, 6))
def test_narrow_search_gives_an_order_between_bound_and_listed(made: tuple[Problem, list[int], Reads, set[int]], width: int) -> None:
    """With no states for the exact search: an order that can run, with the peak it says, not below the bound."""
    asked, sizes, reads, stay = made
    found = best_order(asked, most_states=0, width=width)
    assert sorted(found.order) == list(range(len(sizes)))
    assert allowed(found.order, reads)
    assert found.peak == plain_peak(found.order, sizes, reads, stay)
    assert found.bound <= found.peak
    assert found.exact is (found.bound == found.peak)


@given(problems(12))
def test_exact_is_never_above_narrow(made: tuple[Problem, list[int], Reads, set[int]]) -> None:
    """The same problem both ways."""
    assert best_order(made[0]).peak <= best_order(made[0], most_states=0, width=3).peak


@pytest.mark.parametrize("branches", [2, 3, 5])
def test_branches_run_one_after_the_other(branches: int) -> None:
    """Each makes 100 and leaves 1: two wide buffers are never live at once."""
    sizes = [100, 1] * branches + [1]
    reads: Reads = [set() if k % 2 == 0 else {k - 1} for k in range(2 * branches)] + [set(range(1, 2 * branches, 2))]
    found = best_order(problem(sizes, reads, {2 * branches}))
    assert found.peak == 100 + branches
    wide_first = (*range(0, 2 * branches, 2), *range(1, 2 * branches, 2), 2 * branches)
    assert plain_peak(wide_first, sizes, reads, {2 * branches}) == 100 * branches + 1


def test_nothing_to_order() -> None:
    """No tasks, no peak."""
    assert best_order(Problem((), ())).peak == 0
