"""Interpolation of `%(name)s` in values of rc files, as `configparser.BasicInterpolation` does it (CPython 3, Lib/configparser.py)."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping

from .document import Document, RcEntry
from .rcfile import DEFAULT_SECTION

MAX_DEPTH = 10
"""Levels of names that refer to names; deeper ones are an error (configparser.MAX_INTERPOLATION_DEPTH)."""
MAX_GROWTH = 1 << 15
"""The most characters that names may add to one value: ten levels of names, each used fifty times, give an endless text."""
BUILT_IN = {"user": "user", "lscratch": "", "tmpdir": "", "temp": "", "tmp": "", "pid": "1"}
"""Names that the libraries define in every section (configparser.py), with placeholder values."""


class InterpolationError(ValueError):
    """The value cannot be interpolated; the library then uses it as it is written."""


class Endless(InterpolationError):
    """The library would expand the value to a longer text than `MAX_GROWTH` allows."""


def interpolate(value: str, names: Mapping[str, str]) -> str:
    """`value` with `%%` and `%(name)s` replaced; names are looked up in lower case. Raises `InterpolationError`.

    >>> interpolate("/tmp/%(USER)s/100%%", {"user": "ann"})
    '/tmp/ann/100%'
    """
    return _Text(names).of(value, 1)


class _Text:
    """Expands values; the value of each name is expanded once per depth."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self.known: dict[tuple[str, int], str] = {}

    def of(self, value: str, depth: int) -> str:
        """`value` expanded; `depth` counts the levels of names referring to names."""
        if depth > MAX_DEPTH:
            raise InterpolationError("names refer to names more than ten levels deep")
        made: list[str] = []
        grown = at = 0
        while (percent := value.find("%", at)) >= 0:
            made.append(value[at:percent])
            name, at = _reference(value, percent)
            piece = "%" if name is None else self.value(name, depth)
            grown += len(piece)
            if grown > MAX_GROWTH:
                raise Endless(f"names in it make it longer than {MAX_GROWTH} characters")
            made.append(piece)
        return "".join([*made, value[at:]])

    def value(self, name: str, depth: int) -> str:
        """The expansion of a name."""
        if name not in self.names:
            raise InterpolationError(f"no option called {name!r}")
        found = self.names[name]
        if "%" not in found:
            return found
        if (name, depth) not in self.known:
            self.known[name, depth] = self.of(found, depth + 1)
        return self.known[name, depth]


def _reference(value: str, percent: int) -> tuple[str | None, int]:
    """(the name at a `%`, or None for `%%`; where the text goes on)."""
    if value.startswith("%", percent + 1):
        return None, percent + 2
    end = value.find(")", percent) if value.startswith("(", percent + 1) else -1
    if end <= percent + 2 or not value.startswith("s", end + 1):
        raise InterpolationError(f"'%' must be followed by '%' or '(': {value[percent : percent + 20]!r}")
    return value[percent + 2 : end].lower(), end + 2


def names_in(value: str) -> Iterator[str]:
    """The names that `value` refers to as `%(name)s`, as written."""
    at, end = value.find("%("), -1
    while at >= 0:
        end = end if end > at else value.find(")", at)
        if end < 0:
            return
        if end > at + 2 and value.startswith("s", end + 1):
            yield value[at + 2 : end]
            at = end
        at = value.find("%(", at + 1)


def effective_text(document: Document, entry: RcEntry) -> str:
    """The value of an entry after interpolation, with placeholders for facts of the machine; as written where interpolation fails."""
    if "%" not in entry.value:
        return entry.value
    options = document.options
    names = ChainMap(options.get(entry.section, {}), options.get(DEFAULT_SECTION, {}), BUILT_IN)
    try:
        return interpolate(entry.value, names)
    except InterpolationError:
        return entry.value


def used_names(document: Document) -> frozenset[tuple[str, str]]:
    """The options to which values refer as `%(name)s`, as (section, name in lower case)."""
    found = {(e.section, name.lower()) for e in document.entries if "%(" in e.value for name in names_in(e.value)}
    return frozenset(found | {(DEFAULT_SECTION, name) for _, name in found})
