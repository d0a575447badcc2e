"""`config` on files that are not rc files: their flags are checked and rewritten in place, and nothing else is touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.run import theanodiag

from ..schemas import checked

DOCKERFILE = "FROM ubuntu\nRUN apt-get update\nENV THEANO_FLAGS device=gpu0,floatX=float32\nCMD python a.py\n"


def test_check_finds_the_flags_in_a_dockerfile(tmp_path: Path) -> None:
    """At their line and column, under any name, also as data."""
    path = tmp_path / "build"
    path.write_text(DOCKERFILE, "utf-8")
    done = theanodiag("config", "check", str(path))
    assert done.returncode == 1
    assert f"{path}:3:18: TD231 error" in done.stdout
    assert "TD20" not in done.stdout
    data = json.loads(checked(theanodiag("config", "check", str(path), "--format", "json").stdout))
    (finding,) = (f for f in data["findings"] if f["code"] == "TD231")
    assert (data["schema"], data["files"]) == ("theanodiag/config-check/v1", [{"path": str(path), "state": "read"}])
    (edit,) = finding["fix"]["edits"]
    assert DOCKERFILE[: edit["start"]] + edit["replacement"] + DOCKERFILE[edit["end"] :] == DOCKERFILE.replace("gpu0", "cuda0")


def test_rewrite_changes_the_flags_alone(tmp_path: Path) -> None:
    """Byte for byte; a second time there is nothing to do."""
    path = tmp_path / "Dockerfile"
    path.write_bytes(DOCKERFILE.encode().replace(b"\n", b"\r\n"))
    assert theanodiag("config", "rewrite", str(path), "--to", "theano-1.0", "--check").returncode == 1
    assert theanodiag("config", "rewrite", str(path), "--to", "theano-1.0", "--write").returncode == 0
    assert path.read_bytes() == DOCKERFILE.encode().replace(b"\n", b"\r\n").replace(b"gpu0", b"cuda0")
    assert theanodiag("config", "rewrite", str(path), "--to", "theano-1.0", "--check").returncode == 0


@pytest.mark.parametrize("name", ["a.sh", "a.py", "Dockerfile", "ci.yml", "Makefile", "a.bat", "a.ps1", "a.toml"])
def test_a_file_without_flags_is_not_rewritten(name: str, tmp_path: Path) -> None:
    """It is named for what it is, and kept."""
    path = tmp_path / name
    path.write_text("x = 1\n", "utf-8")
    for command in (["rewrite", str(path), "--to", "pytensor", "--write"], ["set", "floatX=float32", str(path)]):
        done = theanodiag("config", *command)
        assert done.returncode in (2, 3)
        assert "not an rc file" in done.stderr or "sets no flags" in done.stderr
    assert path.read_text("utf-8") == "x = 1\n"
    assert theanodiag("config", "check", str(path)).returncode == 0


COPIES = """FROM x
ENV THEANO_FLAGS=floatX=float32
ADD ["my rc/.theanorc", "/root/"]
COPY --from=a .theanorc /x
COPY --chown=a:b conf /root/.theanorc
COPY .pytensorrc \\
  other /root/
