"""Reviewdog's Diagnostic Format, as one JSON document. Source: reviewdog, proto/rdf/reviewdog.proto."""

from __future__ import annotations

import json

from ...findings import Finding
from .model import TOOL, Listing, level


def show(listing: Listing) -> str:
    """The document."""
    return (
        json.dumps({"source": {"name": TOOL}, "severity": "WARNING", "diagnostics": [_diagnostic(listing, f) for f in listing.findings]})
        + "\n"
    )


def _diagnostic(listing: Listing, f: Finding) -> dict[str, object]:
    start = {k: n for k, n in (("line", f.location.line), ("column", f.location.column)) if n is not None}
    where: dict[str, object] = {"path": listing.path(f.location), **({"range": {"start": start}} if start else {})}
    return {"message": f.message, "location": where, "severity": level(f, ("INFO", "WARNING", "ERROR")), "code": {"value": f.code}}
