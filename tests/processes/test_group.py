"""Running one command for a limited time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from theanodiag.processes.group import Outcome, run

CHILD = """
import os, sys, time
child = os.fork()
if child == 0:
    time.sleep(60)
open(sys.argv[1], "w").write(str(child))
"""


def python(folder: Path, program: str, *args: str, timeout: float | None = 30.0) -> Outcome:
    """Runs a program in our own interpreter."""
    return run([sys.executable, "-c", program, *args], os.environ, timeout, folder / "stop", None)


def alive(pid: int) -> bool:
    """Whether a process still runs (one that nobody waited for does not)."""
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(shown.strip()) and not shown.startswith("Z")


def test_exit_code_is_told(tmp_path: Path) -> None:
    """A process that ends by itself gives its exit code."""
    assert python(tmp_path, "import sys; sys.exit(5)") == Outcome(5, False, False)


def test_signal_is_told(tmp_path: Path) -> None:
    """A process that a signal ended gives its negative number."""
    assert python(tmp_path, "import os; os.kill(os.getpid(), 9)").returncode == -9


def test_time_runs_out(tmp_path: Path) -> None:
    """A process that does not end is ended."""
    began = time.monotonic()
    assert python(tmp_path, "import time; time.sleep(60)", timeout=0.3).timed_out
    assert time.monotonic() - began < 10


def test_one_that_ignores_the_request_is_killed(tmp_path: Path) -> None:
    """SIGKILL follows where SIGTERM is ignored."""
    program = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)"
    assert python(tmp_path, program, timeout=1.0) == Outcome(-9, True, False)


def test_stop_file_ends_it(tmp_path: Path) -> None:
    """A child that saw enough asks for the end through a file."""
    program = "import sys, time\nopen(sys.argv[1], 'w').close()\ntime.sleep(60)"
    outcome = python(tmp_path, program, str(tmp_path / "stop"))
    assert outcome.asked_to_stop
    assert not outcome.timed_out


def test_no_child_survives(tmp_path: Path) -> None:
    """What the process left running ends with it."""
    python(tmp_path, CHILD, str(tmp_path / "child"))
    time.sleep(0.1)
    assert not alive(int((tmp_path / "child").read_text()))