COPY theanorc.d/notes /root/
"""


@pytest.mark.parametrize("command", [["check"], ["rewrite", "--to", "pytensor"]])
def test_an_rc_file_that_a_container_copies_is_named(tmp_path: Path, command: list[str]) -> None:
    """Its flags are not in the container file; one of another stage is not on this disk."""
    (tmp_path / "Dockerfile").write_text(COPIES, "utf-8")
    done = theanodiag("config", *command, "Dockerfile", cwd=str(tmp_path))
    again = " ".join(["theanodiag config", *command])
    notes = [line for line in done.stderr.splitlines() if "copies" in line]
    assert notes == [
        f"theanodiag: Dockerfile:{line}:1: it copies {name}, which is not read here: {again} {quoted}"
        for line, name, quoted in (
            (3, "my rc/.theanorc", "'my rc/.theanorc'"), (5, "conf", "conf"), (6, ".pytensorrc", ".pytensorrc")
        )
    ]  # fmt: skip


def test_a_library_that_does_not_read_these_flags(tmp_path: Path) -> None:
    """`--dialect` changes nothing about them, and that is said."""
    (tmp_path / "run.sh").write_text("THEANO_FLAGS=device=gpu0 python a.py\n", "utf-8")
    done = theanodiag("config", "check", "run.sh", "--dialect", "pytensor", cwd=str(tmp_path))
    assert "Theano 1.0.5: 1 error" in done.stdout
    assert "run.sh: it sets THEANO_FLAGS, which pytensor does not read" in done.stderr
    assert "theanodiag config rewrite run.sh --to pytensor" in done.stderr
    assert not theanodiag("config", "check", "run.sh", "--dialect", "theano", cwd=str(tmp_path)).stderr


def test_what_holds_no_flags_is_refused(tmp_path: Path) -> None:
    """A binary file, prose."""
    (tmp_path / "x").write_bytes(b"\x7fELF\x02\x01")
    (tmp_path / "README.md").write_text("# words\n", "utf-8")
    for name, kind in (("x", "a binary file"), ("README.md", "a text document")):
        done = theanodiag("config", "check", str(tmp_path / name))
        assert (done.returncode, f"this is {kind}, not an rc file" in done.stderr) == (3, True)


def test_what_is_left_is_told_and_ends_with_1(tmp_path: Path) -> None:
    """The rest is written."""
    path = tmp_path / "a.sh"
    path.write_text("export THEANO_FLAGS=device=gpu\necho '[lib]\\ncnmem=1' > ~/.theanorc\n", "utf-8")
    done = theanodiag("config", "rewrite", str(path), "--to", "theano-1.0", "--write")
    assert done.returncode == 1
    assert f"{path}:2:14: 'cnmem=1' left unchanged" in done.stderr
    assert path.read_text("utf-8").startswith("export THEANO_FLAGS=device=cuda\n")


def test_set_for_a_library_that_does_not_read_the_file(tmp_path: Path) -> None:
    """PyTensor does not read a `.theanorc`."""
    path = tmp_path / ".theanorc"
    path.write_text("[global]\ndevice = cpu\n", "utf-8")
    done = theanodiag("config", "set", "--dialect", "pytensor", "floatX=float32", str(path))
    assert (done.returncode, path.read_text("utf-8")) == (2, "[global]\ndevice = cpu\n")
    assert f"name {tmp_path / '.pytensorrc'}" in done.stderr


def test_variable_that_is_not_read_is_told(tmp_path: Path) -> None:
    """With FILE, the flags of the environment are not read."""
    (tmp_path / ".theanorc").write_text("[global]\ndevice = cpu\n", "utf-8")
    done = theanodiag("config", "check", str(tmp_path / ".theanorc"), env={"THEANO_FLAGS": "flaotX=float32"})
    assert (done.returncode, "flaotX" in done.stdout) == (0, False)
    assert "THEANO_FLAGS is set here and not read" in done.stderr


def test_the_version_is_that_of_the_flags(tmp_path: Path) -> None:
    """Without `--dialect` too, where the file sets flags of one library; of two the user says whose it is."""
    path = tmp_path / "run.sh"
    path.write_text("export THEANO_FLAGS=device=gpu0\n", "utf-8")
    done = theanodiag("config", "check", str(path), "--version", "0.7")
    assert (done.returncode, done.stdout.splitlines()[-1].startswith("Theano 0.7")) == (0, True)
    path.write_text("export THEANO_FLAGS=device=gpu0\nexport PYTENSOR_FLAGS=floatX=float32\n", "utf-8")
    done = theanodiag("config", "check", str(path), "--version", "0.7")
    assert (done.returncode, "sets flags of theano and pytensor" in done.stderr) == (2, True)
    done = theanodiag("config", "check", str(path), "--version", "0.7", "--dialect", "theano")
    assert (done.returncode, "Theano 0.7" in done.stdout) == (0, True)


def test_what_has_no_effect_on_a_script_is_refused(tmp_path: Path) -> None:
    """Its flags are checked whatever the interpreter; and `config show` shows rc files, whose text another file would not be."""
    path = tmp_path / "run.sh"
    path.write_text("export THEANO_FLAGS=device=cpu\n", "utf-8")
    assert theanodiag("config", "check", str(path), "--python", "no-such-python").returncode == 2
    done = theanodiag("config", "show", str(path))
    assert (done.returncode, done.stdout, "run.sh is a shell script, not an rc file" in done.stderr) == (2, "", True)


@pytest.mark.parametrize(
    ("version", "device", "note"),
    [
        ("0.8.2", "gpu0", "it installs theano 0.8.2; the new flags are for theano 1.0.5 with pygpu: install that there"),
        ("0.8.2", "cpu", "it installs theano 0.8.2; the new flags are for theano 1.0.5: install that there"),
        ("1.0.5", "gpu0", None),
    ],
)
def test_the_release_that_the_file_installs_is_named(tmp_path: Path, version: str, device: str, note: str | None) -> None:
    """The old release would read the new flags otherwise, or ignore them."""
    (tmp_path / "Dockerfile").write_text(f"FROM a\nRUN pip install theano=={version}\nENV THEANO_FLAGS=device={device}\n", "utf-8")
    done = theanodiag("config", "rewrite", "Dockerfile", "--to", "theano-1.0", cwd=str(tmp_path))
    assert [line.partition(": Dockerfile: ")[2] for line in done.stderr.splitlines() if "installs" in line] == ([note] if note else [])
