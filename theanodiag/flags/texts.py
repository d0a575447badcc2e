"""The text of an rc entry as the library takes it: after interpolation, or as it stands where that fails."""

from __future__ import annotations

from .document import Document, RcEntry
from .interpolation import NAME, InterpolationError, interpolate
from .rcgrammar import DEFAULT_SECTION

BUILT_IN = {"user": "user", "lscratch": "", "tmpdir": "", "temp": "", "tmp": "", "pid": "1"}
"""Names that the libraries give to every section (configparser.py); here without the values of a machine."""


def effective_text(document: Document, entry: RcEntry) -> str:
    """The text after interpolation, with stand-ins for what only the machine knows."""
    if "%" not in entry.value:
        return entry.value
    names = {**BUILT_IN, **_options(document, DEFAULT_SECTION), **_options(document, entry.section)}
    try:
        return interpolate(entry.value, names)
    except InterpolationError:
        return entry.value


def _options(document: Document, section: str) -> dict[str, str]:
    return {e.key: e.value for e in document.entries if e.section == section}


def used_names(document: Document, gone: frozenset[int] = frozenset()) -> frozenset[tuple[str, str]]:
    """The entries, as (section, name), that values use as `%(name)s`; `gone` are first lines of entries that do not count."""
    users = [e for e in document.entries if "%(" in e.value and e.first_line not in gone]
    found = {(e.section, match[1].lower()) for e in users for match in NAME.finditer(e.value)}
    return frozenset(found | {(DEFAULT_SECTION, name) for _, name in found})
