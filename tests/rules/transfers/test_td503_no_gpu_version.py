"""TD503: what cuDNN has is a remark, what nothing has a warning."""

from __future__ import annotations

from tests.rules.scripts import only
from theanodiag.findings import Severity
from theanodiag.ir import Op
from theanodiag.rules.transfers.graph import example


def test_an_op_without_any_version_is_a_warning() -> None:
    """Two copies of 36 MB."""
    assert only("TD503", example(Op("SortOp", "SortOp{quicksort}"), 3000)).severity is Severity.WARNING


def test_an_op_that_cudnn_has_is_a_remark() -> None:
    """The device may have cuDNN; the code says how to see the graph with it."""
    found = only("TD503", example(Op("SoftmaxGrad", "SoftmaxGrad"), 3000))
    assert found.severity is Severity.INFO
    assert found.fix is not None
    assert "--cudnn" in (found.fix.code or "")
