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
