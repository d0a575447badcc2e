"""A twentieth of Theano's own tests over the layer, another one each day: `make test` runs it every day, so that each test has its turn
within twenty."""

from __future__ import annotations

import datetime
from collections import Counter
from zlib import crc32

from tests import interpreters

from .__main__ import by_file, failing, internals, wheel_of
from .running import Suite, listed, reference

SLICES = 20
EVERY = tuple(f"{file}::{name}" for file, names in reference().items() for name in names)
"""The ids that the real Theano passes."""


def of_day(day: int) -> frozenset[str]:
    """The ids whose turn it is."""
    return frozenset(name for name in EVERY if crc32(name.encode("utf-8")) % SLICES == day % SLICES)


def test_what_passed_still_passes() -> None:
    """Of today's slice, every test runs, none fails that is not listed, and none of the internals passes."""
    suite = Suite(interpreters.find("suite"), wheel_of(interpreters.find("theano")), timeout=600)
    today = of_day(datetime.date.today().toordinal())
    files = by_file(sorted(today))
    found = suite.run(list(files), only=today)
    left_out, known = internals(), listed(failing())
    allowed = {*left_out, *known}
    wrong = {n for n in today if found.get(n) != "passed"} - allowed
    for file in by_file(sorted(wrong)):  # in one process, one file's settings may reach the next
        found.update(suite.run([file], only=wrong))
    assert not sorted(n for n in wrong if found.get(n) != "passed")
    assert not sorted(n for n in today if found.get(n) == "passed" and n in left_out)


def test_each_has_its_turn() -> None:
    """Within twenty days every id comes once, and no day has twice as many as another."""
    turns = Counter(name for day in range(SLICES) for name in of_day(739_000 + day))
    assert turns == Counter(EVERY)
    sizes = [len(of_day(day)) for day in range(SLICES)]
    assert max(sizes) < 2 * min(sizes)
