"""TD238: the entry is the place, and zero keeps the cache."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, message, pasted, spots, value
from theanodiag.rules.config.examples import config


@pytest.mark.parametrize("text", ["-1", "-0.001", "-1e3"])
def test_any_negative_number(text: str) -> None:
    """However small; following the advice ends it."""
    subject = config(f"[gpuarray]\npreallocate = {text}\n", flags="profile=False")
    assert spots("TD238", subject) == ["rc:2:1 info, derived"]
    assert value(pasted("TD238", subject), "gpuarray.preallocate") == 0.0
    assert findings("TD238", pasted("TD238", subject)) == []


def test_advice_of_another_rule_leads_here() -> None:
    """`lib.cnmem = 0` is the same as no cache, and the rule says what that costs."""
    subject = pasted("TD234", config("[lib]\ncnmem = 0\n", flags="device=cuda0"))
    assert "cache off" in message("TD238", subject)


@pytest.mark.parametrize("text", ["-0", "0", "0.5", "-", "minus"])
def test_other_texts(text: str) -> None:
    """Minus zero is zero; the last two are no numbers."""
    assert findings("TD238", config(flags=f"gpuarray.preallocate={text}")) == []


def test_default_keeps_the_cache() -> None:
    """What nobody wrote is not reported."""
    assert findings("TD238", config()) == []
