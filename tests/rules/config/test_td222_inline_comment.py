"""TD222: the entry is the place; the sign is named, and what it does depends on the flag."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, message, spots, starts, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[global]\nallow_gc = True # x\n", "rc:2:1 error, derived", "'#'", "will not start", id="refused"),
    pytest.param("[global]\nfloatX = float32\t;fast\n", "rc:2:1 error, derived", "';fast'", "will not start", id="semicolon after a tab"),
    pytest.param("[blas]\n ldflags = -lblas # a\n", "rc:2:2 warning, derived", "'#'", "part of the value", id="text"),
]


@pytest.mark.parametrize(("text", "spot", "sign", "words"), CASES)
def test_sign_is_named(text: str, spot: str, sign: str, words: str) -> None:
    """The library stops where the message says so."""
    assert spots("TD222", config(text)) == [spot]
    assert message("TD222", config(text)).startswith(sign)
    assert words in message("TD222", config(text))
    assert starts(config(text)) is ("start" not in words)


def test_comment_gets_into_the_value() -> None:
    """And is gone from it on a line of its own."""
    assert value(config("[blas]\nldflags = -lblas # a\n"), "blas.ldflags") == "-lblas # a"
    assert value(config("[blas]\n# a\nldflags = -lblas\n"), "blas.ldflags") == "-lblas"


@pytest.mark.parametrize(
    "text",
    ["[global]\ncompiledir = /a#b\n", "[global]\ncxx =\n# g++\n", "[global]\nbananas = 1 # x\n", "[gcc]\ncxxflags = -O2\n  # x\n"],
    ids=["no blank", "own line", "no flag", "comment between the lines of a value"],
)
def test_other_signs(text: str) -> None:
    """They are no inline comments, or nobody reads them."""
    assert findings("TD222", config(text)) == []
