"""TD203: the first line without a section is the place, and the header goes above it."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, mended, spots, starts, texts, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("floatX = float32\n", "1:1", "[global]\nfloatX = float32\n", id="alone"),
    pytest.param(
        "# mine\n\nfloatX: float32\ncxx =\n", "3:1", "# mine\n\n[global]\nfloatX: float32\ncxx =\n", id="below a comment, once for two"
    ),
    pytest.param("floatX = float32\r\n[blas]\r\n", "1:1", "[global]\r\nfloatX = float32\r\n[blas]\r\n", id="ends of line of Windows"),
]


@pytest.mark.parametrize(("text", "place", "after"), CASES)
def test_header_is_written_above(text: str, place: str, after: str) -> None:
    """With the file's own end of line; then the flag counts."""
    assert spots("TD203", config(text)) == [f"rc:{place} error, derived"]
    assert texts(mended("TD203", config(text)))[0] == after
    assert not starts(config(text))
    assert value(mended("TD203", config(text)), "floatX") == "float32"


def test_every_file_has_its_own() -> None:
    """A word alone is refused for the same reason."""
    assert spots("TD203", config("device\n")) == ["rc:1:1 error, derived"]


@pytest.mark.parametrize("text", ["", "\n; device = cpu\n", "[]global]\nfloatX = float32\n"], ids=["empty", "comment", "odd header"])
def test_nothing_stands_before(text: str) -> None:
    """Comments and blank lines may."""
    assert findings("TD203", config(text)) == []
