"""Theano's own tests over the layer in other modes, and the lists beside them; `test_today.py` has those of FAST_COMPILE."""

from __future__ import annotations

import datetime
import zlib

import pytest

from tests import interpreters

from .__main__ import failing, internals, wheel_of
from .running import Suite, listed, outcomes, reference
from .sample import EACH, FAMILIES, FROM_ONE_FILE, SIZE, drawn, sample

PARTS = 15
MINUTE = 60.0
MOST_INTERNALS = 0.08
"""Of the tests that Theano passes, so many at most may be about what no script can see."""


@pytest.mark.parametrize(("mode", "name"), [("NUMBA", "suite"), ("JAX", "suite_jax")])
def test_what_passed_in_another_mode_still_passes(mode: str, name: str) -> None:
    """Of today's part of the sample, as many as a minute is enough for: other ones come first the next time."""
    suite = Suite(interpreters.find(name), wheel_of(interpreters.find("theano")), mode)
    turn, part = divmod(datetime.date.today().toordinal(), PARTS)
    names = [n for n in sample() if zlib.crc32(n.encode("utf-8")) % PARTS == part]
    files = sorted({n.partition("::")[0] for n in names}, key=lambda file: zlib.crc32(f"{turn}{file}".encode()))
    found = suite.run(files, only=names, limit=MINUTE)
    assert found, f"no test of {mode} came to its end within {MINUTE:g} s"
    left_out, known = internals(mode), listed(failing(mode))
    wrong = {n for n, outcome in found.items() if n in names and outcome != "passed"} - set(left_out) - set(known)
    for file in sorted({n.partition("::")[0] for n in wrong}):
        found.update(suite.run([file], only=wrong))
    assert not sorted(n for n in wrong if found[n] != "passed"), (mode, part)
    assert not sorted(n for n in left_out if found.get(n) == "passed"), (mode, part)


@pytest.mark.parametrize("mode", ["C", "NUMBA", "JAX"])
def test_what_is_listed_for_a_mode_is_in_the_sample(mode: str) -> None:
    """Each limit has its reason, and at most a tenth of the sample is listed at all."""
    limits = {n: reason for n, reason in internals(mode).items() if n not in internals()}
    assert all(limits.values())
    assert set(limits) | set(listed(failing(mode))) <= set(sample())
    assert not set(limits) & set(listed(failing(mode)))
    assert len(limits) + len(listed(failing(mode))) <= SIZE // 10


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
