"""The page of `theanodiag diff`: what grew between two reports, and which line did it."""

from __future__ import annotations

from ..grown import Growth, signed
from .page import page


def render(found: Growth) -> str:
    """The whole page."""
    look = "bad" if found.peak.bytes > 0 else "good"
    return page("grown.html", ("report.js",), found=found, look=look, signed=signed)
