"""What the steps of a loop compute, written as one expression of all steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from theanodiag.ir import Site
from theanodiag.plans.at_once_code import lines_at_once

TEXT = (Path(__file__).parent / "scripts" / "mapped.py").read_text()
OTHERS = {"W": 2, "b": 1, "g": 2, "V": 2, "C": 2, "c": 0}


def line_of(start: str) -> Site:
    """The place of the line that begins with a text."""
    return Site("mapped.py", next(k for k, line in enumerate(TEXT.splitlines(), 1) if line.startswith(start)))


def test_the_lines_are_those_of_the_script_that_was_compared() -> None:
    """Those marked `at once` there."""
    assert lines_at_once(TEXT, line_of("dense, _"), [2], OTHERS) == ("dense = T.tanh(T.dot(x, W) + b)",)
    assert lines_at_once(TEXT, line_of("weighted, _"), [2], OTHERS) == ("weighted = T.tanh(x * g).sum(axis=2)",)


@pytest.mark.parametrize(
    ("call", "ranks", "shown"),
    [
        ("theano.scan(lambda a, b: (a * b).sum(), sequences=[x, y], outputs_info=None)", [1, 1], "(x * y).sum(axis=1)"),
        ("theano.map(step, x)", [1], "T.exp(-x)"),
        ("theano.map(lambda r: T.sqr(r - C).sum(1), x)", [1], None),  # C has more dimensions than an entry
        ("theano.map(lambda r: r + other, x)", [1], None),
        ("theano.map(lambda r: T.dot(W, r), x)", [1], None),
        ("theano.scan(lambda r, h: r + h, x, outputs_info=[c])", [1], None),
        ("theano.map(lambda r: (T.dot(r, W).sum() * r), x)", [1], None),  # one number for each step, times its entry
    ],
)
def test_other_calls(call: str, ranks: list[int], shown: str | None) -> None:
    """Written where each step is one expression that broadcasts in the same way with one more axis in front."""
    text = f"def step(r):\n    return T.exp(-r)\nh, _ = {call}"
    assert lines_at_once(text, Site("m.py", 3), ranks, OTHERS) == ((f"h = {shown}",) if shown else ())
