"""TD225: the first backslash that is taken away is the place."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, spots, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("cxx=C:\\bin\\g++", 7, "C:bing++", id="a path of Windows"),
    pytest.param("floatX=float32,cxx=\\\\host\\g++", 26, "\\hostg++", id="a doubled one before it"),
    pytest.param("cxx=a\\ b", 6, "a b", id="before a blank"),
]


@pytest.mark.parametrize(("text", "column", "left"), CASES)
def test_backslash_is_lost(text: str, column: int, left: str) -> None:
    """What is left of the value is what the library gets."""
    assert spots("TD225", config(flags=text)) == [f"THEANO_FLAGS:1:{column} warning, derived"]
    assert value(config(flags=text), "cxx") == left


@pytest.mark.parametrize(
    ("text", "kept"),
    [("cxx='C:\\b'", "C:\\b"), ('cxx="C:\\b"', "C:\\b"), ("cxx=C:\\\\b", "C:\\b"), ("cxx=a\\,b", "a,b"), ("cxx=C:/b", "C:/b")],
    ids=["single quotes", "double quotes", "doubled", "an escaped comma", "a slash"],
)
def test_nothing_is_lost(text: str, kept: str) -> None:
    """Each of these gives the value that was meant."""
    assert findings("TD225", config(flags=text)) == []
    assert value(config(flags=text), "cxx") == kept


def test_file_keeps_its_backslashes() -> None:
    """The parser of files knows no escapes."""
    assert value(config("[global]\ncxx = C:\\b\n"), "cxx") == "C:\\b"
    assert findings("TD225", config("[global]\ncxx = C:\\b\n")) == []
