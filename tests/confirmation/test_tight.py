"""The search for the least device."""

from __future__ import annotations

import pytest

from theanodiag.confirmation.model import Tight
from theanodiag.ir import Unknown
from theanodiag.jobs.confirm import STEPS, tight
from theanodiag.units import MIB

NEED = 1000 * MIB


def search(least: int) -> tuple[Tight, list[int]]:
    """What is found for a script that needs `least`, and the limits that were tried."""
    tried: list[int] = []

    def attempt(limit: int) -> bool:
        tried.append(limit)
        return limit >= least

    return tight(NEED, attempt), tried


def test_exact() -> None:
    """Two runs tell that the prediction is the need."""
    found, tried = search(NEED)
    assert found == Tight(NEED, NEED, NEED - 1)
    assert found.margin_bytes == 0
    assert len(tried) == 2


@pytest.mark.parametrize(("least", "runs", "fails"), [(NEED - 2 * MIB, NEED - 1, NEED - 1 - 4 * MIB), (NEED + 1, NEED + 4 * MIB, NEED)])
def test_near(least: int, runs: int, fails: int) -> None:
    """A need that is lower or higher lies between the two limits."""
    found, _ = search(least)
    assert (found.runs_at_bytes, found.fails_at_bytes) == (runs, fails)
    assert fails < least <= runs


def test_far_below_and_far_above() -> None:
    """What was not seen is unknown; no more is tried than there are steps."""
    below, above = search(1), search(2 * NEED)
    assert isinstance(below[0].fails_at_bytes, Unknown)
    assert isinstance(above[0].runs_at_bytes, Unknown)
    assert above[0].margin_bytes is None
    assert len(below[1]) == 1 + len(STEPS)
    assert len(above[1]) == len(STEPS)


def test_a_script_that_needs_nothing() -> None:
    """Nothing is tried."""
    assert tight(0, lambda limit: pytest.fail("tried")).runs_at_bytes == 0
