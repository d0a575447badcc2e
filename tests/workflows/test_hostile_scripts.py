"""Scripts that hang, fork, crash, eat memory, flood, and kill what they can reach: each is accounted for, none costs another anything."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import pytest

from tests.interpreters import THOROUGH
from theanodiag.workflows import result_store
from theanodiag.workflows.run_scripts import _apart

FORKS = """
import os, time
for k in range(3):
    if not os.fork():
        os.setsid()
        if os.fork():
            os._exit(0)
        time.sleep(600)
"""
KINDS = {
    "quiet": ("", ("ran", "no framework", "failed")),
    "hangs": ("import time\ntime.sleep(600)\n", ("timed out",)),
    "spins": ("while True:\n    pass\n", ("timed out",)),
    "forks": (FORKS, ()),
    "crashes": ("import ctypes\nctypes.string_at(0)\n", ("failed",)),
    "eats": ("x = []\nwhile True:\n    x.append(bytearray(1 << 26))\n", ("out of memory",)),
    "floods": ("import sys\nfor k in range(100):\n    sys.stdout.write('x' * (1 << 20))\n", ()),
    "parricide": ("import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(600)\n", ("failed", "timed out")),
    "home": ("import os\nopen(os.path.expanduser('~/written'), 'w').write('x')\n", ()),
}
"""What each does first, and the outcomes that it may have; all that `quiet` may have where nothing stands there."""
FLAGS = "export THEANO_FLAGS=floatX=float32,compiledir=/tmp/{}\npython model.py\n"
"""A file that is read and not run."""
TO_ALL = "import os, signal, time\ntime.sleep(1)\nos.kill(-1, signal.SIGKILL)\ntime.sleep(600)\n"
"""Only where it is kept from reaching anybody."""


def made(folder: Path, read: int, each: int) -> dict[str, tuple[str, ...]]:
    """So many files that are only read, and so many scripts of each kind; the outcomes that each of these may have, by path."""
    for k in range(read):
        (folder / f"read{k // 500}").mkdir(exist_ok=True)
        (folder / f"read{k // 500}" / f"m{k}.sh").write_text(FLAGS.format(k))
    kinds = {**KINDS, **({"to_all": (TO_ALL, ("failed", "timed out"))} if "--pid" in _apart() else {})}
    allowed = {}
    for kind, (text, outcomes) in kinds.items():
        for k in range(each):
            (folder / f"{kind}{k}.py").write_text(f"# {k}\n{text}import theano\n")
            allowed[f"{kind}{k}.py"] = outcomes or KINDS["quiet"][1]
    return allowed


def command(timeout: float, jobs: int = 3) -> list[str]:
    """A scan of the working folder that runs what it finds."""
    limits = ["--timeout", f"{timeout:g}", "--memory", "1GiB", "--jobs", str(jobs)]
    return [
        sys.executable,
        "-m",
        "theanodiag",
        "scan",
        ".",
        "--run",
        *limits,
        "--format",
        "json",
        "--cache",
        "store",
        "--exclude",
        "store/",
    ]


def surroundings(folder: Path, mark: str) -> dict[str, str]:
    """With a home of its own, and a mark that all processes inherit."""
    home = folder.parent / f"home-{folder.name}"
    home.mkdir(exist_ok=True)
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "HOME": str(home), "THEANODIAG_TEST_MARK": mark}


def marked(mark: str) -> list[int]:
    """Processes that have the mark."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def left_over(mark: str) -> list[int]:
    """Those that are still there after a while."""
    until = time.monotonic() + 60
    while (found := marked(mark)) and time.monotonic() < until:
        time.sleep(0.2)
    return found


def accounted(document: dict[str, Any], read: int, allowed: dict[str, tuple[str, ...]]) -> None:
    """Every file once, each with an outcome of its kind."""
    paths = [f["path"] for f in document["files"]]
    assert len(paths) == len(set(paths)) == read + len(allowed)
    assert {f["state"] for f in document["files"]} == {"read"}
    outcomes = {f["path"]: f["run"]["outcome"] for f in document["files"] if f["run"] is not None}
    assert set(outcomes) == set(allowed)
    assert {path: outcome for path, outcome in outcomes.items() if outcome not in allowed[path]} == {}
    quiet = {outcomes[path] for path in outcomes if path.startswith("quiet")}
    assert len(quiet) == 1  # as if no other had been there


@pytest.mark.parametrize(("read", "each", "timeout"), [(300, 1, 15), pytest.param(9800, 20, 15, marks=THOROUGH)])
def test_each_is_accounted_for(tmp_path: Path, read: int, each: int, timeout: float) -> None:
    """None twice, no neighbour lost, and no process is left."""
    folder, mark = tmp_path / "scripts", uuid.uuid4().hex
    folder.mkdir()
    allowed = made(folder, read, each)
    done = subprocess.run(command(timeout), cwd=folder, env=surroundings(folder, mark), capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr[-2000:]
    accounted(json.loads(done.stdout), read, allowed)
    assert left_over(mark) == []
    assert sorted(p.name for p in folder.iterdir() if not p.name.startswith("read")) == sorted([*allowed, "store"])


@pytest.mark.parametrize(("moments", "each"), [(3, 2), pytest.param(10, 6, marks=THOROUGH)])
def test_a_scan_that_is_killed_at_any_moment_goes_on(tmp_path: Path, moments: int, each: int) -> None:
    """What it kept is neither lost nor done again, and the scripts that it was running go with it."""
    folder, mark = tmp_path / "scripts", uuid.uuid4().hex
    folder.mkdir()
    read = 40 * moments
    made(folder, read, 0)
    for k in range(each):
        (folder / f"quiet{k}.py").write_text(f"# {k}\nimport time\ntime.sleep(1)\nimport theano\n")
    store, whole = folder / "store" / result_store.NAME, read + 2 * each
    for moment in range(1, moments + 1):
        with subprocess.Popen(
            command(60), cwd=folder, env=surroundings(folder, mark), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as scan:
            while scan.poll() is None and kept(store) < whole * moment // (moments + 1):
                time.sleep(0.01)
            before = kept(store)
            scan.send_signal(signal.SIGKILL)
        assert kept(store) >= before
        assert left_over(mark) == []
    done = subprocess.run(command(60), cwd=folder, env=surroundings(folder, mark), capture_output=True, text=True, check=False)
    accounted(json.loads(done.stdout), read, {f"quiet{k}.py": KINDS["quiet"][1] for k in range(each)})
    keys = [json.loads(line)["key"] for line in store.read_bytes().splitlines() if line.startswith(b"{") and line.endswith(b"}")]
    assert len(keys) == len(set(keys)) == whole


def kept(store: Path) -> int:
    """Results in the store."""
    return store.read_bytes().count(b"\n") if store.exists() else 0
