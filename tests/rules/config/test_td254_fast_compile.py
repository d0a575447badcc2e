"""TD254: the optimizer or the mode is the place, and the advice is its fast counterpart."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, pasted, spots, starts, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("optimizer=fast_compile", "optimizer", "fast_run", id="optimizer"),
    pytest.param("optimizer=o1", "optimizer", "fast_run", id="level one"),
    pytest.param("optimizer=merge", "optimizer", "fast_run", id="merge only"),
    pytest.param("mode=FAST_COMPILE", "mode", "FAST_RUN", id="mode"),
]


@pytest.mark.parametrize(("text", "flag", "better"), CASES)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_fast_counterpart(text: str, flag: str, better: str, to: Dialect) -> None:
    """Every library takes both; pasted, the rule is silent."""
    subject = config(flags=text, to=to)
    assert spots("TD254", subject) == [f"{to.flags_variable}:1:1 info, derived"]
    assert value(pasted("TD254", subject), flag) == better
    assert starts(pasted("TD254", subject))
    assert findings("TD254", pasted("TD254", subject)) == []


def test_both_are_two_findings() -> None:
    """Optimizer first."""
    assert spots("TD254", config("[global]\nmode=FAST_COMPILE\noptimizer=merge\n")) == ["rc:3:1 info, derived", "rc:2:1 info, derived"]


@pytest.mark.parametrize("text", ["optimizer=o4", "optimizer=None", "mode=Mode", "mode=fast_compile", "optimizer=FAST_COMPILE"])
def test_other_texts(text: str) -> None:
    """None is TD255's; case counts."""
    assert findings("TD254", config(flags=text)) == []
