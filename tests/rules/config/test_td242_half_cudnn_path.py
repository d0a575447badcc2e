"""TD242: the half that is set is the place, and the other one is named."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, message, spots
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[dnn]\ninclude_path = /c/include\n", None, "rc:2:1", "dnn.library_path is guessed", id="include alone"),
    pytest.param("[dnn]\n\n library_path = /c/lib64\n", None, "rc:3:2", "dnn.include_path is guessed", id="library alone"),
    pytest.param(None, "dnn.include_path=/c", "THEANO_FLAGS:1:1", "dnn.library_path is guessed", id="in the variable"),
]


@pytest.mark.parametrize(("rc", "flags", "spot", "words"), CASES)
def test_missing_half(rc: str | None, flags: str | None, spot: str, words: str) -> None:
    """For information only."""
    subject = config(rc, flags)
    assert spots("TD242", subject) == [f"{spot} info, derived"]
    assert message("TD242", subject).endswith(words)


@pytest.mark.parametrize("more", ["dnn.library_path=/c/lib64", "dnn.base_path=/c"])
def test_following_the_advice_ends_it(more: str) -> None:
    """Either the other half or the folder of both."""
    assert findings("TD242", config("[dnn]\ninclude_path = /c/include\n", flags=more)) == []


@pytest.mark.parametrize("text", ["dnn.bin_path=/c", "dnn.enabled=True", ""])
def test_neither_half(text: str) -> None:
    """Other flags of cuDNN are no halves."""
    assert findings("TD242", config(flags=text)) == []
