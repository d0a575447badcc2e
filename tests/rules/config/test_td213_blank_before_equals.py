"""TD213: the whole entry is the place, and closing it up makes the flag count."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, mended, message, spots, starts, texts, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("floatX = float32", 1, "name", "floatX=float32", id="both sides"),
    pytest.param("profile=False, floatX =float32", 16, "name", "profile=False, floatX=float32", id="before the sign"),
    pytest.param("floatX=\tfloat32,profile=False", 1, "value", "floatX=float32,profile=False", id="a tab behind it"),
]


@pytest.mark.parametrize(("text", "column", "owner", "after"), CASES)
def test_entry_is_closed_up(text: str, column: int, owner: str, after: str) -> None:
    """The message says to which side the blanks belong."""
    subject = config(flags=text)
    assert spots("TD213", subject) == [f"THEANO_FLAGS:1:{column} error, derived"]
    assert f"belong to the {owner}" in message("TD213", subject)
    assert texts(mended("TD213", subject))[1] == after
    assert value(mended("TD213", subject), "floatX") == "float32"


@pytest.mark.parametrize(("text", "lost"), [("floatX =float32", True), ("floatX= float32", False)], ids=["lost", "refused"])
def test_what_the_library_does(text: str, lost: bool) -> None:
    """A blank in the name loses the flag, one in the value stops the library."""
    assert starts(config(flags=text)) is lost
    assert value(config(flags=text), "floatX") != "float32"


def test_blanks_elsewhere() -> None:
    """Beside commas and in a file they do no harm."""
    assert findings("TD213", config("[global]\nprofile  =  False\n", flags=" floatX=float32 ,\tmode=FAST_RUN ")) == []
