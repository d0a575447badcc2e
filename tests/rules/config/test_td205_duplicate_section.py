"""TD205: the later header is the place, and the message names the line of the first."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import advice, findings, spots, starts
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[blas]\n[global]\n[blas]\n", ["3:1"], "[blas] was in line 1 already", id="once again"),
    pytest.param("\n[nvcc]\n[nvcc]\n\n  [nvcc]\n", ["3:1", "5:3"], "[nvcc] was in line 2 already", id="twice again, one indented"),
    pytest.param("[a b]\nx=1\n[a b] y\n", ["3:1"], "[a b] was in line 1 already", id="more behind the bracket"),
]


@pytest.mark.parametrize(("text", "places", "words"), CASES)
def test_later_headers_are_named(text: str, places: list[str], words: str) -> None:
    """Each with the first line of all."""
    assert spots("TD205", config(text)) == [f"rc:{place} error, derived" for place in places]
    assert all(words in f.message for f in findings("TD205", config(text)))
    assert not starts(config(text))


def test_moving_the_options_helps() -> None:
    """What the advice says, done by hand, starts and keeps both values."""
    assert advice("TD205", config("[blas]\nldflags=\n[global]\n[blas]\ncheck_openmp=False\n")).title == "move the options below line 1"
    assert starts(config("[blas]\nldflags=\ncheck_openmp=False\n[global]\n"))


@pytest.mark.parametrize("text", ["[blas]\n[Blas]\n", "[dnn]\n[dnn.conv]\n", "[DEFAULT]\n[DEFAULT]\n", "[blas]\n# [blas]\n"])
def test_names_differ(text: str) -> None:
    """Case counts; DEFAULT may come again."""
    assert findings("TD205", config(text)) == []
