"""TD202: one finding for each run of foreign bytes, each replaced by the letters of Windows-1252."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, mended, spots, starts, texts
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("# f\udcfcr\n[global]\n", ["rc:1:4"], "# für\n[global]\n", id="one letter in a comment"),
    pytest.param(
        "[global]\ncompiledir = /tmp/\udce9t\udce9\n", ["rc:2:19", "rc:2:21"], "[global]\ncompiledir = /tmp/été\n", id="two places"
    ),
    pytest.param("# \udc93x\udc94\n", ["rc:1:3", "rc:1:5"], "# \u201cx\u201d\n", id="quotes of Word"),
    pytest.param("#\udce4\udcf6\udcfc\n", ["rc:1:2"], "#äöü\n", id="a run is one place"),
]


@pytest.mark.parametrize(("text", "places", "after"), CASES)
def test_bytes_become_letters(text: str, places: list[str], after: str) -> None:
    """Every run has its place and its letters."""
    assert spots("TD202", config(text)) == [f"{place} error, derived" for place in places]
    assert texts(mended("TD202", config(text)))[0] == after


@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_every_library_starts_afterwards(to: Dialect) -> None:
    """None of them reads the file as it is, all do after the change."""
    subject = config("# \udcb5\n[global]\nfloatX = float32\n", to=to)
    assert not starts(subject)
    assert starts(mended("TD202", subject))


@pytest.mark.parametrize("text", ["# für\n", "# \u20ac \U0001f600\n", "[global]\n"], ids=["two bytes", "three and four bytes", "ascii"])
def test_proper_letters_are_left_alone(text: str) -> None:
    """UTF-8 of any length is right."""
    assert findings("TD202", config(text)) == []
