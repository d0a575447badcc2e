"""What is cleaned up behind a process that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from theanodiag.processes.group import temporary, unless_finished

PROGRAM = """
import os, signal, sys
from theanodiag.processes.group import run
from theanodiag.processes.group import temporary
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs are deaf to it
with temporary() as folder:
    (folder / "full").write_text("")
    print(folder, flush=True)
    run(["/bin/sh", "-c", "sleep 61 & sleep 0.5; echo $! $$; exec sleep 62"], os.environ, None)
"""


def gone(pid: int) -> bool:
    """Whether a process ended, within some seconds."""
    return within(lambda: not Path(f"/proc/{pid}").exists() or " Z " in Path(f"/proc/{pid}/stat").read_text())


def within(true: object, seconds: float = 10.0) -> bool:
    """Whether something comes true in time."""
    assert callable(true)
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(true())


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_stays_behind_a_killed_process(number: signal.Signals, tmp_path: Path) -> None:
    """Neither what it ran, nor what that started, nor the folder."""
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=-1, text=True, env=env) as process:
        assert process.stdout is not None
        folder, pids = Path(process.stdout.readline().strip()), process.stdout.readline().split()
        assert (folder / "full").exists()
        process.send_signal(number)
        assert all(gone(int(pid)) for pid in pids)
    assert within(lambda: not list(tmp_path.iterdir()))


def test_the_folder_goes_with_the_block() -> None:
    """As usual."""
    with temporary() as folder:
        (folder / "full").write_text("")
    assert not folder.exists()


def test_nothing_is_done_after_the_block(tmp_path: Path) -> None:
    """The shell is told that all is well, also where the block raises before it told anything, or has nothing to tell."""
    with unless_finished('rm -rf "$it"') as tell:
        tell(tmp_path)
    with pytest.raises(ZeroDivisionError), unless_finished('rm -rf "$it"') as tell:
        tell(f"{tmp_path}{1 // 0}")
    with unless_finished(f'rm -rf "{tmp_path}"'):
        pass
    assert tmp_path.exists()


def test_without_a_shell_all_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is only nobody who would clean up."""
    monkeypatch.setattr("theanodiag.processes.group.SHELL", str(tmp_path / "none"))
    with temporary() as folder:
        assert folder.exists()
    assert not folder.exists()
