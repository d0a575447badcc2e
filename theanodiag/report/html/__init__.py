"""The report as one HTML file: no network, readable without JavaScript; the timeline, the peak, the allocator's map and the findings."""

from __future__ import annotations

from ..formats import View
from ..model import Report


def show(report: Report, view: View) -> str:
    """The page; the same for every view."""
    from .report_page import render  # jinja2 is imported only where a page is made

    return render(report)
