"""The benchmarks' own parts; what they measure is asserted nowhere."""

from __future__ import annotations

import pytest

from benchmarks.__main__ import benchmarks, main
from benchmarks.printed import IDLE_LOOP, unloaded


def test_each_can_be_run() -> None:
    """What all of them share is no benchmark itself."""
    assert {"startup", "printed", "simulation"} <= set(benchmarks())
    assert "receipt" not in benchmarks()


def test_an_unknown_name_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    """And the known ones are named."""
    assert main(["nothing"]) == 2
    assert "no benchmark is called nothing: config_show, " in capsys.readouterr().err


@pytest.mark.parametrize(("loop", "share"), [(2 * IDLE_LOOP, 0.5), (IDLE_LOOP, 1.0), (IDLE_LOOP / 2, 1.0)])
def test_an_idle_machine_takes_no_longer_than_a_loaded_one(loop: float, share: float) -> None:
    """Also where this machine is faster than the one that the mark is for."""
    assert unloaded(loop) == share
