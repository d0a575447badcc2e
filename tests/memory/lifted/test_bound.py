"""A lifted graph needs at least what Theano's own needs, and not much more."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from theanodiag.capture.model import Capture, FrameworkInfo, ScriptEnd
from theanodiag.devices import Context, DeviceProfile
from theanodiag.findings import Confidence
from theanodiag.memory.profile import Origin
from theanodiag.units import GIB
from theanodiag.workflows import compose

from ...interpreters import ROOT, THOROUGH
from .compare import EXAMPLES, FUNCTIONS, MODELS, Pair, captured, pairs

SOME = ("autoencoder", "conv_batch_norm", "embedding", "mlp_sgd")


TOO_LOW = [("control", "draw", False), ("control", "hv", True)]
"""By 0.3 and 0.4 %: at the peak Theano's own order has one more small array (an old result, an argument) on the device."""


def not_held(rows: list[Pair]) -> list[Pair]:
    """The functions of which the lifted figures are too low."""
    return [row for row in rows if not row.holds]


def written() -> list[list[int]]:
    """The figures of the page about lifted graphs of Theano: live, lifted, reserved, lifted."""
    rows = (line.split(" | ") for line in (ROOT / "docs" / "accuracy" / "lifted-graphs.md").read_text(encoding="utf-8").splitlines())
    return [[int(row[k].strip(" |")) for k in (3, 4, 6, 7)] for row in rows if len(row) == 8 and row[2] in ("on", "off")]


def test_what_is_written_is_a_bound() -> None:
    """Of each function on the page, live and reserved bytes of the lifted graph are at least those of Theano's own."""
    figures = written()
    assert len(figures) > 150
    assert [row for row in figures if row[1] < row[0] or row[3] < row[2]] == []


@pytest.mark.parametrize("interpreter", ["aesara", "pytensor", "pytensor_new"])
def test_no_figure_of_another_framework_is_called_a_bound(interpreter: str) -> None:
    """Every function of the script is an estimate on every device, and none is said to fit, however large the device is."""
    script = captured(FUNCTIONS, interpreter, *SOME)
    assert len(script.functions) >= 3
    for size in (GIB, 1024 * GIB):
        seen = Capture("functions.py", interpreter, "3.11", script, ScriptEnd("finished", 0), FrameworkInfo(script.framework, "1", ""))
        report = compose.report(seen, DeviceProfile("card", size, Context(0, "derived")), engine="gpuarray")
        origins = [f.profile.origin for f in report.functions if f.profile]
        assert origins
        assert set(origins) == {Origin.ESTIMATE}
        assert not any(f.fits for f in report.functions)
        assert report.process.fits is not True
        assert not any(f.confidence > Confidence.GUESSED for f in report.findings if f.code.startswith("TD30"))


def test_usual_functions() -> None:
    """Of four kinds: no figure is too low, and the peak is at most a fourth too high."""
    rows = list(pairs(FUNCTIONS, *SOME))
    assert len(rows) == 8
    assert not_held(rows) == []
    assert max(row.excess for row in rows) < 0.25


@THOROUGH
@pytest.mark.parametrize("path", [*MODELS, *EXAMPLES], ids=lambda p: p.stem)
def test_scripts(path: Path) -> None:
    """Every function of every script, but for what is known to be too low."""
    low = [(row.script, row.function, row.allow_gc) for row in not_held(list(pairs(path)))]
    assert low == [row for row in TOO_LOW if row[0] == path.stem]


@THOROUGH
def test_all_functions_and_the_page_about_them() -> None:
    """No figure is too low, half of the peaks are right to two thousandths, and the page has them all."""
    rows = list(pairs(FUNCTIONS))
    assert len(rows) > 110
    assert not_held(rows) == []
    assert statistics.median(row.excess for row in rows) < 0.002
    names = [
        line.split(" | ")[1]
        for line in (ROOT / "docs" / "accuracy" / "lifted-graphs.md").read_text().splitlines()
        if line.startswith("| functions")
    ]
    assert names == [row.function for row in rows]
