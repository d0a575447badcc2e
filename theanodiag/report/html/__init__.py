"""The report as one HTML file, without network access and readable without JavaScript: timeline, peak, allocator map and findings."""

from __future__ import annotations

from ..formats import View
from ..model import Report


def show(report: Report, view: View) -> str:
    """Returns the HTML page of the report; of the options in `view` only `command` is used."""
    from .report_page import render  # jinja2 is imported only where a page is made

    return render(report, view.command)
