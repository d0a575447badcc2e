"""The formats in which a Report can be shown: one module each, and one line here."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from . import listings

if TYPE_CHECKING:
    from .model import Report

FORMATS: Mapping[str, str] = {
    "text": "terminal",
    "json": "v1.report",
    "html": "html",
    "memory-viz": "memory_viz",
    "perfetto": "perfetto",
    "collapsed": "collapsed",
    "pprof": "pprof",
}
"""Name on the command line -> module of this package that has `show`, imported only when it is asked for. The first one is the default."""
ALL = (*FORMATS, *listings.FORMATS)
"""The formats of a whole report, and those of its findings alone."""


@dataclass(frozen=True)
class View:
    """How a person looks at a report."""

    color: bool = False
    """Whether ANSI colours are wanted."""
    width: int = 80
    """Columns."""
    verbose: bool = False
    """Whether every function is shown, and what is reserved but not live step by step."""
    functions: tuple[str, ...] = ()
    """Names of the functions whose details are wanted; empty: the largest."""
    quiet: bool = False
    """Whether the verdict and the findings are enough."""


class Format(Protocol):
    """What a module of a format offers."""

    def show(self, report: Report, view: View) -> str | bytes:
        """The whole report as text that ends with a newline; as bytes where the format is binary."""


def load(module: str) -> Any:
    """A module of this package, imported when a report is first shown in its format: each of them imports the report's own."""
    return importlib.import_module(f"{__package__}.{module}")


def render(report: Report, name: str, view: View) -> str | bytes:
    """The report in the format called `name`, one of `ALL`."""
    if name in listings.FORMATS:
        return listings.render(name, report.findings, os.getcwd())
    return cast(Format, load(FORMATS[name])).show(report, view)
