"""`%(name)s` in values of rc files, as `configparser.BasicInterpolation` does it (CPython 3, Lib/configparser.py)."""

from __future__ import annotations

import re
from collections.abc import Mapping

MAX_DEPTH = 10
"""configparser.MAX_INTERPOLATION_DEPTH."""
NAME = re.compile(r"%\(([^)]+)\)s")


class InterpolationError(ValueError):
    """The value cannot be interpolated: the library then takes it as it stands."""


def interpolate(value: str, names: Mapping[str, str], depth: int = 1) -> str:
    """`value` with `%%` and `%(name)s` replaced; names are looked up in lower case.

    >>> interpolate("/tmp/%(USER)s/100%%", {"user": "ann"})
    '/tmp/ann/100%'
    """
    if depth > MAX_DEPTH:
        raise InterpolationError("names refer to names more than ten levels deep")
    made: list[str] = []
    while value:
        plain, percent, _ = value.partition("%")
        made.append(plain)
        if not percent:
            break
        piece, value = _replace(value[len(plain) :], names, depth)
        made.append(piece)
    return "".join(made)


def _replace(rest: str, names: Mapping[str, str], depth: int) -> tuple[str, str]:
    """What the beginning of `rest`, a `%`, stands for, and what follows it."""
    if rest.startswith("%%"):
        return "%", rest[2:]
    match = NAME.match(rest)
    if not match:
        raise InterpolationError(f"'%' must be followed by '%' or '(': {rest[:20]!r}")
    name = match[1].lower()
    if name not in names:
        raise InterpolationError(f"no option called {name!r}")
    found = names[name]
    return interpolate(found, names, depth + 1) if "%" in found else found, rest[match.end() :]
