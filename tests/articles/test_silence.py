"""Scripts without these faults: nothing is said about them above a remark."""

from __future__ import annotations

from pathlib import Path

import pytest

import theanodiag
from tests.interpreters import ROOT, THOROUGH, find, listed
from theanodiag.findings import Severity

LEFT_OUT = ("keras_net", "lasagne_net", "updates")
"""Two need further libraries; the third computes in float64 on purpose, which TD401 rightly says."""
MODELS = [p for p in listed(ROOT / "tests" / "memory" / "models", "*.py") if p.stem not in LEFT_OUT]
CLEAN = ("minibatch_givens", "mlp_sgd", "sliced_layer")
KINDS = listed(Path(__file__).parent / "scripts" / "clean", "*.py")
"""An autoencoder, a sampler, an LSTM, a search and others, each without a fault."""


def alarms(path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is said at warning level or above, on a card with room for all of it, in float32."""
    monkeypatch.setenv("THEANO_FLAGS", "floatX=float32")
    report = theanodiag.check(path, python=find("theano"), device="a100-80", stdout=2)
    assert report.functions
    return [f"{f.code} {f.message}" for f in report.findings if f.severity >= Severity.WARNING]


@pytest.mark.parametrize("name", CLEAN)
def test_clean_examples(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples that are not made to show a fault."""
    assert alarms(ROOT / "examples" / f"{name}.py", monkeypatch) == []


@THOROUGH
@pytest.mark.parametrize("path", KINDS, ids=lambda p: p.stem)
def test_scripts_of_other_kinds(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recurrences, indexing, random numbers, updates that read the whole data set."""
    assert alarms(path, monkeypatch) == []


@THOROUGH
@pytest.mark.parametrize("path", MODELS, ids=lambda p: p.stem)
def test_models(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The models with which the memory model is tested."""
    assert alarms(path, monkeypatch) == []
