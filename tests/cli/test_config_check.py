"""`theanodiag config check`: the findings of files, of the variable and of the environment."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.run import theanodiag
from tests.interpreters import find


def check(*args: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Runs `config check`."""
    return theanodiag("config", "check", *args, env=env)


def codes(*args: str, env: Mapping[str, str] | None = None) -> list[str]:
    """The codes that it finds, in order."""
    return [f["code"] for f in json.loads(check(*args, "--format", "json", env=env).stdout)["findings"]]


def test_text_has_place_caret_and_help(tmp_path: Path) -> None:
    """And counts at the end."""
    (tmp_path / "rc").write_text("[global]\nfloatX = float32\ndevice = gpu0\n")
    done = check(str(tmp_path / "rc"))
    assert done.stdout.splitlines() == [
        f"{tmp_path}/rc:3:1: TD231 error: gpu0 is the CUDA back-end that Theano 1.0 removed: Theano 1.0.5 will not start",
        "    device = gpu0",
        "    ^",
        "    help: write cuda0",
        "",
        "Theano 1.0.5: 1 error",
    ]
    assert done.returncode == 1


def test_json_names_the_library_and_the_files(tmp_path: Path) -> None:
    """The contract's keys."""
    (tmp_path / "rc").write_text("[global]\nflaotX = float32\n")
    found = json.loads(check(str(tmp_path / "rc"), "--format", "json").stdout)
    assert (found["schema"], found["dialect"], found["version"]) == ("theanodiag/config-check/v1", "theano", "1.0.5")
    finding = found["findings"][0]
    assert (finding["code"], finding["location"]["line"], finding["location"]["column"]) == ("TD210", 2, 1)
    assert finding["fix"]["edits"] == [{"source": f"{tmp_path}/rc", "start": 9, "end": 15, "replacement": "floatX"}]


@pytest.mark.parametrize(("level", "code"), [("info", 1), ("warning", 1), ("error", 0)])
def test_fail_on_sets_the_exit_code(level: str, code: int) -> None:
    """The flag gives a warning."""
    assert check("--flags", "allow_gc=False", "--fail-on", level).returncode == code


def test_dialect_follows_from_the_name_of_the_file(tmp_path: Path) -> None:
    """PyTensor ignores the device."""
    (tmp_path / ".pytensorrc").write_text("[global]\ndevice = cuda\n")
    assert codes(str(tmp_path / ".pytensorrc")) == ["TD233"]


def test_environment_is_checked_without_arguments(tmp_path: Path) -> None:
    """The variable beats the file that THEANORC names, and a missing file is told."""
    (tmp_path / "rc").write_text("[global]\nfloatX = float64\n")
    env = {"THEANORC": f"{tmp_path}/rc:{tmp_path}/none", "THEANO_FLAGS": "floatX=float32"}
    assert codes(env=env) == ["TD228", "TD229"]


def test_without_any_flags_it_says_where_it_looked(tmp_path: Path) -> None:
    """A reader who expected an rc file to be read learns that there is none."""
    done = check(env={"HOME": str(tmp_path), "THEANO_FLAGS": "", "THEANORC": ""})
    said = f"Theano 1.0.5: no flags are set: {tmp_path}/.theanorc (not there), THEANO_FLAGS (not set or empty)\n"
    assert (done.returncode, done.stdout) in ((0, said), (0, "Theano 1.0.5: no flags are set: THEANO_FLAGS (not set or empty)\n"))
    env = {"HOME": str(tmp_path)}
    (tmp_path / ".theanorc").write_text("[global]\nfloatX = float32\n")
    assert check(env=env).stdout == "Theano 1.0.5: nothing found\n"


def test_clean_configuration_is_said_to_be_clean(tmp_path: Path) -> None:
    """Exit code 0."""
    done = check("--flags", "floatX=float32", env={"HOME": str(tmp_path)})
    assert (done.returncode, done.stdout) == (0, "Theano 1.0.5: nothing found\n")


def test_several_files_are_read_in_order(tmp_path: Path) -> None:
    """The later one wins, as in THEANORC."""
    for name, value in (("a", "float64"), ("b", "float32")):
        (tmp_path / name).write_text(f"[global]\nfloatX = {value}\n")
    assert codes(str(tmp_path / "a"), str(tmp_path / "b")) == ["TD228"]


def test_interpreter_tells_its_numpy() -> None:
    """The rule about numpy needs it."""
    assert ("TD264" in codes("--flags", "device=cpu", "--python", find("aesara"))) is True


@pytest.mark.parametrize("interpreter", ["/nonexistent/python", "/bin/false", "/bin/true"])
def test_interpreter_that_does_not_answer_is_an_error(interpreter: str) -> None:
    """Exit code 3, with its path."""
    done = check("--flags", "device=cpu", "--python", interpreter)
    assert (done.returncode, done.stderr.startswith(f"theanodiag: {interpreter}: ")) == (3, True)


RUBBISH = (b"", b"\n\n", b"[", b"]\n[\n=\n:\n", b"\xff\xfe\xfd", b"[global]\n\xe9 = \xe8\n", bytes(range(1, 256)), b"\r\r\r")


@pytest.mark.parametrize("data", RUBBISH)
def test_rubbish_gives_findings_and_no_traceback(tmp_path: Path, data: bytes) -> None:
    """Whatever the bytes, the exit code is one of ours and not that of a bug."""
    (tmp_path / "rc").write_bytes(data)
    done = check(str(tmp_path / "rc"))
    assert done.returncode in (0, 1, 3)
    assert "bug" not in done.stderr


@pytest.mark.parametrize("name", [".theanorc.txt", "theanorc", "_theanorc"])
def test_a_file_that_is_not_read_for_its_name(name: str, tmp_path: Path) -> None:
    """It lies in the home folder, and the right one is not there."""
    (tmp_path / name).write_text("[global]\nfloatX = float32\n", "utf-8")
    home = {"HOME": str(tmp_path), "THEANO_FLAGS": "device=cpu"}
    done = theanodiag("config", "check", "--dialect", "theano", env=home)
    assert f"{tmp_path / name}: TD229 warning" in done.stdout
    (tmp_path / ".theanorc").write_text("[global]\nfloatX = float32\n", "utf-8")
    assert "TD229" not in theanodiag("config", "check", "--dialect", "theano", env=home).stdout
