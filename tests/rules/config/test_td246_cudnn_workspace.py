"""TD246: each hungry choice is a place, and the advised one needs no workspace or less."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import GPU, advice, findings, pasted, spots, starts
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("dnn.conv.algo_fwd=large", "dnn.conv.algo_fwd=small", id="forward"),
    pytest.param("dnn.conv.algo_bwd_data=fft_tiling", "dnn.conv.algo_bwd_data=none", id="backward, data"),
    pytest.param("dnn.conv.algo_bwd_filter=time_once", "dnn.conv.algo_bwd_filter=none", id="backward, filters"),
]


@pytest.mark.parametrize(("text", "code"), CASES)
def test_choice_that_needs_less(text: str, code: str) -> None:
    """It is a valid value, and the rule is silent about it."""
    subject = config(flags=f"{GPU},{text}")
    assert spots("TD246", subject) == [f"THEANO_FLAGS:1:{len(GPU) + 2} info, derived"]
    assert advice("TD246", subject).code == code
    assert starts(pasted("TD246", subject))
    assert findings("TD246", pasted("TD246", subject)) == []


def test_three_choices_are_three_findings() -> None:
    """In the order forward, data, filters."""
    rc = "[dnn.conv]\nalgo_bwd_filter = fft\nalgo_bwd_data = fft\nalgo_fwd = fft\n"
    assert spots("TD246", config(rc, flags=GPU)) == [f"rc:{line}:1 info, derived" for line in (4, 3, 2)]


@pytest.mark.parametrize("choice", ["small", "none", "guess_once", "winograd"])
def test_modest_choices(choice: str) -> None:
    """Those that bound the workspace themselves, too."""
    assert findings("TD246", config(flags=f"{GPU},dnn.conv.algo_fwd={choice}")) == []
