"""What the operating system refuses is the user's to mend: exit code 3 with what is short, never a traceback nor a bug of ours."""

from __future__ import annotations

import os
import pickle
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from ..interpreters import ROOT, find

COMMANDS = (
    ["check", "{top}/m.py"], ["compare", "{top}/m.py"], ["config", "check", "{top}/theanorc"], ["config", "show", "{top}/theanorc"],
    ["config", "rewrite", "{top}/theanorc", "--to", "pytensor"], ["config", "set", "floatX=float64", "{top}/theanorc"],
    ["weights", "{top}/w.pkl"], ["weights", "{top}/w.pkl", "--to", "npz", "-o", "{top}/o.npz"], ["explain-log", "{top}/crash.log"],
    ["graph", "{top}/g.txt"], ["scan", "{top}"], ["scan", "{top}", "--format", "html", "-o", "{top}/o.html"], ["port", "{top}/m.py"],
    ["port", "{top}/m.py", "--write"], ["doctor"], ["run", "{top}/m.py"], ["rules"], ["explain", "TD301"],
)  # fmt: skip
"""Every command, with files of `folder`."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A file for each command."""
    (tmp_path / "m.py").write_text("import theano\ntheano.config.floatX\n" + "# a comment\n" * 200)
    (tmp_path / "theanorc").write_text("[global]\nfloatX = float32\n" + "# a comment\n" * 200)
    (tmp_path / "w.pkl").write_bytes(pickle.dumps({"a": [1.0] * 200}))
    (tmp_path / "crash.log").write_text("MemoryError: Error allocating 1000 bytes of device memory (out of memory).\n")
    (tmp_path / "g.txt").write_text("Elemwise{add} [id A] '' 0\n |x [id B]\n |y [id C]\n")
    return tmp_path


def run(words: list[str], top: Path, limit: tuple[int, int] | None = None, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A command below a limit of the operating system."""
    command = [sys.executable, "-m", "theanodiag", *(word.format(top=top) for word in words)]
    before = None if limit is None else lambda: resource.setrlimit(limit[0], (limit[1], limit[1]))
    env = {**os.environ, "PYTHONPATH": str(ROOT), "THEANODIAG_DEBUG": ""}
    return subprocess.run(command, cwd=cwd or top, env=env, capture_output=True, text=True, check=False, preexec_fn=before)


def require_told(done: subprocess.CompletedProcess[str]) -> None:
    """No bug of ours: an exit code of the interface, and no traceback."""
    assert done.returncode in (0, 1, 2, 3, 53), (done.args, done.returncode, done.stderr)
    assert "bug of theanodiag" not in done.stderr, (done.args, done.stderr)
    if "run" not in done.args:  # whose script fails by itself
        assert "Traceback" not in done.stderr, (done.args, done.stderr)


@pytest.mark.parametrize(
    ("limit", "size"), [(resource.RLIMIT_NOFILE, 12), (resource.RLIMIT_FSIZE, 1024), (resource.RLIMIT_FSIZE, 0)], ids=["12", "1KiB", "0"]
)
def test_limits(limit: int, size: int, folder: Path) -> None:
    """Few open files, small files, none at all: each command works, or says what it lacks; what could not be written is as it was."""
    before = (folder / "m.py").read_bytes(), (folder / "theanorc").read_bytes()
    for words in COMMANDS:
        done = run(words, folder, (limit, size))
        require_told(done)
        if limit == resource.RLIMIT_FSIZE and ("--write" in words or "set" in words):
            assert done.returncode == 3, words
            assert "File too large" in done.stderr, words
    if limit == resource.RLIMIT_FSIZE:
        assert before == ((folder / "m.py").read_bytes(), (folder / "theanorc").read_bytes())


def test_open_files_are_named_where_they_are_short(folder: Path) -> None:
    """With the limit to raise."""
    done = run(["scan", "."], folder, (resource.RLIMIT_NOFILE, 12))
    assert (done.returncode, "ulimit -n" in done.stderr) == (3, True), done.stderr


def test_a_check_below_these_limits(folder: Path) -> None:
    """A script that could be run but for the limit."""
    for limit in ((resource.RLIMIT_NOFILE, 12), (resource.RLIMIT_FSIZE, 1024), (resource.RLIMIT_FSIZE, 0)):
        require_told(run(["check", "m.py", "--python", find("pytensor"), "--gpu", "none"], folder, limit))


def test_a_working_folder_that_is_gone(folder: Path) -> None:
    """Is named by whatever needs one; the rest works."""
    gone = folder / "gone"
    for words in COMMANDS:
        gone.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "theanodiag", *(word.format(top=folder) for word in words)]
        shell = ["sh", "-c", 'rmdir "$0" && exec "$@"', str(gone), *command]
        env = {**os.environ, "PYTHONPATH": str(ROOT), "THEANODIAG_DEBUG": ""}
        done = subprocess.run(shell, cwd=gone, env=env, capture_output=True, text=True, check=False)
        require_told(done)
        if words[:2] == ["config", "check"]:
            assert (done.returncode, "the working folder is gone" in done.stderr) == (3, True), done.stderr


def test_a_device_that_is_full(folder: Path) -> None:
    """Standard output and `-o`."""
    assert run(["rules", "--format", "json"], folder).returncode == 0
    with open("/dev/full", "w") as full:
        words = [sys.executable, "-m", "theanodiag", "rules"]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=str(ROOT))
    assert (done.returncode, "No space left" in done.stderr) == (3, True)
    done = run(["scan", ".", "--format", "html", "-o", "/dev/full"], folder)
    assert (done.returncode, "No space left" in done.stderr) == (3, True), done.stderr
