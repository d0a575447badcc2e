"""The one reader of files that a user names: regular files up to a limit, whatever else the name leads to."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import theanodiag
from tests.interpreters import ROOT
from theanodiag import files
from theanodiag.errors import UnreadableError, UsageError

COMMANDS = (
    "graph {}",
    "config check {}",
    "config rewrite {} --to pytensor",
    "config rewrite {} --to pytensor --write",
    "config set floatX=float32 {}",
    "config set floatX=float32 {} --diff",
    "config set --from-report {} rc",
    "check {}",
    "check model.py --fix {}",
)
"""Every way to name a file that is read or written."""
LIMITED = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
sys.argv[0] = "theanodiag"
from theanodiag.cli.main import main
sys.exit(main())
"""
"""The command in a process that has 1 GiB of memory."""


@pytest.fixture
def strange(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Kind -> a path that is no file to read; a pipe without a writer among them."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    (tmp_path / "huge").touch()
    os.truncate(tmp_path / "huge", 10 << 30)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        yield {**{name: str(tmp_path / name) for name in ("folder", "pipe", "link", "huge", "socket")}, "zero": "/dev/zero"}


KINDS = {
    "folder": "this is a folder, not a file",
    "pipe": "this is a pipe, not a file",
    "link": "this is a pipe, not a file",
    "socket": "this is a socket, not a file",
    "zero": "this is a device, not a file",
    "huge": "larger than 1 MiB",
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_refused(strange: dict[str, str], kind: str) -> None:
    """At once, with what it is."""
    with pytest.raises(UnreadableError, match=KINDS[kind]) as caught:
        files.read(strange[kind], files.CONFIGURATION, help="name another")
    assert (caught.value.path, caught.value.help) == (strange[kind], "name another")


def test_limit_on_the_byte(tmp_path: Path) -> None:
    """A file of just the limit is read."""
    path = tmp_path / "file"
    path.write_bytes(b"x" * 10)
    assert files.read(str(path), 10) == b"x" * 10
    with pytest.raises(UnreadableError, match="larger than 9 bytes"):
        files.read(str(path), 9)


def test_a_file_without_a_size_is_bounded() -> None:
    """What the system makes up while it is read has the size 0; the limit holds nevertheless."""
    if not os.path.exists("/proc/self/environ"):
        pytest.skip("needs /proc")
    assert files.read("/proc/self/status", files.CONFIGURATION)
    with pytest.raises(UnreadableError, match="larger than 3 bytes"):
        files.read("/proc/self/status", 3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_it(strange: dict[str, str], tmp_path: Path, command: str, kind: str) -> None:
    """With the exit code of what cannot be read, in little memory and without waiting, and it stays what it was."""
    (tmp_path / "model.py").write_text("open('ran', 'w')\n")
    before = os.stat(strange[kind])
    words = command.format(strange[kind]).split()
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    program = [sys.executable, "-c", LIMITED, *words]
    done = subprocess.run(program, cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    if command.endswith("--fix {}") and kind == "huge":
        assert done.returncode == 3  # a file that may be replaced; the script has no framework
        return
    assert done.returncode == 3, done.stderr
    reason = KINDS[kind].replace("1 MiB", "")
    assert reason in done.stderr or "Is a directory" in done.stderr
    assert strange[kind] in done.stderr
    assert not (tmp_path / "ran").exists()
    after = os.stat(strange[kind])
    assert (after.st_mode, after.st_ino, after.st_size) == (before.st_mode, before.st_ino, before.st_size)


def test_standard_input_is_bounded() -> None:
    """What never ends is refused once the limit is reached."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with open("/dev/zero", "rb") as zero:
        program = [sys.executable, "-c", LIMITED, "graph", "-"]
        done = subprocess.run(program, env=env, stdin=zero, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "larger than 32 MiB" in done.stderr) == (3, True), done.stderr


@pytest.mark.parametrize("variable", ["THEANORC", "XDG_CONFIG_HOME"])
def test_files_that_the_environment_names(tmp_path: Path, variable: str) -> None:
    """A pipe in place of an rc file is passed over, as a missing one is; in place of our own file it is refused."""
    (tmp_path / "theanodiag").mkdir()
    os.mkfifo(tmp_path / "theanodiag" / "devices.toml")
    (tmp_path / "paste").write_text("Elemwise{exp} [id A] ''   \n |x [id B]\n")
    value = tmp_path / "theanodiag" / "devices.toml" if variable == "THEANORC" else tmp_path
    words = ["config", "check"] if variable == "THEANORC" else ["graph", str(tmp_path / "paste"), "--gpu", "4GiB"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), variable: str(value)}
    done = subprocess.run([sys.executable, "-c", LIMITED, *words], env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == (0 if variable == "THEANORC" else 3), done.stderr
    assert "missing" in done.stdout or "cannot be read: this is a pipe" in done.stderr or "cannot be opened" in done.stdout


@pytest.mark.parametrize("function", [theanodiag.port, theanodiag.explain_log])
def test_the_name_of_a_file_is_no_text(function: Callable[[str], object], tmp_path: Path) -> None:
    """A text is asked for: of a name nobody would see that nothing was found in it."""
    (tmp_path / "slurm-17").write_text("import theano\n", encoding="utf-8")
    for name in (str(tmp_path / "slurm-17"), "nothing_there.py", "job.log"):
        with pytest.raises(UsageError, match="names a file: pass the text of the"):
            function(name)
    function("theano.config")


def test_a_choice_that_port_does_not_know() -> None:
    """It names those that it knows."""
    with pytest.raises(UsageError, match="to is one of pytensor, aesara, pymc, theano, not 'jax'"):
        theanodiag.port("import theano", to="jax")


def test_the_text_of_a_notebook_is_ported_as_one() -> None:
    """Its path says what it is."""
    text = '{"cells": [{"cell_type": "code", "source": "import theano"}], "nbformat": 4}'
    assert "import pytensor" in theanodiag.port(text, path="a.ipynb").after


def test_a_diagnosis_is_one_line_at_a_prompt() -> None:
    """And its text is what the command prints of it in one sentence."""
    diagnosis = theanodiag.explain_log("MemoryError: Error allocating 86118400 bytes of device memory (out of memory).")
    assert repr(diagnosis) == "<Diagnosis of line 1: capacity: 82.1 MiB were requested, and the device had less left>"
