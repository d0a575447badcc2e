"""Scripts of public repositories learn the same over PyTensor; and what measures them measures."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from . import harness
from .named import HERE, Script, read

SCRIPTS = read()
NET = """
import numpy, theano, theano.tensor as T
w = theano.shared(numpy.random.rand(3))
loss = ((w - 2.) ** 2).sum()
step = theano.function([], [T.constant(1), loss], updates=[(w, w - 0.1 * T.grad(loss, w))])
other = theano.function([], loss)
while True:
    other()
    step()
"""


def checkouts() -> Path:
    """The folder of checkouts, from THEANODIAG_TRAJECTORIES; skips the test where it is not set."""
    path = os.environ.get("THEANODIAG_TRAJECTORIES")
    if not path or not Path(path).is_dir():
        pytest.skip("needs a folder with the repositories of named.json: set THEANODIAG_TRAJECTORIES")
    return Path(path)


@pytest.mark.parametrize("script", [s for s in SCRIPTS if not s.left_out], ids=lambda s: s.name)
def test_the_same_loss_at_each_step(script: Script) -> None:
    """At least 20 steps, the same to 1e-4, in which the loss moves by more than 1 %."""
    root = checkouts()
    if not harness.checkout(root, script.repository).is_dir():
        pytest.skip(f"{script.repository} is not among the checkouts")
    reference = harness.run(script, root, "reference", "FAST_COMPILE", "mixed")
    over = harness.run(script, root, "suite", "FAST_COMPILE", "mixed")
    outcome = harness.compare(reference, over)
    assert outcome.same, (outcome.steps, outcome.difference, outcome.moved, reference.error, over.error)


def test_what_is_named() -> None:
    """Enough scripts of each kind, of many hands, each with its commit; a driver belongs to a script."""
    run = [s for s in SCRIPTS if not s.left_out]
    assert len(run) >= 30
    assert len({s.name for s in SCRIPTS}) == len(SCRIPTS)
    for tag, number in (("conv", 10), ("scan", 8), ("early", 5)):
        assert sum(tag in s.tags for s in run) >= number, tag
    assert len({s.repository.partition("/")[0] for s in run}) >= 20
    assert all(re.fullmatch("[0-9a-f]{40}", s.commit) for s in SCRIPTS)
    assert {path.stem for path in (HERE / "drivers").glob("*.txt")} <= {s.name for s in SCRIPTS}


@pytest.mark.parametrize("side", ["reference", "suite", "pytensor_new"])
def test_losses_are_written_down(side: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first output with floats of each call of a function with updates, until there are enough."""
    (tmp_path / "me+net").mkdir()
    (tmp_path / "me+net" / "net.py").write_text(NET)
    script = Script("net", "me/net", "0" * 40, "net.py", "three numbers", flags="floatX=float64", steps=21)
    found = harness.run(script, tmp_path, side, "FAST_COMPILE", "mixed")
    assert not found.error
    assert [number for number, _ in found.losses] == [1] * 21
    losses = [loss for _, loss in found.losses]
    assert losses[1:] == pytest.approx([0.64 * loss for loss in losses[:-1]])


def _side(*losses: float) -> harness.Side:
    return harness.Side([(1, loss) for loss in losses], 1.0, 0.1, "")


def test_what_counts_as_the_same() -> None:
    """Too few steps, a loss that differs, one that stands still and one that is no number are not."""
    falling = [1 - 0.01 * i for i in range(24)]
    assert harness.compare(_side(*falling), _side(*falling)).same
    assert not harness.compare(_side(*falling[:19]), _side(*falling[:19])).same
    assert not harness.compare(_side(*falling), _side(*falling[:-1], falling[-1] * 1.001)).same
    assert not harness.compare(_side(*[1.0] * 24), _side(*[1.0] * 24)).same
    assert not harness.compare(_side(*falling), _side(*[float("nan")] * 24)).same
    once = harness.Side([(i, loss) for i, loss in enumerate(falling)], 1.0, 0.1, "")
    assert harness.compare(once, once).same
    assert not harness.compare(once, harness.Side([(i, 1.0) for i in range(24)], 1.0, 0.1, "")).same
