"""Rules about scores of many classes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.plans.judge import SCRIPTS, ran, reported
from tests.rules.scripts import BY_CODE, only
from theanodiag.rules.examples import device, subject
from theanodiag.rules.subject import ScriptSubject
from theanodiag.units import GIB, MIB

# TD328: what a sampled softmax needs, beside the real thing.


def test_a_sample_beside_the_real_thing(tmp_path: Path) -> None:
    """Weights and their gradients are whole in both: the figure is an upper bound, by little, and far below the 2 x 160 MB of scores."""
    report = reported("language_model", "floatX=float32", 250 * MIB)
    assert report.process.fits is False
    found = next(f for f in report.findings if f.code == "TD328")
    assert "scores 50000 classes in 800 rows; with the 1800 of the batch and of a sample" in found.message
    assert found.cures
    assert found.after is not None
    assert found.fix is not None
    assert "scores = theano.tensor.dot(h, W[:, words]) + b[words]" in str(found.fix.code)
    text = (SCRIPTS / "language_model.py").read_text(encoding="utf-8").replace("by_sample = False", "by_sample = True")
    script = tmp_path / "sampled.py"
    script.write_text(text, encoding="utf-8")
    real = ran(tmp_path, script, "floatX=float32", 2 * GIB)
    assert real.fits, real.error
    assert real.reserved <= found.after.reserved_bytes < 2 * real.reserved
    assert report.findings.index(found) == 1  # the first cure, before a smaller batch


# TD334: what a script needs with class numbers instead of one-hot rows.

ROWS = 1000 * 20_000 * 4
"""Bytes of the targets, and of the scores beside them."""


def example(in_place_of: int) -> ScriptSubject:
    """The rule's example, whose product of targets (0) and softmax (1) is written over one of them."""
    script = BY_CODE["TD334"].fires().script
    graph = script.functions[0].graph
    applies = tuple(
        replace(n, op=replace(n.op, destroy_map={0: (in_place_of,)})) if n.op.name == "GpuElemwise" else n for n in graph.applies
    )
    function = replace(script.functions[0], graph=replace(graph, applies=applies))
    return subject(replace(script, functions=(function,)), device(80_000_000_000))


def test_the_rows_go() -> None:
    """All but a number for each, which take 4032 bytes, a multiple of 64."""
    s = example(1)
    found = only("TD334", s)
    assert found.after is not None
    assert s.process.live_peak_bytes - found.after.live_peak_bytes == ROWS - 4032


def test_what_was_written_over_them_stays() -> None:
    """The product of targets and softmax has to be somewhere: where it took their place, nothing is gained by it."""
    s = example(0)
    found = list(BY_CODE["TD334"].check(s))
    assert all(f.after is not None and f.after.live_peak_bytes >= 2 * ROWS for f in found)
