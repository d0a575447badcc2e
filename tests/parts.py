"""The parts of the tests that take turns, day by day: `make test` runs one of them, so that a week has all."""

from __future__ import annotations

import datetime
from pathlib import Path
from zlib import crc32

TESTS = Path(__file__).parent
DAYS = 7
"""Number of parts: a test that runs every day runs all of them in a week."""
HOSTILE_DAY = 3
EVERY_DAY = ("capture/test_frameworks.py", "compat/suite/test_today.py", "compat/test_install.py", "examples/test_tutorial.py")
"""Files that belong to each part: every framework, the layer over PyTensor, a twentieth of Theano's own tests (each day another one), and
what a new user does first."""


def in_part(path: Path, part: str) -> bool:
    """Whether a test file is in part `K/N`. It stays in its part when others are added or removed."""
    name = path.relative_to(TESTS).as_posix()
    number, parts = map(int, part.split("/"))
    return name in EVERY_DAY or crc32(name.encode()) % parts == number


def todays(day: datetime.date) -> str:
    """The part of a day, as `--part` takes it."""
    return f"{day.toordinal() % DAYS}/{DAYS}"


def is_hostile(day: datetime.date) -> bool:
    """Whether the tests without a framework start in a hostile environment (tests/surroundings.py) on a day: one in a week."""
    return day.toordinal() % DAYS == HOSTILE_DAY


if __name__ == "__main__":
    print(todays(datetime.date.today()))
