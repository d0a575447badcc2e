"""Running one command for a limited time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from theanodiag.processes.group import Outcome, run

CHILD = """
import os, sys, time
child = os.fork()
if child == 0:
    time.sleep(60)
open(sys.argv[1], "w").write(str(child))
"""


def python(program: str, *args: str, timeout: float | None = 30.0) -> Outcome:
    """Runs a program in our own interpreter."""
    return run([sys.executable, "-c", program, *args], os.environ, timeout)


def alive(pid: int) -> bool:
    """Whether a process still runs (one that nobody waited for does not)."""
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(shown.strip()) and not shown.startswith("Z")


def test_exit_code_is_told() -> None:
    """A process that ends by itself gives its exit code."""
    assert python("import sys; sys.exit(5)") == Outcome(5, False, False)


def test_signal_is_told() -> None:
    """A process that a signal ended gives its negative number."""
    assert python("import os; os.kill(os.getpid(), 9)").returncode == -9


def test_time_runs_out() -> None:
    """A process that does not end is ended."""
    began = time.monotonic()
    assert python("import time; time.sleep(60)", timeout=0.3).timed_out
    assert time.monotonic() - began < 10


def test_one_that_ignores_the_request_is_killed() -> None:
    """SIGKILL follows where SIGTERM is ignored."""
    program = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)"
    assert python(program, timeout=5.0) == Outcome(-9, True, False)


class Ear:
    """Hears one byte, and that is enough."""

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe()
        self.enough = False

    def fileno(self) -> int:
        """The pipe."""
        return self.reader

    def read(self) -> bool:
        """The byte."""
        self.enough = bool(os.read(self.reader, 1))
        return True


def test_the_listener_may_end_it() -> None:
    """One that heard enough asks for the end."""
    ear = Ear()
    program = "import os, sys, time\nos.write(int(sys.argv[1]), b'.')\ntime.sleep(60)"
    outcome = run([sys.executable, "-c", program, str(ear.writer)], os.environ, 30.0, inherited=(ear.writer,), listener=ear)
    assert outcome == Outcome(-signal.SIGTERM, False, True)


def test_no_child_survives(tmp_path: Path) -> None:
    """What the process left running ends with it."""
    python(CHILD, str(tmp_path / "child"))
    time.sleep(0.1)
    assert not alive(int((tmp_path / "child").read_text()))


SESSIONS = """
import os, subprocess, sys, time
folder = sys.argv[1]
def tell(name):
    with open(os.path.join(folder, name), "w") as file:
        file.write(str(os.getpid()))
if os.fork() == 0:  # a session of its own
    os.setsid()
    tell("session")
    time.sleep(60)
if os.fork() == 0:  # a daemon: its parent is gone too
    os.setsid()
    if os.fork() == 0:
        tell("daemon")
        time.sleep(60)
    os._exit(0)
if os.fork() == 0:  # that starts others for as long as it can
    os.setsid()
    tell("breeding")
    while True:
        if os.fork() == 0:
            os.setsid()
            time.sleep(60)
        time.sleep(0.01)
while len(os.listdir(folder)) < 3:
    time.sleep(0.01)
if sys.argv[2] == "stay":
    time.sleep(60)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere only the process group is known")
@pytest.mark.parametrize("how", ["stay", "leave"])
def test_nothing_survives_in_sessions_of_its_own(tmp_path: Path, how: str) -> None:
    """Daemons too end with the command, whether it ended itself or was ended."""
    outcome = python(SESSIONS, str(tmp_path), how, timeout=6.0 if how == "stay" else 30.0)
    assert outcome.timed_out == (how == "stay")
    left = [name for name in ("session", "daemon", "breeding") if alive(int((tmp_path / name).read_text()))]
    assert left == []
    shown = subprocess.run(["ps", "-eo", "args="], capture_output=True, text=True, check=True).stdout
    assert str(tmp_path) not in shown


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="prctl(2) is Linux's")
def test_this_process_adopts_nothing() -> None:
    """It may be the user's own program, which waits for its own children."""
    import ctypes

    assert python("pass").returncode == 0
    flag = ctypes.c_int(-1)
    ctypes.CDLL(None).prctl(37, ctypes.byref(flag), 0, 0, 0)  # PR_GET_CHILD_SUBREAPER
    assert flag.value == 0


def test_without_the_reaper_it_counts_as_killed(tmp_path: Path) -> None:
    """A command that ends the process between ends itself."""
    program = "import os, sys, time\nopen(sys.argv[1], 'w').write(str(os.getpid()))\nos.kill(os.getppid(), 9)\ntime.sleep(60)"
    assert python(program, str(tmp_path / "pid")).returncode == -signal.SIGKILL
    deadline, pid = time.monotonic() + 10, int((tmp_path / "pid").read_text())
    while alive(pid) and time.monotonic() < deadline:  # it is not our child, so that we cannot wait for it
        time.sleep(0.02)
    assert not alive(pid)


def test_a_command_that_cannot_start_is_named() -> None:
    """As by subprocess."""
    with pytest.raises(OSError, match="nowhere"):
        run(["/nowhere/at/all"], os.environ, 10.0)


def test_descriptors_do_not_pile_up() -> None:
    """Neither of a command that ends nor of one that is ended."""
    python("pass")
    before = len(os.listdir("/dev/fd"))
    python("pass")
    python("import time; time.sleep(60)", timeout=0.2)
    assert len(os.listdir("/dev/fd")) == before


def test_the_code_of_a_command_that_ends_at_once() -> None:
    """It is the command's, however soon it ends; the reaper's own objects do not collect it."""
    assert [run(["/bin/sh", "-c", "exit 3"], dict(os.environ), 60).returncode for _ in range(40)] == [3] * 40
