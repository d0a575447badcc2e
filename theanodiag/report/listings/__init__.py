"""The findings alone, as editors, forges and CI services read them: a format is one file here, and one line in `FORMATS`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from ...findings import Finding
    from .model import Listing

FORMATS: Mapping[str, str] = {
    "concise": "concise",
    "full": "full",
    "grouped": "grouped",
    "json-lines": "json_lines",
    "junit": "junit",
    "github": "github",
    "gitlab": "gitlab",
    "azure": "azure",
    "pylint": "pylint",
    "rdjson": "rdjson",
    "sarif": "sarif",
}
"""Name on the command line -> module of this package that has `show`, imported only when it is asked for."""


class ListingFormat(Protocol):
    """What a module of a format offers."""

    def show(self, listing: Listing) -> str:
        """The findings as text that ends with a newline; empty where there is none and the format needs no frame."""


def render(name: str, findings: Sequence[Finding], folder: str) -> str:
    """The findings in the format called `name`, one of `FORMATS`; paths below `folder` are given as seen from there."""
    from .model import Listing  # every command imports this file, for the names of the formats

    return cast(ListingFormat, importlib.import_module(f"{__package__}.{FORMATS[name]}")).show(Listing(tuple(findings), folder))
