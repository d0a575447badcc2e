"""TD328: what a sampled softmax needs, beside the real thing."""

from __future__ import annotations

from pathlib import Path

from tests.plans.judge import SCRIPTS, ran, reported
from theanodiag.units import GIB, MIB


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
