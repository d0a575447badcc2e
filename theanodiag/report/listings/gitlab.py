"""GitLab's Code Quality report: a JSON list of issues. Source: GitLab's documentation, "Code Quality report format"."""

from __future__ import annotations

import json

from ...escaping import visible_json
from .model import Listing, level, lines_of


def show(listing: Listing) -> str:
    """The document."""
    issues = [
        {
            "description": f"{f.code}: {f.message}",
            "content": {"body": "\n".join(lines_of(f))},
            "check_name": f.code,
            "fingerprint": name,
            "severity": level(f, ("info", "minor", "major")),
            "location": {"path": listing.path(f.location), "lines": {"begin": f.location.line or 1}},
        }
        for f, name in listing.fingerprints()
    ]
    return visible_json(json.dumps(issues, indent=2)) + "\n"
