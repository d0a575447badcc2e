"""torch on the CPU: functions run, and what nothing counts is unknown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import theanodiag
from tests.interpreters import ROOT, THOROUGH, find

SMALL = Path(__file__).parent / "scripts" / "torch_model.py"


LARGER = [pytest.param(ROOT / "examples" / f"{name}.py", marks=THOROUGH) for name in ("sliced_layer", "grown_w")]


@pytest.mark.parametrize("path", [SMALL, *LARGER])
def test_arguments_and_results_are_measured_and_nothing_else(path: Path) -> None:
    """Their sizes are those that the shapes say."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    report = theanodiag.check(path, python=find("torch"), device="none", confirm="torch", stdout=nowhere)
    assert report.confirmation is not None
    assert report.confirmation.functions
    for function in report.confirmation.functions:
        row = {v.name: v for v in function.calls[0]}
        assert (row["arguments_bytes"].error_bytes, row["outputs_bytes"].error_bytes) == (0, 0)
        assert "no estimate" in str(row["live_peak_bytes"].predicted)
        assert "not measured on the CPU" in str(row["live_peak_bytes"].measured)
        assert "not measured on the CPU" in str(row["reserved_bytes"].measured)
