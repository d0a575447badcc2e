"""TD224: the sign is the place, and what follows it up to the end of the line is lost."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, spots, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("compiledir=/tmp/a#1,floatX=float32", ["1:18"], "float64", id="in a path"),
    pytest.param("floatX=float32,#profile=True", ["1:16"], "float32", id="commented out on purpose"),
    pytest.param("cxx=#\nfloatX=float32,#", ["1:5", "2:16"], "float32", id="two lines"),
]


@pytest.mark.parametrize(("text", "places", "wanted"), CASES)
def test_rest_is_not_read(text: str, places: list[str], wanted: str) -> None:
    """A flag behind the sign keeps its default; one on the next line counts."""
    assert spots("TD224", config(flags=text)) == [f"THEANO_FLAGS:{place} warning, derived" for place in places]
    assert value(config(flags=text), "floatX") == wanted


@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_single_quotes_keep_it(to: Dialect) -> None:
    """The advice, done by hand: the sign becomes a part of the value, in every library."""
    subject = config(flags="gcc__cxxflags='-DA=#1',floatX=float32", to=to)
    assert findings("TD224", subject) == []
    assert value(subject, "floatX") == "float32"


@pytest.mark.parametrize("text", ["cxx=\\#", 'cxx="#"', "cxx=g++"], ids=["escaped", "double quotes", "none"])
def test_sign_that_counts(text: str) -> None:
    """It begins no comment when it is quoted."""
    assert findings("TD224", config(flags=text)) == []
