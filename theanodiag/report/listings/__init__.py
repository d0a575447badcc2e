"""Formats that list only the findings, for editors, code hosts and CI services: each is one function, registered in `FORMATS`."""

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
    "sarif": "documents",
}
"""Format name on the command line -> module of this package that defines a function of that name; imported on first use. The function
converts a Listing to text that ends with a newline, or to an empty text if there is no finding and the format needs no frame."""


def render(name: str, findings: Sequence[Finding], folder: str) -> str:
    """The findings in the format `name`, one of `FORMATS`; paths below `folder` are given relative to it."""
    from .model import Listing  # every command imports this file, for the names of the formats

    module = importlib.import_module(f"{__package__}.{FORMATS[name]}")
    shown: str = getattr(module, name.replace("-", "_"))(Listing(tuple(findings), folder))
    return shown
