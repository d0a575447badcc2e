"""The pieces of compat that a moved source imports work over PyTensor as it is: nothing of the layer is installed there."""

from __future__ import annotations

from pathlib import Path

import pytest

from theanodiag.porting.model import PortOptions, Safety
from theanodiag.porting.source_port import port_text

from ..interpreters import ROOT, python


@pytest.mark.parametrize("name", ["pytensor", "pytensor_new"])
def test_pieces_work_alone(name: str) -> None:
    """Each that real sources need most, called."""
    env = {"PYTHONPATH": str(ROOT), "PYTENSOR_FLAGS": "mode=FAST_COMPILE,cxx=,linker=py"}
    done = python(name, str(Path(__file__).with_name("scripts") / "pieces.py"), env=env)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("name", ["gof.op.get_test_value(x)", "tests.unittest_tools.verify_grad(f, [x])"])
def test_what_needs_the_whole_layer_is_left_to_do_by_hand(name: str) -> None:
    """It reads what only the layer, once installed, makes of PyTensor."""
    report = port_text(f"import theano\ntheano.{name}\n", "model.py", PortOptions())
    assert report.count(Safety.BY_HAND) == 1
    assert "no release" not in report.changes[-1].reason
