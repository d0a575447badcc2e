"""Reviewdog's Diagnostic Format, as one JSON document. Source: reviewdog, proto/rdf/reviewdog.proto."""

from __future__ import annotations

import json

from ...escaping import visible_json
from ...findings import Finding
from .model import TOOL, Listing, level, lines_of


def show(listing: Listing) -> str:
    """The document."""
    diagnostics = [_diagnostic(listing, f) for f in listing.findings]
    return visible_json(json.dumps({"source": {"name": TOOL}, "severity": "WARNING", "diagnostics": diagnostics})) + "\n"


def _diagnostic(listing: Listing, f: Finding) -> dict[str, object]:
    start = {k: n for k, n in (("line", f.location.line), ("column", f.location.column)) if n is not None}
    where: dict[str, object] = {"path": listing.path(f.location), **({"range": {"start": start}} if start else {})}
    return {
        "message": "\n".join(lines_of(f)),
        "location": where,
        "severity": level(f, ("INFO", "WARNING", "ERROR")),
        "code": {"value": f.code},
    }
