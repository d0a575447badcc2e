"""Edits of a text."""

from __future__ import annotations

from collections.abc import Iterable

from .model import Edit


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; one that overlaps an earlier one is left out. Of several insertions at one place the order stays."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.start < at:
            continue
        parts += [text[at : edit.start], edit.replacement]
        at = edit.end
    return "".join([*parts, text[at:]])
