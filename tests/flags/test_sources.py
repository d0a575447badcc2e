"""Bytes of an rc file as the library's own Python reads them: UTF-8 or refused, or anything under Python 2."""

from __future__ import annotations

import pytest

from theanodiag.flags.model import FailureKind
from theanodiag.flags.resolve import read_rc

PYTHONS = [pytest.param((2, 7), id="2.7"), pytest.param((3, 6), id="3.6"), pytest.param((3, 12), id="3.12")]
TEXT = "# für mich\n[global]\nfloatX = float32\n"


@pytest.mark.parametrize("python", PYTHONS)
def test_utf8_is_read_by_all(python: tuple[int, int]) -> None:
    """The entry is there, and nothing failed."""
    read = read_rc(TEXT.encode("utf-8"), "rc", python)
    assert read.failure is None
    assert [(e.section, e.key, e.raw) for e in read.entries] == [("global", "floatX", "float32")]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_other_encodings_are_refused_but_still_read(encoding: str) -> None:
    """Python 3 stops; the entries are known all the same, for advice."""
    read = read_rc(TEXT.encode(encoding), "rc", (3, 8))
    assert read.failure is not None
    assert (read.failure.kind, read.failure.exception) == (FailureKind.RC_ENCODING, "UnicodeDecodeError")
    assert [e.raw for e in read.entries] == ["float32"]


def test_place_is_the_byte() -> None:
    """The fourth character of the first line."""
    failure = read_rc(TEXT.encode("latin-1"), "rc", (3, 8)).failure
    assert failure is not None
    assert failure.span is not None
    assert (failure.span.line, failure.span.column) == (1, TEXT.index("ü") + 1)


def test_python_2_does_not_care() -> None:
    """It reads bytes."""
    read = read_rc(TEXT.encode("latin-1"), "rc", (2, 7))
    assert read.failure is None
    assert [e.raw for e in read.entries] == ["float32"]


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"\xff", b"\x00", b"\xef\xbb\xbf"], ids=["empty", "blank", "one byte", "NUL", "mark alone"]
)
@pytest.mark.parametrize("python", PYTHONS)
def test_odd_contents_have_no_entries(content: bytes, python: tuple[int, int]) -> None:
    """And raise nothing, whatever the Python."""
    assert read_rc(content, "rc", python).entries == ()
