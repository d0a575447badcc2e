"""A twentieth of Theano's own tests over the layer, another one each day, and the lists beside them."""

from __future__ import annotations

import datetime

from tests import interpreters

from .__main__ import failing, internals, wheel_of
from .running import Suite, listed, outcomes, reference
from .sample import EACH, FAMILIES, FROM_ONE_FILE, SIZE, drawn, sample

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
    left_out, known = internals(), listed(failing())
    wrong = [n for n in sorted(expected) if found[n] != "passed" and n not in left_out and n not in known]
    for file in sorted({name.partition("::")[0] for name in wrong}):  # in one process, one file's settings may reach the next
        found.update(suite.run([file], part))
    assert not [n for n in wrong if found[n] != "passed"], part
    assert not sorted(n for n in expected if found[n] == "passed" and n in left_out), part


def test_internals_are_few_and_have_reasons() -> None:
    """A test is left out of the count for a reason that is written beside it."""
    known = {f"{file}::{name}" for file, names in reference().items() for name in names}
    left_out = internals()
    assert len(known) > 3000
    assert set(left_out) <= known
    assert all(left_out.values())
    assert len(left_out) <= MOST_INTERNALS * len(known)


def test_the_sample_is_of_all_families() -> None:
    """Ids that pass in FAST_COMPILE, as many of each family as it says, and the same ones again when it is drawn from itself."""
    known = {f"{file}::{name}" for file, names in reference().items() for name in names}
    names = sample()
    assert len(names) == len(set(names)) == SIZE
    assert set(names) <= known - set(internals())
    assert all(sum(name.startswith(starts) for name in names) == EACH for starts in FAMILIES.values())
    assert drawn(names) == drawn(reversed(names)) == list(names)


def test_no_file_fills_the_sample() -> None:
    """Of a file with tests by the hundred so many are drawn, whatever its parameters are; of a family no more than its share."""
    names = [f"theano/tensor/tests/test_sort.py::T[{n}]" for n in range(900)] + [f"theano/scan_module/tests/a.py::{n}" for n in range(99)]
    chosen = drawn(names)
    assert len(chosen) == FROM_ONE_FILE + EACH


def test_a_test_that_cannot_be_torn_down_has_not_passed() -> None:
    """Two outcomes of one test: the worse one counts."""
    assert outcomes(["a\tpassed", "b\tpassed", "a\terror"]) == {"a": "error", "b": "passed"}
