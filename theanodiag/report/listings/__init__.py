"""Formats that list only the findings, for editors, code hosts and CI services: each is one function, registered in `FORMATS`."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...findings import Finding

FORMATS = ("concise", "full", "grouped", "json-lines", "junit", "github", "gitlab", "azure", "pylint", "rdjson", "sarif")
"""Format names on the command line. Each is a function of that name in `documents`, which converts a Listing to text that ends with a
newline, or to an empty text if there is no finding and the format needs no frame."""


def render(name: str, findings: Sequence[Finding], folder: str, fail_on: str = "info") -> str:
    """Returns the findings in the format `name`, one of `FORMATS`.

    Args:
        name: The format.
        findings: What to list.
        folder: Paths below it are given relative to it.
        fail_on: The least severity, `info`, `warning` or `error`, for which the command fails; it decides which tests of `junit` fail.

    Returns:
        The text; it ends with a newline, or is empty if there is nothing to list and the format needs no frame.
    """
    from .model import Listing  # every command imports this file, for the names of the formats

    documents = importlib.import_module(f"{__package__}.documents")
    shown: str = getattr(documents, name.replace("-", "_"))(Listing.of(findings, folder, fail_on))
    return shown
