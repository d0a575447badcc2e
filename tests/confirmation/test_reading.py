"""What the instrument's events say."""

from __future__ import annotations

import pytest

from theanodiag.confirmation.model import AFTER, BEFORE, HOST_TO_DEVICE, PEAK, RESERVED, NodeMeasurement, Reserved, read
from theanodiag.errors import UnreadableError
from theanodiag.ir import Unknown

CALL = {
    "what": "call", "function": 0, "call": 1, "before": 10, "peak": 30, "after": 10, "reserved": 64, "copied": 8, "seconds": 0.5,
    "nodes": [[3, "GpuDot22", 20], [1, "GpuElemwise", 30]],
}  # fmt: skip
END = {"what": "process", "refused": 0, "asked": None, "live": 10, "peak": 40, "reserved_peak": 64, "resident": 1000, "context": 7}


def test_figures_and_nodes() -> None:
    """As they were told."""
    call = read([CALL], Reserved.TOLD).calls[0]
    assert call.figures == {BEFORE: 10, PEAK: 30, AFTER: 10, RESERVED: 64, HOST_TO_DEVICE: 8}
    assert call.nodes == (NodeMeasurement(3, "GpuDot22", 20), NodeMeasurement(1, "GpuElemwise", 30))
    assert (call.function, call.call, call.seconds) == (0, 1, 0.5)


def test_where_nothing_is_cached() -> None:
    """What is live is what is reserved; on the host nothing is, and nothing is copied."""
    assert read([CALL], Reserved.LIVE).calls[0].figures[RESERVED] == 30
    assert set(read([CALL], Reserved.HOST).calls[0].figures) == {BEFORE, PEAK, AFTER}


@pytest.mark.parametrize("name", ["peak", "after", "reserved", "copied"])
def test_what_is_not_told_is_unknown(name: str) -> None:
    """With a reason, and never 0."""
    values = read([{**CALL, name: None}], Reserved.TOLD).calls[0].figures.values()
    assert len([v for v in values if isinstance(v, Unknown) and v.reason]) == 1


def test_the_whole_process() -> None:
    """The peak is not known where a call's is not."""
    found = read([CALL, END], Reserved.TOLD).process
    assert found == {"live_peak_bytes": 40, "reserved_peak_bytes": 64, "resident_peak_bytes": 1000, "context_bytes": 7}
    assert "live_peak_bytes" not in read([{**CALL, "peak": None}, END], Reserved.HOST).process


def test_out_of_memory_in_a_call_and_outside() -> None:
    """The event of the call says more than the end of the process."""
    where = {"function": 0, "call": 2, "node": 4, "op": "GpuDot22"}
    event = {"what": "oom", **where, "asked": 99, "live": 50, "tensors": [["W", 40]], "message": "no"}
    end = {**END, "refused": 1, "asked": 77}
    inside, outside = read([CALL, event, end], Reserved.TOLD).out_of_memory, read([CALL, end], Reserved.TOLD).out_of_memory
    assert inside is not None
    assert (inside.node, inside.asked_bytes, inside.tensors) == (4, 99, (("W", 40),))
    assert outside is not None
    assert (outside.function, outside.asked_bytes) == (None, 77)
    assert read([CALL, END], Reserved.TOLD).out_of_memory is None


def test_notes_and_functions_that_were_not_read() -> None:
    """A call of a function that the capture left out is left out too."""
    found = read([{**CALL, "function": None}, {"what": "note", "note": "a remark"}], Reserved.TOLD)
    assert found.calls == ()
    assert found.notes == ("a remark",)


def test_a_broken_event_says_where() -> None:
    """The place in the event."""
    with pytest.raises(UnreadableError, match="what the instrument told"):
        read([{**CALL, "before": "many"}], Reserved.TOLD)
