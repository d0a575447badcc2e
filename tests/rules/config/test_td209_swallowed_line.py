"""TD209: the indented name is the place, and without its blanks the flag counts."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, message, spots, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[global]\ncompiledir = /tmp/c\n  floatX = float32\n", "3:3", "floatX", id="two blanks"),
    pytest.param("[global]\ncompiledir = /tmp/c\n\tfloatX = float32\n", "3:2", "floatX", id="a tab"),
    pytest.param("[global]\n compiledir = /tmp/c\n\n   FLOATX=float32\n", "4:4", "FLOATX", id="after a blank line, other letters"),
]


@pytest.mark.parametrize(("text", "place", "name"), CASES)
def test_option_is_swallowed(text: str, place: str, name: str) -> None:
    """It has no effect as it stands and has one at the left."""
    assert spots("TD209", config(text)) == [f"rc:{place} error, derived"]
    assert message("TD209", config(text)).startswith(f"{name} is indented deeper")
    assert value(config(text), "floatX") == "float64"
    straight = "\n".join(line.strip() for line in text.splitlines())
    assert value(config(straight), "floatX") == "float32"


def test_every_line_is_named() -> None:
    """Two swallowed lines are two findings."""
    text = "[global]\ncompiledir = /tmp\n floatX = float32\n  device = cpu\n"
    assert spots("TD209", config(text)) == ["rc:3:2 error, derived", "rc:4:3 error, derived"]


@pytest.mark.parametrize("text", ["[gcc]\ncxxflags = -O2\n -DA=1\n", "[global]\ndevice = cpu\n floatX\n", "[global]\n  floatX = float32\n"])
def test_no_option_in_it(text: str) -> None:
    """A compiler flag, a word, the first option of a section."""
    assert findings("TD209", config(text)) == []
