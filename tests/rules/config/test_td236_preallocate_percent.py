"""TD236: the entry is the place, and the advised share is the percentage, at most 0.95."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, message, pasted, spots, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("90", 0.9, "90 means 90 MB", id="whole"),
    pytest.param("100", 0.95, "100 means 100 MB", id="all is cut"),
    pytest.param("1.5", 0.015, "1.5 means 1.5 MB", id="just above one"),
    pytest.param("95.5", 0.95, "95.5 means 95.5 MB", id="above the ceiling"),
    pytest.param("33.0", 0.33, "33 means 33 MB", id="written as a float"),
]


@pytest.mark.parametrize(("text", "wanted", "words"), CASES)
def test_percentage_becomes_a_share(text: str, wanted: float, words: str) -> None:
    """Following the advice ends it."""
    subject = config(f"[gpuarray]\n preallocate = {text}\n", flags="profile=False")
    assert spots("TD236", subject) == ["rc:2:2 warning, derived"]
    assert message("TD236", subject).startswith(words)
    assert value(pasted("TD236", subject), "gpuarray.preallocate") == wanted
    assert findings("TD236", pasted("TD236", subject)) == []


@pytest.mark.parametrize("text", ["1", "100.5", "2048", "-50", "", "50%"])
def test_other_numbers(text: str) -> None:
    """One is TD235's; more than a hundred are megabytes; no number is TD220's."""
    assert findings("TD236", config(flags=f"gpuarray.preallocate={text}")) == []
