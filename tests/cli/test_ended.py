"""A command that is asked to end takes the script that it runs with it."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SLEEPING = """\
import os, sys, time
open(sys.argv[1] + ".new", "w").write(str(os.getpid()))
os.rename(sys.argv[1] + ".new", sys.argv[1])
time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_nothing_is_left_behind(number: signal.Signals, tmp_path: Path) -> None:
    """Neither the script nor a file."""
    script, told, temporary = tmp_path / "model.py", tmp_path / "pid", tmp_path / "temporary"
    script.write_text(SLEEPING)
    temporary.mkdir()
    command = [sys.executable, "-m", "theanodiag", "check", str(script), "--gpu", "none", "--", str(told)]
    env = {**os.environ, "TMPDIR": str(temporary)}
    # Beneath `nohup` a signal may be one that nobody hears.
    heard = functools.partial(signal.signal, number, signal.SIG_DFL)
    with subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL, preexec_fn=heard) as process:
        while not told.exists():
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(number)
        assert process.wait(30) == 128 + number
    with pytest.raises(ProcessLookupError):
        os.kill(int(told.read_text()), 0)
    assert list(temporary.iterdir()) == []
