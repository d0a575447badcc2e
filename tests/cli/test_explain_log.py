"""`theanodiag explain-log`: exit codes, both forms, long logs, and what a log may not do to a terminal."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from theanodiag import files
from theanodiag.errors import ExitCode

from ..schemas import flaws
from .run import theanodiag

MESSAGE = "MemoryError: Error allocating 4096 bytes of device memory (out of memory)."


def log(folder: Path, text: str) -> str:
    """A file with that text."""
    path = folder / "job.log"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(("text", "code"), [(MESSAGE, 0), ("ValueError: mine", 1), ("all is well", 3)])
def test_exit_codes(tmp_path: Path, text: str, code: int) -> None:
    """0 for a failure of a known form, 1 for another, 3 where nothing failed."""
    assert theanodiag("explain-log", log(tmp_path, text)).returncode == code


def test_text(tmp_path: Path) -> None:
    """The place, why, the request and the next command."""
    path = log(tmp_path, f"a\nb\n{MESSAGE}\n")
    shown = theanodiag("explain-log", path).stdout
    assert "job.log:3: capacity" in shown
    assert "4096 bytes" in shown
    assert f"theanodiag check MODEL.py --python INTERPRETER --log {path} --gpu CARD" in shown


def test_the_next_command_has_the_logs_path_in_its_place_alone(tmp_path: Path) -> None:
    """A folder of the script that is called LOG stays."""
    path = log(tmp_path, f'Traceback (most recent call last):\n  File "/LOG/LOG x.py", line 2, in <module>\n    f()\n{MESSAGE}\n')
    shown = theanodiag("explain-log", path).stdout
    assert f"theanodiag check '/LOG/LOG x.py' --python INTERPRETER --log {path} --gpu CARD" in shown


def test_json(tmp_path: Path) -> None:
    """The schema holds, and names are as they are in the log."""
    text = f"{MESSAGE}\nStorage map footprint:\n - W\x1b[31m, Shared Input, Shape: (2,), ElemSize: 4 Byte(s), TotalSize: 8 Byte(s)\n"
    document = json.loads(theanodiag("explain-log", log(tmp_path, text), "--format", "json").stdout)
    assert flaws(document) == []
    assert document["request"]["bytes"] == 4096
    assert document["live"] == [{"name": "W\x1b[31m", "kind": "shared", "shape": [2], "bytes": 8}]


def test_nothing_reaches_the_terminal_as_it_is(tmp_path: Path) -> None:
    """Escape sequences of a log are shown, not sent."""
    text = f"\x1b]0;t\x07{MESSAGE}\x1b[2J\u202e\n"
    text += "Storage map footprint:\n - W\x1b[31m, Input, Shape: (2,), ElemSize: 4 Byte(s), TotalSize: 8 Byte(s)\n"
    shown = theanodiag("explain-log", log(tmp_path, text)).stdout
    assert not set(shown) & {"\x1b", "\x07", "\u202e"}
    assert "\\x1b" in shown


def test_the_end_of_a_long_log_is_read() -> None:
    """And lines before it are counted."""
    text = b"".join(b"line %d\n" % k for k in range(300_000)) + b"the end\n"
    data, lines = files.tail(io.BytesIO(text), 1000)
    assert len(data) <= 1000
    assert data.endswith(b"the end\n")
    assert data.startswith(b"line ")
    assert lines + data.count(b"\n") == 300_001


def test_the_end_of_a_long_line_is_read() -> None:
    """A progress bar that returns to the beginning of its line, and an error behind it: they end with the only line end."""
    text = b"".join(b"\r%d of 300000" % k for k in range(300_000)) + b"\rMemoryError\n"
    data, lines = files.tail(io.BytesIO(text), 1000)
    assert (len(data), lines) == (1000, 0)
    assert data.endswith(b"\rMemoryError\n")


def test_no_file(tmp_path: Path) -> None:
    """Is said, with exit code 3; a folder and a device too."""
    assert theanodiag("explain-log", str(tmp_path / "none")).returncode == ExitCode.UNREADABLE
    assert theanodiag("explain-log", str(tmp_path)).returncode == ExitCode.UNREADABLE
    assert theanodiag("explain-log", "/dev/zero").returncode == ExitCode.UNREADABLE


def test_json_says_what_the_allocator_held(tmp_path: Path) -> None:
    """What PyTorch's allocator had reserved, and what of that no tensor used."""
    text = "CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 4.00 GiB total capacity; 2.00 GiB already allocated; "
    text += "0.25 GiB free; 3.00 GiB reserved in total by PyTorch)"
    document = json.loads(theanodiag("explain-log", log(tmp_path, text), "--format", "json").stdout)
    assert flaws(document) == []
    assert (document["memory"]["held_bytes"], document["memory"]["unused_bytes"]) == (3 << 30, 1 << 30)


def test_a_log_of_which_only_the_end_is_read(tmp_path: Path) -> None:
    """Says so, since an earlier error is not known; also if it is one line that a progress bar wrote."""
    path = tmp_path / "long.log"
    path.write_text("MemoryError\n" + f"{'x' * 1000}\n" * 33_600 + f"{MESSAGE}\n")
    assert "  read        only the last 32.0 MiB of the log\n" in theanodiag("explain-log", str(path)).stdout
    path.write_text("MemoryError\r" + f"{'x' * 1000}\r" * 33_600 + f"{MESSAGE}\n", newline="")
    assert json.loads(theanodiag("explain-log", str(path), "--format", "json").stdout)["only_end"] is True
    assert "  read " not in theanodiag("explain-log", log(tmp_path, f"{MESSAGE}\n")).stdout
