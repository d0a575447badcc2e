"""However the measured run ends, the report comes, nothing keeps running and nothing is left behind."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interpreters import THOROUGH

from .running import SCRIPTS, command, confirm, environment


def running(text: str) -> list[str]:
    """Command lines of processes that have `text` in them."""
    lines = subprocess.run(["ps", "-ww", "-eo", "stat=,args="], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in lines if text in line and not line.startswith("Z")]


@pytest.mark.parametrize(
    ("way", "note"),
    [
        ("killed", "the measured run ended with signal 9"),
        pytest.param("forking", None, marks=THOROUGH),
        pytest.param("hung", "the measured run was ended: it did not end within 60 s (--timeout)", marks=THOROUGH),
        pytest.param("raising", "the measured run ended with ValueError: computed values are not what they were", marks=THOROUGH),
    ],
)
def test_the_report_comes(way: str, note: str | None, tmp_path: Path) -> None:
    """With what was measured until then."""
    script = tmp_path / "ends.py"
    script.write_text((SCRIPTS / "ends.py").read_text())
    told = confirm(tmp_path, "theano", script, "cpu", "--gpu", "none", "--timeout", "60", args=(way,))
    assert told.code == (3 if note else 0), told.stderr
    assert told.confirmation["notes"] == ([note] if note else [])
    assert told.confirmation["failure"] == note
    assert told.errors()
    assert set(told.errors()) == {0}
    assert running(str(script)) == []
    assert list(told.temporary.iterdir()) == []


@THOROUGH
def test_what_the_simulated_device_cannot_measure_is_said(tmp_path: Path) -> None:
    """A shape that kernels compute is wrong where none runs: the run ends, the report says why, and the exit code is not 0."""
    told = confirm(tmp_path, "gpu", SCRIPTS / "shape_by_kernel.py", "virtual", "--gpu", "1GiB")
    assert told.code == 3
    assert "GpuReshape: trying to reshape" in told.confirmation["failure"]
    assert told.confirmation["notes"][1].startswith("the simulated device computes no numbers")
    assert told.report["process"]["live_peak_bytes"] > 0


@THOROUGH
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_stays_where_theanodiag_itself_is_ended(number: signal.Signals, tmp_path: Path) -> None:
    """In the middle of the measured run."""
    script, temporary = tmp_path / "ends.py", tmp_path / "temporary"
    script.write_text((SCRIPTS / "ends.py").read_text())
    line, env = command("theano", script, "cpu", "--gpu", "none", args=("hung",)), environment(temporary)
    with subprocess.Popen(line, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        assert within(lambda: script.with_name("ends.py.hung").exists())
        process.send_signal(number)
    assert within(lambda: not running(str(script)) and not list(temporary.iterdir()))


def within(true: Callable[[], bool], seconds: float = 400.0) -> bool:
    """Whether something comes true in time."""
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        time.sleep(0.1)
    return true()


@THOROUGH
def test_out_of_memory_in_the_middle(tmp_path: Path) -> None:
    """Exit code 53, and the node, the request and what was live."""
    told = confirm(tmp_path, "gpu", SCRIPTS / "too_much.py", "virtual", "--gpu", "64MiB", "--device-overhead", "0")
    out = told.confirmation["out_of_memory"]
    assert told.code == 53
    assert (out["function"], out["call"], out["op"], out["asked_bytes"]) == (0, 1, "GpuFromHost", 80_000_000)
    assert out["tensors"][0] == {"variable": "W", "bytes": 4_000_000}
    assert set(told.errors()) == {0}
    assert list(told.temporary.iterdir()) == []
