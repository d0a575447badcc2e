"""Each finding with its notes, what to do, and the code to paste."""

from __future__ import annotations

from collections.abc import Iterator

from ...escaping import visible
from ...findings import Finding
from .model import Listing


def show(listing: Listing) -> str:
    """A block each."""
    return "\n".join("".join(f"{line}\n" for line in _lines(f)) for f in listing.findings)


def _lines(f: Finding) -> Iterator[str]:
    yield visible(f"{f.location}: {f.kind}: {f.message}")
    yield from (visible(f"    {note}") for note in f.notes)
    if f.fix:
        yield visible(f"    help: {f.fix.title}")
        yield from (visible(f"        {line}") for line in (f.fix.code or "").splitlines())
