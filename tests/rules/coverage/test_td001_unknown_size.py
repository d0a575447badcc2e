"""TD001: which sizes are unknown and why, where the function is, and what to give."""

from __future__ import annotations

import pytest

from tests.rules.scripts import findings, only, placed
from theanodiag.findings import Confidence, Severity
from theanodiag.ir import Site, Unknown
from theanodiag.rules.examples import device, dot_script, subject

NONZERO = Unknown("the length depends on data")
SITE = Site("net.py", 12, "build")


def test_unknown_variable_and_reason() -> None:
    """The argument is named with the reason, and so is how many more depend on it."""
    found = only("TD001", subject(dot_script(NONZERO, 10), device(10_000_000)))
    assert "x (the length depends on data)" in found.message
    assert "and 1 more" in found.message
    assert "lower bounds" in found.message


def test_figures_are_what_is_known() -> None:
    """W of ten by ten floats, 400 bytes, is the lower bound: nothing is counted for x."""
    s = subject(dot_script(NONZERO, 10))
    assert s.profiled()[0][1].figures.live_peak_bytes == 10 * 10 * 4
    assert isinstance(s.process.fits, Unknown)


@pytest.mark.parametrize("called", [True, False], ids=["called", "never called"])
def test_place_is_the_function(called: bool) -> None:
    """The line that compiled it, with its name."""
    found = only("TD001", subject(placed(dot_script(NONZERO, 10, called=called), function=SITE)))
    assert str(found.location) == "net.py:12"
    assert found.location.detail == "predict"
    assert (found.severity, found.confidence) == (Severity.INFO, Confidence.DERIVED)


def test_place_without_a_line_is_the_script() -> None:
    """Where the function's place is not known."""
    assert str(only("TD001", subject(dot_script(NONZERO, 10))).location) == "model.py"


def test_shape_to_give_is_ready_to_paste() -> None:
    """Function and argument in the words of the command line; the shared variable is no argument."""
    found = only("TD001", subject(dot_script(5, 10, called=False)))
    assert "never called" in found.message
    assert found.fix
    assert found.fix.code == "--shape predict:x=..."


@pytest.mark.parametrize(("rows", "columns"), [(0, 10), (1, 1), (5, 10)], ids=["empty", "one", "some"])
def test_known_sizes_are_silent(rows: int, columns: int) -> None:
    """Zero rows are a size too."""
    assert findings("TD001", subject(dot_script(rows, columns))) == []
