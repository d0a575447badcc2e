"""GitLab's Code Quality report: a JSON list of issues. Source: GitLab's documentation, "Code Quality report format"."""

from __future__ import annotations

import json

from .model import Listing, level


def show(listing: Listing) -> str:
    """The document."""
    issues = [
        {
            "description": f"{f.code}: {f.message}",
            "check_name": f.code,
            "fingerprint": name,
            "severity": level(f, ("info", "minor", "major")),
            "location": {"path": listing.path(f.location), "lines": {"begin": f.location.line or 1}},
        }
        for f, name in listing.fingerprints()
    ]
    return json.dumps(issues, indent=2) + "\n"
