"""The text of an rc entry as the library takes it: after interpolation, or as it stands where that fails."""

from __future__ import annotations

from collections import ChainMap

from .document import Document, RcEntry
from .interpolation import InterpolationError, interpolate, names_in
from .rcgrammar import DEFAULT_SECTION

BUILT_IN = {"user": "user", "lscratch": "", "tmpdir": "", "temp": "", "tmp": "", "pid": "1"}
"""Names that the libraries give to every section (configparser.py); here without the values of a machine."""


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
