"""TD218: the entry is the place; whether it counts depends on which sections the file has."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import advice, findings, message, spots, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[DEFAULT]\nfloatX = float32\n", "2:1", "has no effect", "float64", id="no other section"),
    pytest.param("[DEFAULT]\nFLOATX=float32\n[global]\n", "2:1", "by way of [global]", "float32", id="global is there"),
    pytest.param("[blas]\n[DEFAULT]\n floatX = float32\n", "3:2", "has no effect", "float64", id="another section is there"),
]


@pytest.mark.parametrize(("text", "place", "words", "wanted"), CASES)
def test_effect_is_what_is_said(text: str, place: str, words: str, wanted: str) -> None:
    """The value that the library has in the end agrees with the message."""
    assert spots("TD218", config(text)) == [f"rc:{place} warning, derived"]
    assert words in message("TD218", config(text))
    assert value(config(text), "floatX") == wanted


def test_section_of_a_dotted_flag() -> None:
    """`ldflags` has its effect by way of `[blas]`."""
    text = "[DEFAULT]\nldflags = -lblas\n[blas]\n"
    assert advice("TD218", config(text)).title == "write it in [blas]"
    assert value(config(text), "blas.ldflags") == "-lblas"


@pytest.mark.parametrize("text", ["[DEFAULT]\nroot_of_all = /x\n", "[default]\nfloatX = float32\n", "[global]\nfloatX = float32\n"])
def test_helpers_and_other_sections(text: str) -> None:
    """A name of one's own; small letters make another section."""
    assert findings("TD218", config(text)) == []
