"""The time limit of a piece of work in this process."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from tests.interpreters import ROOT
from theanodiag.errors import UnreadableError
from theanodiag.processes.time_limit import time_limit


class Slow:
    """An object whose destructor takes longer than the limit: Python drops what is raised in it."""

    def __del__(self) -> None:
        time.sleep(0.3)


def works_long() -> None:
    """A hundred seconds of work."""
    Slow()
    began = time.monotonic()
    while time.monotonic() - began < 100:
        time.sleep(0.01)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_end_that_python_drops_is_raised_anew() -> None:
    """The work does not go on for ever."""
    began = time.monotonic()
    with pytest.raises(UnreadableError, match="given up"), time_limit(0.1, "a.py", ""):
        works_long()
    assert time.monotonic() - began < 60  # AGAIN (1 s) later on an idle machine; the work takes a hundred


ENDS_AS_IT_RINGS = """
import contextlib, time
from theanodiag.errors import UnreadableError
from theanodiag.processes.time_limit import AGAIN, time_limit

def work(n):
    for _ in range(n):
        pass

start = time.perf_counter()
work(20000)
each = (time.perf_counter() - start) / 20000
for k in range(3000):
    with contextlib.suppress(UnreadableError), time_limit(0.0005, "a.py", ""):
        work(int(0.0005 / each * (0.9 + 0.0001 * (k % 2000))))
time.sleep(AGAIN + 0.5)
"""


def test_an_alarm_as_the_work_ends_is_none() -> None:
    """It was raised outside of the block, or left the timer running, whose next signal ended the process."""
    done = subprocess.run([sys.executable, "-c", ENDS_AS_IT_RINGS], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
