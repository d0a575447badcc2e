"""The files of the plotting library are those that were published, and the package ships all that a page is made of."""

from __future__ import annotations

import hashlib
from pathlib import Path

from theanodiag.report.html.page import HERE

UPLOT = HERE / "static" / "uplot"


def test_the_library_is_as_it_was_published() -> None:
    """Each file has the digest that is kept beside it."""
    rows = [line.split() for line in (UPLOT / "SHA256SUMS").read_text().splitlines()]
    assert {name for _, name in rows} == {"uPlot.iife.min.js", "uPlot.min.css", "LICENSE"}
    for digest, name in rows:
        assert hashlib.sha256((UPLOT / name).read_bytes()).hexdigest() == digest


def test_the_package_ships_every_file() -> None:
    """Each folder with a file that is no Python stands in setup.py."""
    said = (Path(__file__).parents[3] / "setup.py").read_text()
    folders = {path.parent.relative_to(HERE.parents[1]).as_posix() for path in HERE.rglob("*.*") if path.suffix not in (".py", ".pyc")}
    assert folders == {"report/html/static", "report/html/static/uplot", "report/html/templates"}
    assert all(f'"{folder}/*"' in said for folder in folders)
