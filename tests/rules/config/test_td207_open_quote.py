"""TD207: the quote or backslash without an end is the place."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, spots, starts
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("device=cpu,cxx='g++", 16, id="single"),
    pytest.param('compiledir="/tmp/a b,floatX=float32', 12, id="double, swallowing commas"),
    pytest.param("cxx='a''b", 8, id="the second pair is open"),
    pytest.param("cxx=C:\\", 7, id="final backslash"),
]


@pytest.mark.parametrize(("text", "column"), CASES)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_place_is_the_quote(text: str, column: int, to: Dialect) -> None:
    """For every library, in the name of its variable."""
    subject = config(flags=text, to=to)
    assert spots("TD207", subject) == [f"{to.flags_variable}:1:{column} error, derived"]
    assert not starts(subject)


@pytest.mark.parametrize(
    "text",
    ['cxx="it\'s"', "cxx=a\\'b", "cxx=C:\\\\", "#'", "cxx=''"],
    ids=["quoted quote", "escaped quote", "escaped backslash", "in a comment", "empty"],
)
def test_closed_quotes(text: str) -> None:
    """Each of these is taken apart without an error."""
    assert findings("TD207", config(flags=text)) == []
