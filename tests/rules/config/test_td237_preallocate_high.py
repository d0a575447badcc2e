"""TD237: the entry is the place, and 0.8 is advised in the words of the flag that was written."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import advice, findings, message, pasted, spots
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("gpuarray.preallocate=0.95", None, "gpuarray.preallocate = 0.95", "gpuarray.preallocate=0.8", id="new"),
    pytest.param("gpuarray.preallocate=.901", None, "gpuarray.preallocate = 0.901", "gpuarray.preallocate=0.8", id="just above"),
    pytest.param("lib.cnmem=1", "0.8.2", "lib.cnmem = 1", "lib.cnmem=0.8", id="old, all of it"),
    pytest.param("lib.cnmem=0.95", "0.9.0", "lib.cnmem = 0.95", "lib.cnmem=0.8", id="old in 0.9"),
]


@pytest.mark.parametrize(("text", "version", "words", "code"), CASES)
def test_high_share(text: str, version: str | None, words: str, code: str) -> None:
    """For information only; following the advice ends it."""
    subject = config(flags=text, version=version)
    assert spots("TD237", subject) == ["THEANO_FLAGS:1:1 info, derived"]
    assert message("TD237", subject).startswith(words)
    assert advice("TD237", subject).code == code
    assert findings("TD237", pasted("TD237", subject)) == []


@pytest.mark.parametrize("text", ["gpuarray.preallocate=0.9", "gpuarray.preallocate=1", "gpuarray.preallocate=1.1", "lib.cnmem=0.95"])
def test_other_shares(text: str) -> None:
    """Nine tenths are not too much; one is TD235's; 1.0 does not read lib.cnmem."""
    assert findings("TD237", config(flags=text)) == []
