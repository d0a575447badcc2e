"""TD090: what is said of a figure that was too low."""

from __future__ import annotations

from dataclasses import replace

from theanodiag.findings import Confidence, Severity
from theanodiag.ir import Unknown
from theanodiag.memory.profile import Verdict
from theanodiag.rules.confirmed import ConfirmedFunction, ConfirmedSubject, under_estimate

ROWS = ((Verdict("live_peak_bytes", 100, 90),), (Verdict("live_peak_bytes", 100, 101), Verdict("reserved_bytes", 10, 30)))
SUBJECT = ConfirmedSubject("model.py", True, (ConfirmedFunction("train", ROWS),), ("theano 1.0.5",))


def test_the_worst_figure_is_named() -> None:
    """With call, function and difference, and what is needed to report it."""
    (found,) = under_estimate.check(SUBJECT)
    assert found.message == "train, call 1: reserved_bytes is 20 bytes more than predicted"
    assert found.notes == ("predicted 10, measured 30", "theano 1.0.5")
    assert (found.location.path, found.location.detail, found.confidence) == ("model.py", "train", Confidence.MEASURED)


def test_the_first_node_is_part_of_it() -> None:
    """Where nodes were compared."""
    (found,) = under_estimate.check(under_estimate.fires())
    assert "first node: step 5, node 7, GpuElemwise: predicted 90, measured 101" in found.notes


def test_severity_follows_how_exact_the_device_is() -> None:
    """On the host only arrays between nodes are seen."""
    assert [f.severity for f in under_estimate.check(SUBJECT)] == [Severity.ERROR]
    assert [f.severity for f in under_estimate.check(replace(SUBJECT, exact=False))] == [Severity.WARNING]


def test_silent_where_it_was_not_too_low_or_is_a_bound() -> None:
    """More than measured is safe; unknown is neither; a lower bound says so of itself."""
    high = ConfirmedFunction("f", ((Verdict("live_peak_bytes", 2, 1), Verdict("reserved_bytes", Unknown("?"), 5)),))
    bound = replace(SUBJECT.functions[0], bound=True)
    assert list(under_estimate.check(replace(SUBJECT, functions=(high, bound)))) == []
