"""Lengths that a script takes from results: where functions return zeros they are 0, and the figures are no more than lower bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.capture.running import write
from tests.interpreters import find
from theanodiag import check

HEAD = """
import numpy as np
import {0} as lib
import {0}.tensor as T
x, k = T.dvector("x"), T.lscalar("k")
data = np.ones(100)
"""
TOTAL = 'total = lib.function([x], x.sum(), name="total")\n'
DOUBLED = 'doubled = lib.function([x], 2 * x, name="doubled")\n'
COUNTED = TOTAL + 'lib.function([k], (T.arange(k) * 2.0).sum(), name="f")(int(total(data)))\n'
CHOSEN = TOTAL + DOUBLED + "scores = doubled(data)\ntotal(scores[scores > 0])\n"
BATCHES = (
    DOUBLED
    + """
s = lib.shared(np.ones((40, 5)))
doubled(data)
f = lib.function([k], (s[k * 10 : (k + 1) * 10] * 2.0).sum())
for n in range(4):
    f(n)
"""
)
BEFORE = TOTAL + DOUBLED + "total(np.ones(0))\ndoubled(data)\n"


@pytest.mark.parametrize("python", ["theano", "pytensor_new"])
@pytest.mark.parametrize(
    ("text", "note"),
    [
        (COUNTED, "k is 0 and makes an array empty in a call at model.py:8"),
        (CHOSEN, "x is empty in a call at model.py:10"),
        (BATCHES, None),
        (BEFORE, None),
    ],
    ids=["counted", "chosen", "batches", "empty before any result"],
)
def test_what_is_empty_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: str, text: str, note: str | None) -> None:
    """With the way to the real figures, on which the report then relies."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, HEAD.format(python.partition("_")[0]) + text)
    dry = check("model.py", python=find(python), device="none")
    notes = [s.reason for s in dry.skipped if "empty" in s.reason]
    assert [note in reason for reason in notes] == [True] * (note is not None) if note else not notes
    assert (dry.process.fits is True) is (note is None)
    if note:
        assert check("model.py", python=find(python), device="none", calls="real").process.fits is True
