"""The figures derived by hand against the real libgpuarray under Theano 1.0.5, and the prediction from Theano's own GPU graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory.stand.predict import predicted
from tests.memory.stand.run import real_calls

from .expected import DEVICE, EXPECTED, Expected

ROOT = Path(__file__).resolve().parents[2]


def hand(example: str) -> list[Expected]:
    """The functions of an example in the order in which they are compiled."""
    return [graphs[DEVICE] for graphs in EXPECTED[example].values()]


@pytest.mark.parametrize("example", EXPECTED)
def test_the_derivation_is_right(example: str, tmp_path: Path) -> None:
    """On the simulated device each call has the peak that was derived."""
    calls = real_calls(ROOT / "examples" / f"{example}.py", tmp_path)
    want = hand(example)
    assert {(c.function, c.before, c.peak) for c in calls} == {(i, e.before, e.peak) for i, e in enumerate(want)}


@pytest.mark.parametrize("example", EXPECTED)
def test_the_prediction_is_exact(example: str) -> None:
    """The simulation of Theano's GPU graph has it too, without calling anything."""
    found = predicted(ROOT / "examples" / f"{example}.py").calls
    want = hand(example)
    rows = {(i, c.live_before_bytes, c.live_peak_bytes, c.live_after_bytes) for i, calls in found.items() for c in calls}
    assert rows == {(i, e.before, e.peak, e.after) for i, e in enumerate(want)}
