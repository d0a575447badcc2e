"""Findings by file."""

from __future__ import annotations

from collections import defaultdict

from ...escaping import visible
from ...findings import Finding
from .model import Listing, line_of


def show(listing: Listing) -> str:
    """A heading a file, a line a finding."""
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for f in listing.findings:
        by_path[f.location.path].append(f)
    blocks = [[visible(path), *(visible(f"  {_place(f)} {f.code} {line_of(f)}") for f in found)] for path, found in by_path.items()]
    return "\n".join("".join(f"{line}\n" for line in block) for block in blocks)


def _place(f: Finding) -> str:
    return ":".join(str(n) for n in (f.location.line, f.location.column) if n is not None) or "-"
