"""The time limit of a piece of work in this process."""

from __future__ import annotations

import time

import pytest

from theanodiag.errors import UnreadableError
from theanodiag.processes.time_limit import time_limit


class Slow:
    """An object whose destructor takes longer than the limit: Python drops what is raised in it."""

    def __del__(self) -> None:
        time.sleep(0.3)


def works_long() -> None:
    """Ten seconds of work."""
    Slow()
    began = time.monotonic()
    while time.monotonic() - began < 10:
        time.sleep(0.01)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_end_that_python_drops_is_raised_anew() -> None:
    """The work does not go on for ever."""
    began = time.monotonic()
    with pytest.raises(UnreadableError, match="given up"), time_limit(0.1, "a.py", ""):
        works_long()
    assert time.monotonic() - began < 8  # AGAIN (1 s) later on an idle machine; the work takes ten
