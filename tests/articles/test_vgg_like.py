"""Training a VGG-like net on 4 GB, in float64 and with a large batch: either advice mends it, to the predicted byte."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import theanodiag
from tests.articles.test_articles import SCRIPTS, ordered
from tests.interpreters import THOROUGH, find
from tests.memory.stand.run import on_device
from theanodiag.confirmation.simulated_cuda import VirtualDevice
from theanodiag.findings import Finding, Severity
from theanodiag.report.model import Report
from theanodiag.units import parse_bytes

SCRIPT = SCRIPTS / "vgg_like.py"
CARD = "4GiB"


def checked(path: Path, flags: str, monkeypatch: pytest.MonkeyPatch) -> Report:
    """The report for the card, all of which the script has."""
    monkeypatch.setenv("THEANO_FLAGS", flags)
    return theanodiag.check(path, python=find("theano"), device=CARD, device_overhead=0, stdout=2)


@pytest.fixture(scope="module")
def before() -> Report:
    """The script as it is."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        return checked(SCRIPT, "", monkeypatch)


def finding(report: Report, code: str) -> Finding:
    """The one with that code."""
    (found,) = (f for f in report.findings if f.code == code)
    return found


def smaller(report: Report, folder: Path) -> Path:
    """The script with the batch that is advised."""
    fix = finding(report, "TD303").fix
    assert fix is not None
    assert fix.code is not None
    batch = re.search(r"batch_size = (\d+)", fix.code)
    assert batch is not None
    text = SCRIPT.read_text(encoding="utf-8")
    assert text.count("BATCH = 160") == 1
    path = folder / SCRIPT.name
    path.write_text(text.replace("BATCH = 160", f"BATCH = {batch[1]}"), encoding="utf-8")
    return path


def test_cause_first(before: Report) -> None:
    """It does not fit, for what the peak holds; then what cures it, by what it saves."""
    assert before.process.fits is False
    found = ordered(before)
    assert found[0].code == "TD301"
    assert "GpuCorrMM" in finding(before, "TD302").message
    cures = [f for f in found if f.cures and f.severity is Severity.WARNING]
    assert [f.code for f in cures] == ["TD401", "TD303"]
    saved = [f.saves.bytes for f in cures if f.saves is not None]
    assert saved == sorted(saved, reverse=True)


def test_float32_brings_it_under_the_card(before: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    """The flag that is advised: the peak is the predicted one."""
    advice = finding(before, "TD401")
    assert advice.fix is not None
    assert advice.fix.code is not None
    flag = advice.fix.code.splitlines()[0]
    after = checked(SCRIPT, flag.partition("=")[2], monkeypatch)
    agrees(advice, after)


@THOROUGH
def test_a_smaller_batch_brings_it_under_the_card(before: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The constant of the script: the peak is the predicted one."""
    agrees(finding(before, "TD303"), checked(smaller(before, tmp_path), "", monkeypatch))


def agrees(advice: Finding, after: Report) -> None:
    """It fits, with the figures that the advice promised."""
    assert after.process.fits is True
    assert advice.after is not None
    assert after.process.live_peak_bytes == advice.after.live_peak_bytes
    assert after.process.reserved_peak_bytes == advice.after.reserved_bytes


@THOROUGH
def test_the_real_allocator_agrees(before: Report, tmp_path: Path) -> None:
    """On a simulated device of that size the script fails, and runs after either advice."""
    device = VirtualDevice(free_bytes=parse_bytes(CARD), keep_contents=False)
    runs = [(SCRIPT, "floatX=float64"), (SCRIPT, "floatX=float32"), (smaller(before, tmp_path), "floatX=float64")]
    first, *mended = (on_device(path, flags=flags, device=device) for path, flags in runs)
    assert first.returncode != 0
    assert "out of memory" in first.stderr
    for run in mended:
        assert run.returncode == 0, run.stderr
