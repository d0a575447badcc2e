"""Bytes to text: what is refused, and with which words."""

from __future__ import annotations

import pytest

from theanodiag.errors import UnreadableError
from theanodiag.flags.rcfile_text import decode, from_latin1, undecodable


def said(data: bytes) -> str:
    """The message over `data`."""
    with pytest.raises(UnreadableError) as caught:
        decode(data, "rc")
    return str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_refused_with_advice(encoding: str) -> None:
    """Both byte orders are told by their mark."""
    mark = b"\xff\xfe" if encoding.endswith("le") else b"\xfe\xff"
    assert said(mark + "[global]\n".encode(encoding)).startswith("rc:1:1: the file is in UTF-16")


def test_nul_byte_is_refused_with_its_place() -> None:
    """The place is that of the first one."""
    assert said(b"[global]\nab\0c\n").startswith("rc:2:3: a NUL byte: this is not a text file\nab\\x00c\n  ^^^^")


def test_runs_of_undecodable_bytes_are_joined() -> None:
    """Neighbours make one run."""
    assert undecodable(decode(b"a\xe9\xe8b\xff", "rc")) == ((1, 3), (4, 5))


def test_undecodable_bytes_are_read_as_windows_1252() -> None:
    """A curly quote and an accent, and a byte that Windows-1252 does not have."""
    assert from_latin1(decode(b"\x93\xe9\x81", "rc")) == "\u201c\xe9\x81"
