"""`theanodiag config show`: values with origins, as text and as JSON, without importing a framework."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from .run import theanodiag


def environment(home: Path, **variables: str) -> dict[str, str]:
    """An environment in which only these variables are set."""
    empty = dict.fromkeys(("THEANO_FLAGS", "AESARA_FLAGS", "PYTENSOR_FLAGS"), "")
    return {**empty, "HOME": str(home), "THEANORC": str(home / "rc"), "COLUMNS": "200", **variables}


def show(home: Path, *args: str, **variables: str) -> dict[str, Any]:
    """The JSON of `config show`."""
    data: dict[str, Any] = json.loads(theanodiag("config", "show", "--format", "json", *args, env=environment(home, **variables)).stdout)
    return data


def test_text(tmp_path: Path) -> None:
    """One line a flag that is set: the place, the name, the value, and what it overrides."""
    (tmp_path / "rc").write_text("[global]\nfloatX = float16\n[nvcc]\nfastmath = True\n")
    done = theanodiag("config", "show", "--dialect", "theano", env=environment(tmp_path, THEANO_FLAGS="floatX=float32,allow_gc=0"))
    rc = tmp_path / "rc"
    width = len(f"{rc}:4:1")
    assert done.stdout.splitlines() == [
        f"# theano 1.0.5: {rc} read",
        f"{'THEANO_FLAGS:1:1':<{width}}  floatX = float32    # overrides 'float16' ({rc}:2:1)",
        f"{'THEANO_FLAGS:1:16':<{width}}  allow_gc = False",
        f"{rc}:4:1  # [nvcc] fastmath: no such flag in this version (ignored without a warning)",
    ]
    assert (done.returncode, done.stderr) == (0, "")


def test_all_shows_defaults(tmp_path: Path) -> None:
    """With --all every flag has a line, and the variables beside the flags have one."""
    done = theanodiag("config", "show", "--dialect", "theano", "--all", env=environment(tmp_path, CUDA_ROOT="/cuda"))
    lines = [line.split(maxsplit=1)[1] for line in done.stdout.splitlines()[1:]]
    assert len([line for line in lines if line.partition(" = ")[1]]) == 141
    assert {"scan.allow_gc = False", "cuda.root = /cuda", "compile.timeout = 120"} <= set(lines)
    assert any(line.startswith("CUDA_ROOT = /cuda    # ") for line in lines)


def test_json(tmp_path: Path) -> None:
    """Values keep their type, and origins their place."""
    (setting,) = show(tmp_path, "--dialect", "pytensor", PYTENSOR_FLAGS="x=1,scan__allow_gc=True")["settings"]
    assert (setting["name"], setting["value"], setting["type"]) == ("scan__allow_gc", True, "bool")
    assert (setting["origin"]["source"], setting["origin"]["line"], setting["origin"]["column"]) == ("PYTENSOR_FLAGS", 1, 5)


def test_json_has_no_infinity(tmp_path: Path) -> None:
    """Numbers that JSON cannot hold are text."""
    (setting,) = show(tmp_path, "--dialect", "theano", THEANO_FLAGS="gpuarray.preallocate=inf")["settings"]
    assert (setting["value"], setting["type"]) == ("inf", "float")


def test_failure(tmp_path: Path) -> None:
    """Where the library would not start, the error, its place and the exit code say so."""
    (tmp_path / "rc").write_text("[global]\ndevice = gpu0\n")
    done = theanodiag("config", "show", "--dialect", "theano", env=environment(tmp_path))
    assert done.stdout.splitlines()[-3:] == [
        f"{tmp_path / 'rc'}:2:10: theano 1.0.5 does not start: ValueError: You are trying to use the old GPU back-end. "
        "It was removed from Theano. Use device=cuda* now.",
        "device = gpu0",
        "         ^^^^",
    ]
    assert done.returncode == 1


def test_older_version(tmp_path: Path) -> None:
    """--version asks about another release: Theano 0.9 took gpu0."""
    assert show(tmp_path, "--dialect", "theano", "--version", "0.9", THEANO_FLAGS="device=gpu0")["failure"] is None


def test_interpreter(tmp_path: Path) -> None:
    """--python tells what compiledir depends on."""
    found = show(tmp_path, "--dialect", "theano", "--all", "--python", sys.executable)
    compiledir = next(s for s in found["settings"] if s["name"] == "compiledir")
    assert "compiledir_Linux" in (compiledir["value"] or compiledir["unknown"]) or sys.platform != "linux"


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["--version", "new"], 2, "not a version: 'new'"),
        (["--python", "/no/python"], 3, "/no/python: the interpreter cannot be started"),
        (["--python", "/bin/false"], 3, "/bin/false: the interpreter does not answer"),
        (["--dialect", "torch"], 2, "'torch' is not one of"),
    ],
    ids=["version", "no-interpreter", "no-answer", "dialect"],
)
def test_mistakes(tmp_path: Path, args: list[str], code: int, words: str) -> None:
    """Each has its message and its exit code, and no traceback."""
    done = theanodiag("config", "show", *args, env=environment(tmp_path))
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("content", [b"\x00\xff" * 100, b"[" * 5_000_000], ids=["binary", "far-too-long"])
def test_rubbish(tmp_path: Path, content: bytes) -> None:
    """A file that is none is refused in clear words."""
    (tmp_path / "rc").write_bytes(content)
    done = theanodiag("config", "show", "--dialect", "theano", env=environment(tmp_path))
    assert done.returncode in (1, 3)
    assert "does not start" in done.stdout or "larger than 1 MiB" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_instead_of_a_file(tmp_path: Path) -> None:
    """The libraries pass over a folder, and so do we, saying that nothing was read."""
    (tmp_path / "rc").mkdir()
    assert show(tmp_path, "--dialect", "theano")["files"] == [{"path": str(tmp_path / "rc"), "state": "missing"}]


def test_imports_no_framework(tmp_path: Path) -> None:
    """Nothing but the standard library and ourselves is loaded."""
    done = theanodiag("config", "show", "--all", env=environment(tmp_path, PYTHONPROFILEIMPORTTIME="1"))
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert loaded & {"theano", "aesara", "pytensor", "numpy", "jax", "torch", "rich"} == set()
    assert "theanodiag" in loaded


def test_a_file_that_is_named_takes_the_place_of_the_environment(tmp_path: Path) -> None:
    """So do flags; a file that is not there is an error."""
    (tmp_path / "rc").write_text("[global]\nallow_gc = False\n")
    env = {"THEANO_FLAGS": "floatX=float16", "THEANORC": ""}
    shown = theanodiag("config", "show", "rc", cwd=str(tmp_path), env=env).stdout
    assert "rc:2:1  allow_gc = False" in shown
    assert "float16" not in shown
    both = theanodiag("config", "show", "rc", "--flags", "allow_gc=True", cwd=str(tmp_path), env=env).stdout
    assert "allow_gc = True    # overrides 'False' (rc:2:1)" in both
    assert theanodiag("config", "show", "none", cwd=str(tmp_path)).returncode == 3
