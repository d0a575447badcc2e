"""Which tests run on which day: within a week every file has its turn."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from .conftest import reason
from .parts import DAYS, EVERY_DAY, TESTS, in_part, is_hostile, todays

FILES = sorted(TESTS.rglob("test_*.py"))
MONDAY = datetime.date(2026, 1, 5)


def of_day(day: int) -> set[Path]:
    """The test files of the part of a day."""
    part = todays(MONDAY + datetime.timedelta(day))
    return {path for path in FILES if in_part(path, part)}


@pytest.mark.parametrize("first", [0, 3, 360])
def test_a_week_has_all_files(first: int) -> None:
    """Whichever day it begins on, and over the turn of a year."""
    assert set().union(*(of_day(first + k) for k in range(DAYS))) == set(FILES)


def test_one_day_of_a_week_is_hostile() -> None:
    """Whichever day it begins on."""
    assert all(sum(is_hostile(MONDAY + datetime.timedelta(first + k)) for k in range(DAYS)) == 1 for first in range(DAYS))


def test_a_day_has_about_a_part() -> None:
    """Each file has one day, but for those of every day."""
    usual = [of_day(k) - {TESTS / name for name in EVERY_DAY} for k in range(DAYS)]
    assert sum(map(len, usual)) == len(FILES) - len(EVERY_DAY)
    assert max(map(len, usual)) < 2 * len(FILES) / DAYS


@pytest.mark.parametrize("name", EVERY_DAY)
def test_some_files_run_every_day(name: str) -> None:
    """And they exist."""
    assert all(TESTS / name in of_day(k) for k in range(DAYS))


def test_the_reason_of_a_skip_is_what_the_test_said() -> None:
    """Without pytest's own word before it, so that equal reasons are one line."""
    report = pytest.CollectReport("tests/x.py", "skipped", ("tests/x.py", 3, "Skipped: needs aesara"), [])
    assert reason(report) == "needs aesara"
