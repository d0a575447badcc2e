"""`theanodiag config rewrite`: what is printed, what is written, and the exit codes."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.run import theanodiag

OLD = "[global]\r\ndevice = gpu0\r\nfloatX = float32\r\n\r\n[lib]\r\ncnmem = 0.8"
NEW = (
    "[global]\r\ndevice = cuda0\r\nfloatX = float32\r\n\r\n[lib]\r\n"
    "# theanodiag: lib.cnmem was removed in Theano 1.0; gpuarray.preallocate is the same share of the GPU's memory\r\n"
    "# cnmem = 0.8\r\n\r\n[gpuarray]\r\npreallocate = 0.8"
)


def rewrite(*args: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Runs `config rewrite`."""
    return theanodiag("config", "rewrite", *args, env=env)


@pytest.fixture
def rc(tmp_path: Path) -> Path:
    """An old file."""
    path = tmp_path / ".theanorc"
    path.write_bytes(OLD.encode())
    return path


class TestFile:
    """An rc file."""

    def test_shows_the_difference_and_changes_nothing(self, rc: Path) -> None:
        """The default."""
        done = rewrite(str(rc), "--to", "theano-1.0")
        assert (done.returncode, rc.read_bytes()) == (0, OLD.encode())
        assert "-device = gpu0" in done.stdout
        assert "+device = cuda0" in done.stdout
        assert f"{rc}:2:1: device: the gpu* back-end was removed" in done.stderr

    def test_write_keeps_every_other_byte(self, rc: Path) -> None:
        """Ends of line and the missing last one too."""
        done = rewrite(str(rc), "--to", "theano-1.0", "--write")
        assert (done.returncode, rc.read_bytes().decode()) == (0, NEW)

    def test_second_write_changes_nothing(self, rc: Path) -> None:
        """And says so."""
        rewrite(str(rc), "--to", "theano-1.0", "--write")
        done = rewrite(str(rc), "--to", "theano-1.0", "--write")
        assert "nothing to change" in done.stderr
        assert rc.read_bytes().decode() == NEW

    def test_backup_holds_the_old_bytes(self, rc: Path) -> None:
        """Beside the file."""
        rewrite(str(rc), "--to", "theano-1.0", "--write", "--backup")
        assert rc.with_name(".theanorc.bak").read_bytes() == OLD.encode()

    def test_check_says_by_exit_code(self, rc: Path) -> None:
        """1 before, 0 after, and nothing is written."""
        assert rewrite(str(rc), "--to", "theano-1.0", "--check").returncode == 1
        assert rc.read_bytes() == OLD.encode()
        rc.write_bytes(NEW.encode())
        assert rewrite(str(rc), "--to", "theano-1.0", "--check").returncode == 0

    def test_env_prints_lines_for_a_shell(self, rc: Path) -> None:
        """A shell can evaluate them."""
        done = rewrite(str(rc), "--to", "pytensor", "--env")
        script = done.stdout + 'echo "$CUDA_VISIBLE_DEVICES $XLA_CLIENT_MEM_FRACTION"'
        shell = subprocess.run(["sh", "-c", script], capture_output=True, text=True)
        assert shell.stdout == "0 0.8\n"

    def test_the_lines_keep_flags_that_are_set(self, rc: Path) -> None:
        """They are added behind those; without any, they stand alone."""
        script = rewrite(str(rc), "--to", "pytensor", "--env").stdout + 'echo "$PYTENSOR_FLAGS"'
        outputs = [
            subprocess.run(["sh", "-uc", script], capture_output=True, text=True, env={"PATH": os.environ["PATH"], **env}).stdout
            for env in ({}, {"PYTENSOR_FLAGS": ""}, {"PYTENSOR_FLAGS": "floatX=float32,cxx="})
        ]
        assert outputs == ["mode=JAX\n", "mode=JAX\n", "floatX=float32,cxx=,mode=JAX\n"]

    def test_a_difference_has_no_lines_for_a_shell(self, rc: Path) -> None:
        """It names the variables, and the option that prints the lines."""
        done = rewrite(str(rc), "--to", "pytensor", "--diff")
        assert "export " not in done.stdout + done.stderr
        assert "XLA_CLIENT_MEM_FRACTION: environment variables that replace flags; --env prints lines that set them" in done.stderr

    def test_json_has_the_new_text_and_the_notes(self, rc: Path) -> None:
        """With places."""
        found = json.loads(rewrite(str(rc), "--to", "theano-1.0", "--format", "json").stdout)
        assert (found["schema"], found["changed"], found["after"]) == ("theanodiag/config-rewrite/v1", True, NEW)
        assert [(n["line"], n["column"]) for n in found["notes"]] == [(2, 1), (6, 1)]

    def test_another_librarys_file_is_written_beside(self, rc: Path) -> None:
        """PyTensor does not read a `.theanorc`, which Theano still needs; a file that is there is kept."""
        before, other = rc.read_bytes(), rc.with_name(".pytensorrc")
        assert f"--write makes {other}" in rewrite(str(rc), "--to", "pytensor").stderr
        assert not other.exists()
        done = rewrite(str(rc), "--to", "pytensor", "--write")
        assert (done.returncode, rc.read_bytes()) == (0, before)
        assert f"{other}: written; {rc} is as it was" in done.stderr
        other.write_text("[global]\nmode = JAX\n", "utf-8")
        again = rewrite(str(rc), "--to", "pytensor", "--write")
        assert (again.returncode, other.read_text("utf-8")) == (3, "[global]\nmode = JAX\n")
        assert "this file already exists" in again.stderr
        back = rewrite(str(other), "--to", "theano-1.0", "--write", "-o", str(rc.with_name("new")))
        assert (back.returncode, rc.read_bytes(), rc.with_name("new").exists()) == (0, before, True)
        kept = rewrite(str(rc), "--to", "pytensor", "--write", "-o", str(other), "--backup")
        assert (kept.returncode, rc.with_name(".pytensorrc.bak").read_text("utf-8")) == (0, "[global]\nmode = JAX\n")

    def test_default_file_is_that_of_the_environment(self, rc: Path) -> None:
        """THEANORC names it."""
        done = rewrite("--to", "theano-1.0", env={"THEANORC": str(rc)})
        assert f"--- {rc}" in done.stdout

    def test_bytes_that_are_not_utf8_become_utf8(self, tmp_path: Path) -> None:
        """The library could not read them."""
        path = tmp_path / "rc"
        path.write_bytes(b"# f\xfcr die GPU\n[global]\ndevice = cpu\n")
        rewrite(str(path), "--to", "theano-1.0", "--write")
        assert path.read_text("utf-8") == "# für die GPU\n[global]\ndevice = cpu\n"


