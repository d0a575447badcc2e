"""Parses and formats byte sizes: `4GiB`, `512 MB`, `4294770688`."""

from __future__ import annotations

import re
from collections.abc import Callable

KIB, MIB, GIB, TIB = 1 << 10, 1 << 20, 1 << 30, 1 << 40
"""Bytes in a KiB, MiB, GiB and TiB."""

_UNITS = {
    "": 1, "b": 1,
    "k": KIB, "kib": KIB, "kb": 1000,
    "m": MIB, "mib": MIB, "mb": 1000**2,
    "g": GIB, "gib": GIB, "gb": 1000**3,
    "t": TIB, "tib": TIB, "tb": 1000**4,
}  # fmt: skip
_SIZE = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-z]*)\s*", re.IGNORECASE)


def parse_bytes(text: str | int) -> int:
    """Parses a byte size: a number with `B`, `kB`, `KiB`, `MB`, `MiB`, `GB`, `GiB`, `TB` or `TiB` (a bare K/M/G/T is binary).

    Raises `ValueError` for anything else.

    >>> parse_bytes("4 GiB"), parse_bytes("1.5kB"), parse_bytes(64)
    (4294967296, 1500, 64)
    """
    if isinstance(text, int):
        return text
    match = _SIZE.fullmatch(text)
    if not match or match[2].lower() not in _UNITS:
        raise ValueError(f"not a size in bytes: {text!r} (write a number and a unit, such as 4GiB, 512MB or 4294770688)")
    number, factor = match[1], _UNITS[match[2].lower()]
    if len(number) > 30:
        raise ValueError(f"more bytes than any device has: {text!r}")
    return int(number) * factor if number.isdigit() else round(float(number) * factor)


def format_bytes(n: int) -> str:
    """Formats `n` bytes for people, in the largest binary unit in which the number is at least 1.

    >>> format_bytes(0), format_bytes(1536), format_bytes(400_000_000)
    ('0 B', '1.5 KiB', '381.5 MiB')
    """
    for unit, factor in (("TiB", TIB), ("GiB", GIB), ("MiB", MIB), ("KiB", KIB)):
        if abs(n) >= factor:
            return f"{n / factor:.1f} {unit}"
    return f"{n} B"


def column_format(largest: int, exact: bool = False) -> tuple[str, Callable[[int], str]]:
    """Returns the heading of a column of sizes, and a function that formats each of them in bytes, all in the unit of the largest.

    `exact`: plain numbers of bytes, as for sizes below 1 KiB.

    >>> heading, text = column_format(5 * MIB)
    >>> heading, text(5 * MIB), text(300 * KIB), text(1)
    ('size', '5.0 MiB', '0.3 MiB', '< 0.1 MiB')
    >>> column_format(5 * MIB, exact=True)[1](5 * MIB)
    '5242880'
    """
    units = (("GiB", GIB), ("MiB", MIB), ("KiB", KIB))
    unit, factor = next((u for u in units if largest >= u[1] and not exact), ("", 1))
    if factor == 1:
        return "bytes", str
    return "size", lambda n: f"{n / factor:.1f} {unit}" if n == 0 or n / factor >= 0.05 else f"< 0.1 {unit}"
