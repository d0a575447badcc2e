"""A twentieth of Theano's own tests over the layer, another one each day, and the lists beside them."""

from __future__ import annotations

import datetime

from tests import interpreters

from .__main__ import FAILING, INTERNALS, wheel_of
from .running import Suite, listed, outcomes, reference

SLICES = 20
MOST_INTERNALS = 0.08
"""Of the tests that Theano passes, so many at most may be about what no script can see."""


def test_what_passed_still_passes() -> None:
    """Of today's slice, no test fails that is not listed, and none of the internals passes."""
    suite = Suite(interpreters.find("suite"), wheel_of(interpreters.find("theano")), timeout=600)
    part = f"{datetime.date.today().toordinal() % SLICES}/{SLICES}"
    found = suite.run(list(reference()), part)
    assert len(found) > 50, f"slice {part} ran {len(found)} tests only"
    expected = {f"{file}::{name}" for file, names in reference().items() for name in names} & set(found)
    internals, failing = listed(INTERNALS), listed(FAILING)
    wrong = [n for n in sorted(expected) if found[n] != "passed" and n not in internals and n not in failing]
    for file in sorted({name.partition("::")[0] for name in wrong}):  # in one process, one file's settings may reach the next
        found.update(suite.run([file], part))
    assert not [n for n in wrong if found[n] != "passed"], part
    assert not sorted(n for n in expected if found[n] == "passed" and n in internals), part


def test_internals_are_few_and_have_reasons() -> None:
    """A test is left out of the count for a reason that is written beside it."""
    known = {f"{file}::{name}" for file, names in reference().items() for name in names}
    internals = listed(INTERNALS)
    assert len(known) > 3000
    assert set(internals) <= known
    assert all(internals.values())
    assert len(internals) <= MOST_INTERNALS * len(known)


def test_a_test_that_cannot_be_torn_down_has_not_passed() -> None:
    """Two outcomes of one test: the worse one counts."""
    assert outcomes(["a\tpassed", "b\tpassed", "a\terror"]) == {"a": "error", "b": "passed"}
