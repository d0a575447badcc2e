"""Bytes to text and back."""

from __future__ import annotations

import pytest

from theanodiag.errors import UnreadableError
from theanodiag.porting import model


@pytest.mark.parametrize(
    "data",
    [
        b"x = 1\r\ny = 2\n",
        "# é\n".encode(),
        b"# -*- coding: latin-1 -*-\n# \xe9\n",
        b"# \xe9 in a file of Python 2 that declares nothing\n",
        b"\xef\xbb\xbfx = 1",
        b"# coding: utf-8\n'\xff'\n",
        b"# coding: no-such\n",
        b"",
    ],
)
def test_each_byte_comes_back(data: bytes) -> None:
    """Whatever the encoding is, declared or not, right or wrong."""
    found = model.read(data, "model.py")
    assert found.encoded(found.text) == data


def test_a_binary_is_no_source() -> None:
    """It is told as such."""
    with pytest.raises(UnreadableError, match="null bytes"):
        model.read(b"\x7fELF\0", "a.out")


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"x = 1\n# \xe9\n", 8),
        (b"# a comment\n# another\n# coding: latin-1\n# \xe9\n", 42),
        (b"# -*- coding: latin-1 -*-\n# \xe9\n", None),
        (b"#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\n# \xe9\n", None),
        (b"# coding: no-such\n# \xe9\n", None),
        ("# é\n".encode(), None),
    ],
)
def test_a_file_that_no_python_can_read(data: bytes, place: int | None) -> None:
    """It is not UTF-8, and neither of the first two lines declares an encoding (PEP 263)."""
    assert model.read(data, "model.py").undeclared == place
