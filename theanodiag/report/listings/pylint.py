"""`path:line: [CODE] message`, as Pylint prints with --output-format=parseable."""

from __future__ import annotations

from ...escaping import visible
from .model import Listing, line_of


def show(listing: Listing) -> str:
    """A line each."""
    return "".join(visible(f"{listing.path(f.location)}:{f.location.line or 1}: [{f.code}] {line_of(f)}") + "\n" for f in listing.findings)
