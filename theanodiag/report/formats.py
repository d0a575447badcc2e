"""The output formats of a Report: one module for each, registered here."""

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
"""Format name on the command line -> module of this package that defines `show`; imported on first use. The first format is the default."""
ALL = (*FORMATS, *listings.FORMATS)
"""All format names: those of a whole report and those of its findings only."""


@dataclass(frozen=True)
class View:
    """Display options of a report."""

    color: bool = False
    """Whether to use ANSI colours."""
    width: int = 80
    """Number of columns of the output."""
    verbose: bool = False
    """Whether to show every function and, step by step, the memory that is reserved but not live."""
    functions: tuple[str, ...] = ()
    """Names of the functions to show in detail; empty: the largest."""
    quiet: bool = False
    """Whether to show only the verdict and the findings."""
    command: str = ""
    """The command line that made the report, which a page names; empty if there was none."""
    fail_on: str = "error"
    """The least severity of a finding, `info`, `warning` or `error`, for which the command fails: it decides which tests of a list fail."""


class Format(Protocol):
    """Interface of a format's module."""

    def show(self, report: Report, view: View) -> str | bytes:
        """Returns the whole report as text that ends with a newline, or as bytes for a binary format."""


def load(module: str) -> Any:
    """Imports a module of this package; formats are loaded only on first use."""
    return importlib.import_module(f"{__package__}.{module}")


def render(report: Report, name: str, view: View) -> str | bytes:
    """Returns the report in the format called `name`, one of `ALL`."""
    if name in listings.FORMATS:
        return listings.render(name, (*load("next_step").unchecked(report), *report.findings), os.getcwd(), view.fail_on)
    return cast(Format, load(FORMATS[name])).show(report, view)