class TestFlags:
    """A flags variable."""

    def test_prints_the_new_text_alone(self) -> None:
        """So that a shell can take it; the notes go to stderr."""
        done = rewrite("--flags", "device=gpu1,nvcc.fastmath=True,floatX=float32", "--to", "theano-1.0")
        assert (done.returncode, done.stdout) == (0, "device=cuda1,floatX=float32\n")
        assert "THEANO_FLAGS:1:13: nvcc.fastmath: nvcc is not used" in done.stderr

    def test_unsafe_names_are_written_when_asked_for(self) -> None:
        """A name in the wrong case."""
        assert rewrite("--flags", "floatx=float32", "--to", "theano-1.0").stdout == "\n"
        assert rewrite("--flags", "floatx=float32", "--to", "theano-1.0", "--unsafe").stdout == "floatX=float32\n"

    def test_open_quote_is_shown(self) -> None:
        """With a caret; it is an argument, hence usage."""
        done = rewrite("--flags", "cxx='g++", "--to", "aesara")
        assert (done.returncode, done.stderr.splitlines()[:3]) == (
            2,
            ["theanodiag: THEANO_FLAGS:1:5: this quote or backslash is not closed", "cxx='g++", "    ^"],
        )

    @pytest.mark.parametrize("more", [["--write"], ["file"]])
    def test_what_makes_no_sense_is_refused(self, more: list[str]) -> None:
        """A variable cannot be written, and is no file."""
        assert rewrite("--flags", "device=cpu", "--to", "aesara", *more).returncode == 2


class TestBadInput:
    """Files that are none: exit code 3, the path first, no traceback, nothing written."""

    @pytest.mark.parametrize(
        ("data", "said"),
        [
            (b"\xff\xfe[\0g\0]\0", "rc:1:1: the file is in UTF-16"),
            (b"[global]\nx=\0\n", "rc:2:3: a NUL byte"),
            (b"\x7fELF\x02\x01\x01\0\0", "rc: this is a binary file"),
            (b"#" * (5 << 20), "rc: larger than 1 MiB"),
        ],
        ids=["UTF-16", "a NUL byte", "a program", "5 MiB"],
    )
    def test_content_is_refused(self, tmp_path: Path, data: bytes, said: str) -> None:
        """Each with what to do."""
        (tmp_path / "rc").write_bytes(data)
        done = rewrite(str(tmp_path / "rc"), "--to", "aesara", "--write")
        assert done.returncode == 3
        assert f"{tmp_path}/{said}" in done.stderr
        assert "help: " in done.stderr
        assert "Traceback" not in done.stderr
        assert (tmp_path / "rc").read_bytes() == data

    def test_hundred_megabytes_are_refused_at_once(self, tmp_path: Path) -> None:
        """A hole of that size; it is not read."""
        with (tmp_path / "rc").open("wb") as file:
            file.truncate(100_000_000)
        assert "larger than 32 MiB" in rewrite(str(tmp_path / "rc"), "--to", "aesara").stderr

    def test_folder_and_missing_file_are_told_apart(self, tmp_path: Path) -> None:
        """In plain words."""
        assert f"{tmp_path}: this is a folder, not a file" in rewrite(str(tmp_path), "--to", "aesara").stderr
        assert "/none: no such file" in rewrite(str(tmp_path / "none"), "--to", "aesara").stderr

    def test_no_file_anywhere_is_usage(self, tmp_path: Path) -> None:
        """Where the libraries would find none either."""
        assert rewrite("--to", "aesara", env={"HOME": str(tmp_path)}).returncode == 2
