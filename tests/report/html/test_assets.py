"""The files of the plotting library are those that were published."""

from __future__ import annotations

import hashlib

from theanodiag.report.html.command_pages import HERE

UPLOT = HERE / "static" / "uplot"


def test_the_library_is_as_it_was_published() -> None:
    """Each file has the digest that is kept beside it."""
    rows = [line.split() for line in (UPLOT / "SHA256SUMS").read_text().splitlines()]
    assert {name for _, name in rows} == {"uPlot.iife.min.js", "uPlot.min.css", "LICENSE"}
    for digest, name in rows:
        assert hashlib.sha256((UPLOT / name).read_bytes()).hexdigest() == digest
