"""The registry of formats: each of them shows a report, and the command line offers just these."""

from __future__ import annotations

import click
import pytest

from theanodiag.cli.parameters import load
from theanodiag.errors import UsageError
from theanodiag.report.formats import ALL, View, render
from theanodiag.report.model import Report

PICTURES = ("memory-viz", "perfetto", "collapsed", "pprof")
"""For viewers that know memory and no findings; test_viewers.py reads them as those do."""


@pytest.mark.parametrize("name", ALL)
def test_each_format_shows_the_verdict(name: str, too_large: Report) -> None:
    """Text that ends with a newline and says what is the matter."""
    shown = render(too_large, name, View())
    if name in PICTURES:
        assert shown
        return
    assert isinstance(shown, str)
    assert shown.endswith("\n")
    assert "TD301" in shown


def test_a_report_says_itself_in_each_format(too_large: Report) -> None:
    """As the command line does; another name is a mistake that lists them."""
    assert too_large.to("json") == render(too_large, "json", View())
    with pytest.raises(UsageError, match="no format 'pdf'"):
        too_large.to("pdf")


@pytest.mark.parametrize("name", ["check", "graph"])
def test_commands_that_show_a_report_offer_all_formats(name: str) -> None:
    """A format is one file and one line: no command lists them itself."""
    (option,) = [param for param in load(name).params if param.name == "format"]
    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices) == (*ALL, "terminal")
