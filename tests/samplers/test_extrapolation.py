"""`--confirm pymc`: lines through short runs by hand, and real PyMC that samples few draws."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import theanodiag
from tests.interpreters import THOROUGH, find
from tests.report.conftest import render
from theanodiag.errors import UsageError
from theanodiag.samplers.extrapolation import MOST, WORTH, lengths, shortened, trial
from theanodiag.samplers.model import DrawArray, DrawStatistic, SamplingCall
from theanodiag.samplers.simulate import profile

from ..schemas import flaws
from .test_pymc import MODEL

MIB = 1 << 20
CALL = SamplingCall(
    0, "sample", "pymc", "6.4.0", 40_000, 1000, 2, variables=(DrawArray("mu", "deterministic", "float64", (10_000,)),),
    statistics=(DrawStatistic("lp", "float64", 8),),
)  # fmt: skip


def test_runs_are_as_long_as_their_arrays_are_worth_measuring() -> None:
    """Half and a quarter of the longest, tuning in proportion; never more than are asked for, and never very many."""
    rows = lengths(CALL, {})
    longest = rows[-1][0]
    assert [draws for draws, _ in rows] == [longest // 4, longest // 2, longest]
    assert [tune for _, tune in rows] == [-(-1000 * draws // 40_000) for draws, _ in rows]
    assert longest == 400
    narrow = SamplingCall(0, "sample", "pymc", "6.4.0", 10**6, 1000, 2, variables=(DrawArray("a", "free", "float64", (2,)),))
    assert lengths(narrow, {})[-1][0] == MOST
    wide = SamplingCall(0, "sample", "pymc", "6.4.0", 10**6, 1000, 2, variables=(DrawArray("a", "free", "float64", (1500,)),))
    assert profile(shortened(wide, lengths(wide, {})[-1][0])).peak.bytes > WORTH
    few = SamplingCall(0, "sample", "pymc", "6.4.0", 30, 10, 2, variables=(DrawArray("a", "free", "float64", (2,)),))
    assert [draws for draws, _ in lengths(few, {})] == [7, 15, 30]


def test_a_line_goes_through_the_runs() -> None:
    """What lies on a line is extrapolated without a residual; what does not, with it."""
    straight = trial(CALL, {}, [(100, 30 * MIB), (200, 50 * MIB), (400, 90 * MIB)], None)
    assert (straight.extrapolated_bytes, straight.residual_bytes) == (10 * MIB + 8000 * MIB, 0)
    assert [r.predicted_bytes for r in straight.runs] == [profile(shortened(CALL, n)).peak.bytes for n in (100, 200, 400)]
    bent = trial(CALL, {}, [(100, 30 * MIB), (200, 53 * MIB), (300, 70 * MIB)], None)
    assert bent.residual_bytes == 2 * MIB
    alone = trial(CALL, {}, [(100, 30 * MIB)], "a run ended with status 1")
    assert (alone.extrapolated_bytes, alone.residual_bytes, alone.failure) == (None, None, "a run ended with status 1")


def confirmed(folder: Path, lines: str, environment: str = "pymc") -> theanodiag.Report:
    """The report on the model with these lines after it, confirmed."""
    script = folder / "model.py"
    script.write_text(MODEL + lines)
    return theanodiag.check(script, python=find(environment), device="none", stdout=2, confirm="pymc")


@pytest.mark.parametrize("environment", ["pymc", pytest.param("pymc5", marks=THOROUGH)])
def test_a_script_samples_few_draws_and_tells_of_all(tmp_path: Path, environment: str) -> None:
    """The runs really draw as few as they say, and the line through them meets the prediction."""
    report = confirmed(
        tmp_path,
        "    pm.Deterministic('wide', a.sum() * np.ones(20_000))\n"
        "    idata = pm.sample(30_000, tune=3000, chains=2, cores=1, progressbar=False, random_seed=1)\n"
        f"    with open({str(tmp_path / 'drawn')!r}, 'a') as file:\n"
        "        print(idata.posterior.sizes['draw'], file=file)\n",
        environment,
    )
    found = report.sampling[0].trial
    assert found is not None
    assert found.failure is None
    assert [run.draws for run in found.runs] == [100, 200, 400]
    assert (tmp_path / "drawn").read_text().split()[-3:] == ["100", "200", "400"]
    assert found.extrapolated_bytes is not None
    assert found.extrapolated_bytes == pytest.approx(report.sampling[0].profile.peak.bytes, rel=0.1)
    assert found.residual_bytes is not None
    assert found.residual_bytes < 16 * MIB
    assert flaws(json.loads(report.to_json())) == []
    assert "extrapolated" in render(report)


@THOROUGH
def test_a_run_that_fails_is_told(tmp_path: Path) -> None:
    """It ends badly once it has real numbers: what was measured stays, and why it ended is told."""
    samples = "    idata = pm.sample(200, tune=20, chains=2, cores=1, progressbar=False, nuts={'max_treedepth': 3})\n"
    report = confirmed(tmp_path, samples + "if idata.posterior.mu.values.any():\n    raise SystemExit(3)\n")
    found = report.sampling[0].trial
    assert found is not None
    assert found.failure == "a run ended with status 3"


def test_a_script_without_a_sampler_is_refused(tmp_path: Path) -> None:
    """There is nothing to extrapolate."""
    with pytest.raises(UsageError, match=r"needs calls of pymc\.sample"):
        confirmed(tmp_path, "    pm.find_MAP(progressbar=False)\n")
