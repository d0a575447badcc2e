"""`%(name)s` in values of rc files, as `configparser.BasicInterpolation` does it (CPython 3, Lib/configparser.py)."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping

from .document import Document, RcEntry
from .rcgrammar import DEFAULT_SECTION

MAX_DEPTH = 10
"""configparser.MAX_INTERPOLATION_DEPTH."""
MAX_GROWTH = 1 << 15
"""Characters that names may bring into one value: ten levels of names that are used fifty times each would make a text without an end."""
BUILT_IN = {"user": "user", "lscratch": "", "tmpdir": "", "temp": "", "tmp": "", "pid": "1"}
"""Names that the libraries give to every section (configparser.py); here without the values of a machine."""


class InterpolationError(ValueError):
    """The value cannot be interpolated: the library then takes it as it stands."""


class Endless(InterpolationError):
    """The library would take a text so long that we do not make it."""


def interpolate(value: str, names: Mapping[str, str]) -> str:
    """`value` with `%%` and `%(name)s` replaced; names are looked up in lower case. Raises `InterpolationError`.

    >>> interpolate("/tmp/%(USER)s/100%%", {"user": "ann"})
    '/tmp/ann/100%'
    """
    return _Text(names).of(value, 1)


class _Text:
    """The values of names, each made once a level."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self.known: dict[tuple[str, int], str] = {}

    def of(self, value: str, depth: int) -> str:
        """`value`, in which names refer to names at `depth`."""
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
        """What a name stands for in a value at `depth`."""
        if name not in self.names:
            raise InterpolationError(f"no option called {name!r}")
        found = self.names[name]
        if "%" not in found:
            return found
        if (name, depth) not in self.known:
            self.known[name, depth] = self.of(found, depth + 1)
        return self.known[name, depth]


def _reference(value: str, percent: int) -> tuple[str | None, int]:
    """The name that stands at a `%`, None for `%%`, and where the text goes on."""
    if value.startswith("%", percent + 1):
        return None, percent + 2
    end = value.find(")", percent) if value.startswith("(", percent + 1) else -1
    if end <= percent + 2 or not value.startswith("s", end + 1):
        raise InterpolationError(f"'%' must be followed by '%' or '(': {value[percent : percent + 20]!r}")
    return value[percent + 2 : end].lower(), end + 2


def names_in(value: str) -> Iterator[str]:
    """The names that `value` has as `%(name)s` anywhere, as they are written."""
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
    """The text after interpolation, with stand-ins for what only the machine knows."""
    if "%" not in entry.value:
        return entry.value
    options = document.options
    names = ChainMap(options.get(entry.section, {}), options.get(DEFAULT_SECTION, {}), BUILT_IN)
    try:
        return interpolate(entry.value, names)
    except InterpolationError:
        return entry.value


def used_names(document: Document) -> frozenset[tuple[str, str]]:
    """The entries, as (section, name), that values use as `%(name)s`."""
    found = {(e.section, name.lower()) for e in document.entries if "%(" in e.value for name in names_in(e.value)}
    return frozenset(found | {(DEFAULT_SECTION, name) for _, name in found})
