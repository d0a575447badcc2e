"""Byte sizes: what people write is read, what is written for people is short."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.units import GIB, format_bytes, parse_bytes


@pytest.mark.parametrize(
    ("text", "expected"),
    [("4GiB", 4 * GIB), ("4 gib", 4 * GIB), ("4G", 4 * GIB), ("4GB", 4 * 10**9), ("1.5kB", 1500), ("64", 64), (".5K", 512), ("0", 0)],
)
def test_sizes_are_read(text: str, expected: int) -> None:
    """Binary and decimal units differ, case and spaces do not count."""
    assert parse_bytes(text) == expected


@pytest.mark.parametrize("text", ["", "GiB", "4 apples", "-1", "1e9", "4 GiB 5"])
def test_what_is_no_size_is_refused(text: str) -> None:
    """The message says what to write instead."""
    with pytest.raises(ValueError, match=r"not a size in bytes.*such as 4GiB"):
        parse_bytes(text)


@given(st.integers(min_value=0, max_value=2**50))
def test_plain_numbers_are_exact(n: int) -> None:
    """No precision is lost on a number of bytes, however large."""
    assert parse_bytes(str(n)) == n


@given(st.integers(min_value=0, max_value=2**50))
def test_printed_sizes_are_close(n: int) -> None:
    """A printed size, read back, is within a twentieth of its unit."""
    assert abs(parse_bytes(format_bytes(n)) - n) <= n * 0.05 + 1
