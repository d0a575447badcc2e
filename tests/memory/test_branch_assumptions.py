"""Branches whose conditions nobody knows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theanodiag.ir import Op, Type, TypeKind
from theanodiag.memory.call_frame import WIDEST, BranchAssumptions
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate

from .graphs import EXACT, PLAIN, Sketch

CONDITION = Type(TypeKind.TENSOR, "int8", ())
IF = Op("IfElse", "if{inplace}", view_map={0: (1,)})


def after(conditions: int) -> BranchAssumptions:
    """Guesses of a function with so many unknown conditions."""
    found = BranchAssumptions()
    for position in range(conditions):
        found.takes_first(position)
    return found


@pytest.mark.parametrize("conditions", [1, 2, 3])
def test_few_conditions_are_tried_in_every_combination(conditions: int) -> None:
    """Each once, and first that all hold."""
    tries = after(conditions).worth_trying()
    assert tries[0] == 0
    assert sorted(tries) == list(range(2**conditions))


@pytest.mark.parametrize("conditions", range(4, WIDEST + 1))
def test_each_branch_of_a_chain_is_tried(conditions: int) -> None:
    """The first condition that holds is any of them, or none, whichever end the chain begins at."""
    tries = after(conditions).worth_trying()
    for positions in (range(conditions), range(conditions - 1, -1, -1)):
        taken = {next((k for k in positions if not guess >> k & 1), None) for guess in tries}
        assert taken == {*range(conditions), None}


def test_the_tries_do_not_grow_without_end() -> None:
    """Conditions beyond the widest count as the last one."""
    assert after(100).worth_trying() == after(WIDEST).worth_trying()


def nested(sizes: tuple[int, int, int]) -> tuple[Sketch, int]:
    """One of three results, of so many elements: as an IfElse within an IfElse chooses, after what either branch computed for it."""
    s = Sketch()
    outer, within = s.argument((), CONDITION), s.argument((), CONDITION)
    x = s.shared((1, 1))
    branches = []
    for size in sizes:
        (large,) = s.apply(PLAIN, [x], (size, 1))
        branches += s.apply(PLAIN, [large], (1, 1))
    (second,) = s.apply(IF, [within, *branches[1:]], (1, 1))
    (out,) = s.apply(IF, [outer, branches[0], second], (1, 1))
    return s, out


@pytest.mark.parametrize("sizes", [(50, 10, 20), (10, 50, 20), (10, 20, 50)])
def test_whichever_branch_is_the_highest_decides(sizes: tuple[int, int, int]) -> None:
    """The shared element, the large one, and what is computed from it."""
    s, out = nested(sizes)
    assert simulate(s.script([out]), EXACT).live_peak_bytes >= 4 * (1 + 50 + 1)
    assert simulate(s.script([out]), EXACT).live_peak_bytes <= 4 * (1 + 50 + 3)


def test_without_allow_gc_all_branches_stay() -> None:
    """A call may take another one than the calls before it, and those that it takes not keep what they computed."""
    s, out = nested((50, 10, 20))
    kept = MemorySettings(preallocate=-1.0, allow_gc=False)
    assert simulate(s.script([out], calls=1), kept).live_peak_bytes >= 4 * (1 + 50 + 10 + 20)
    known = s.script([out], calls=3)
    values = iter([{0: 1}, {0: 0, 1: 1}, {0: 0, 1: 0}])
    events = tuple(replace(e, shapes=replace(e.shapes, values=next(values))) if hasattr(e, "shapes") else e for e in known.events)
    true = simulate(replace(known, events=events), kept)
    assert true.live_peak_bytes <= simulate(known, kept).live_peak_bytes
    assert true.calls[0][-1].live_peak_bytes > true.calls[0][0].live_peak_bytes


def test_a_call_counts_once_whatever_was_tried() -> None:
    """Its figures are the highest; the requests to the driver are those of calls, not of tries."""
    s, out = nested((50, 50, 50))
    profile = simulate(s.script([out], calls=2), EXACT)
    known = s.script([out], calls=2)
    events = tuple(replace(e, shapes=replace(e.shapes, values={0: 1})) if hasattr(e, "shapes") else e for e in known.events)
    assert len(profile.calls[0]) == 2
    assert profile.driver_requests == simulate(replace(known, events=events), EXACT).driver_requests
