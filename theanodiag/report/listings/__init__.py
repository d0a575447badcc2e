"""The findings alone, as editors, forges and CI services read them: a format is one function here, and one line in `FORMATS`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...findings import Finding

FORMATS: Mapping[str, str] = {
    "concise": "lines",
    "full": "lines",
    "grouped": "lines",
    "json-lines": "documents",
    "junit": "documents",
    "github": "lines",
    "gitlab": "documents",
    "azure": "lines",
    "pylint": "lines",
    "rdjson": "documents",
    "sarif": "sarif",
}
"""Name on the command line -> module of this package that has the function of that name, imported only when it is asked for: from a
Listing it makes text that ends with a newline; empty where there is no finding and the format needs no frame.
"""


def render(name: str, findings: Sequence[Finding], folder: str) -> str:
    """The findings in the format called `name`, one of `FORMATS`; paths below `folder` are given as seen from there."""
    from .model import Listing  # every command imports this file, for the names of the formats

    module = importlib.import_module(f"{__package__}.{FORMATS[name]}")
    shown: str = getattr(module, name.replace("-", "_"))(Listing(tuple(findings), folder))
    return shown
