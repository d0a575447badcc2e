"""`path:line:col: CODE message`, a finding a line."""

from __future__ import annotations

from ...escaping import visible
from .model import Listing, line_of


def show(listing: Listing) -> str:
    """A line each."""
    return "".join(visible(f"{f.location}: {f.code} {line_of(f)}") + "\n" for f in listing.findings)
