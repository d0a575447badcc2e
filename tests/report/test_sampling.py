"""What the report says of calls of samplers: the arguments in one line, the stages, and what short real runs measured."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from theanodiag.ir import Unknown
from theanodiag.ir.graph import Site
from theanodiag.memory.profile import Origin
from theanodiag.report.sampling import describe, print_sampling, stages_text
from theanodiag.rules.sampling import SampledCall
from theanodiag.samplers.extrapolation import trial
from theanodiag.samplers.model import Amount, DrawArray, SamplingCall
from theanodiag.samplers.process_memory import Whole
from theanodiag.samplers.simulate import profile
from theanodiag.units import MIB

THETA = DrawArray("theta", "free", "float64", (1000,), sampled=True)
"""8000 bytes of each draw."""
CALL = SamplingCall(0, "sample", "pymc", "6.4.0", draws=1000, tune=500, chains=4, variables=(THETA,), site=Site("model.py", 11))


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({}, "pymc.sample with pymc at model.py:11: 4 chains of 1000 draws and 500 of tuning"),
        ({"parallel": True, "cores": 2}, "pymc.sample with pymc at model.py:11: 4 chains of 1000 draws and 500 of tuning in 2 processes"),
        ({"chains": 1, "site": None}, "pymc.sample with pymc: 1 chain of 1000 draws and 500 of tuning"),
        ({"entry": "nutpie.sample", "sampler": "nutpie"},
         "nutpie.sample with nutpie at model.py:11: 4 chains of 1000 draws and 500 of tuning"),
        ({"entry": "emcee.run", "uncounted": True}, "emcee.run at model.py:11: 4 chains of 1000 draws"),
        ({"kind": "fit", "sampler": "ADVI"}, "pymc.fit, ADVI at model.py:11: 1000 iterations"),
        ({"kind": "find_MAP", "sampler": "L-BFGS-B"}, "pymc.find_MAP by L-BFGS-B at model.py:11"),
        ({"kind": "sample_smc", "parallel": True, "cores": 8},
         "pymc.sample_smc with pymc at model.py:11: 4 chains of 1000 particles in 4 processes"),
        ({"kind": "sample_prior_predictive", "chains": 1}, "pymc.sample_prior_predictive at model.py:11: 1 chain of 1000 draws"),
    ],
)  # fmt: skip
def test_a_call_in_one_line(changed: dict[str, object], text: str) -> None:
    """Each kind of call has its own words."""
    assert describe(replace(CALL, **changed)) == text  # type: ignore[arg-type]


def test_the_stages_have_their_bytes() -> None:
    """The peak is marked and its lines are listed, the most first; draws of all chains are 4 x 1500 x 8000 bytes."""
    found = profile(CALL)
    lines = stages_text(SampledCall("trace", found)).splitlines()
    assert lines[0] == f"sampling  {describe(CALL)}"
    assert lines[1] == "  host memory above that of the compiled model, stage by stage"
    assert sum(line.endswith("# peak") for line in lines) == 1
    at = next(n for n, line in enumerate(lines) if f"at the peak, {found.peak.name}" in line)
    figures = [" ".join(line.split()[-2:]) for line in lines[at + 2 :] if line.strip()]
    by_size = sorted((a.bytes for a in found.peak.amounts), reverse=True)
    large = [n for n in by_size if n >= 0.01 * found.peak.bytes]
    assert figures == [f"{n / MIB:.1f} MiB" for n in (*large, sum(by_size) - sum(large))]
    assert f"{len(by_size) - len(large)} more" in " ".join(lines[-1].split())
    assert sum(by_size) == found.peak.bytes
    out = io.StringIO()
    print_sampling(Console(file=out, width=100), (SampledCall("trace", found),), verbose=True)
    assert [int(line.split()[-1]) for line in out.getvalue().splitlines()[at + 3 :] if line.strip()] == by_size
    assert 4 * 1500 * 8000 in [a.bytes for stage in found.stages for a in stage.amounts]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"sampler": "numpyro"}, "JAX's arrays and temporaries lie in the memory of JAX's device"),
        ({"sampler": "blackjax", "refused": "no plugin"}, "which XLA did not report: no plugin"),
        ({"uncounted": True}, "only its result"),
        ({"failed": "ValueError: bad"}, "PyMC itself failed before the first draw: ValueError: bad"),
        ({"start": "u is -inf"}, "the log-density is not finite: u is -inf"),
        ({"variables": (THETA, replace(THETA, name="b", shape=(Unknown("n"),)))}, "at least: the size of b is not known"),
    ],
)  # fmt: skip
def test_what_the_figures_leave_out_is_said(changed: dict[str, object], said: str) -> None:
    """By each call that has such a part."""
    text = " ".join(stages_text(SampledCall("trace", profile(replace(CALL, **changed)))).split())  # type: ignore[arg-type]
    assert said in text
    assert said not in " ".join(stages_text(SampledCall("trace", profile(CALL))).split())


def test_the_process_and_short_runs_stand_below() -> None:
    """Runs of 100 and 200 draws, each draw 1 MiB of 10: the line through them says 1010 MiB at 1000 draws, and misses none."""
    runs = trial(CALL, {}, [(100, 110 * MIB), (200, 210 * MIB)], "the third was killed")
    whole = Whole((Amount("libraries and the model", 200 * MIB, Origin.BOUNDED), Amount("sampling", 56 * MIB)))
    text = stages_text(SampledCall("trace", profile(CALL), whole=whole, trial=runs))
    assert "the whole process at that moment: 256.0 MiB: libraries and the model 200.0 MiB; sampling 56.0 MiB" in " ".join(text.split())
    rows = [line.split() for line in text.splitlines()]
    assert next(row for row in rows if row[:2] == ["100", "50"])[-2:] == ["110.0", "MiB"]
    assert next(row for row in rows if row[:2] == ["1000", "500"])[-3:] == ["1010.0", "MiB", "extrapolated"]
    assert "largest deviation of a run from the straight line through all runs: 0 B" in text
    assert "not every run finished: the third was killed" in text
