"""`theanodiag scan` ends when it is told to, whatever its workers and scripts do, and leaves nothing; a file may take its time only."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .run import theanodiag

SLOW = "import theano\n" + "".join(f"x{k} = theano.tensor.sqr(x{k - 1})\n" for k in range(1, 60000))
FORKS = (
    "import os, time, theano\nfor _ in range(3):\n    os.fork()\nos.setsid() if os.getpid() != os.getpgid(0) else None\ntime.sleep(600)\n"
)
HANGS = "import time, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)\nimport theano\n"


def marked(mark: str) -> list[int]:
    """Processes that have the mark in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if f"THEANODIAG_TEST_MARK={mark}".encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize(
    "options", [("--jobs", "2"), ("--jobs", "1"), ("--jobs", "2", "--run"), ("--jobs", "1", "--run"), ("--jobs", "2", "--dask")]
)
def test_a_signal_ends_it(tmp_path: Path, number: signal.Signals, options: tuple[str, ...]) -> None:
    """With all that it started, its temporary folders, and without a traceback."""
    if "--dask" in options:
        pytest.importorskip("distributed", reason="needs dask.distributed: pip install 'theanodiag[dask]'")
    sources, folder = tmp_path / "sources", tmp_path / "tmp"
    sources.mkdir()
    folder.mkdir()
    for k in range(4):
        text = (HANGS, FORKS.replace("theano", "aesara"))[k % 2] if "--run" in options else SLOW
        (sources / f"m{k}.py").write_text(
            text.replace("import time, theano", "import time").replace("import os, time, aesara", "import os, time")
        )
        if "--run" in options:
            (sources / f"m{k}.py").write_text((sources / f"m{k}.py").read_text() + "import theano\n")
    mark = f"{tmp_path.name}-{os.getpid()}"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "TMPDIR": str(folder), "THEANODIAG_TEST_MARK": mark}
    command = [sys.executable, "-m", "theanodiag", "scan", str(sources), "--no-cache", *options]
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(5)
    assert process.poll() is None
    os.killpg(process.pid, number) if number is signal.SIGINT else process.send_signal(number)
    began = time.monotonic()
    told = process.communicate(timeout=60)[1]
    while (marked(mark) or list(folder.iterdir())) and time.monotonic() - began < 30:
        time.sleep(0.1)
    assert time.monotonic() - began < 30, (marked(mark), list(folder.iterdir()))
    assert process.returncode == (-number if number is signal.SIGKILL else 128 + number)
    assert "Traceback" not in told


@pytest.mark.parametrize("who", [("--jobs", "1"), ("--jobs", "2"), ("--jobs", "2", "--dask")])
def test_a_file_that_takes_too_long(tmp_path: Path, who: tuple[str, ...]) -> None:
    """Is named, and the others are done."""
    if "--dask" in who:
        pytest.importorskip("distributed", reason="needs dask.distributed: pip install 'theanodiag[dask]'")
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "quick.py").write_text("import theano\nx = theano.tensor.sqr(2)\n")
    done = theanodiag("scan", ".", "--no-cache", "--file-timeout", "2", *who, cwd=tmp_path)
    assert done.returncode == 1
    assert "slow.py: given up after 2 s" in done.stdout
    assert "1 of 2 files use a framework" in done.stdout
