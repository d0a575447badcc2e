"""TD321 about sequences: one that is made for a Scan alone is told, one that is there anyway, or read elsewhere, is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.scripts import findings, only
from theanodiag.findings import Confidence, Severity
from theanodiag.ir import Op
from theanodiag.ir.builder import GraphBuilder, on_device, tensor
from theanodiag.ir.scan import scan_counts
from theanodiag.rules.examples import built, device, subject
from theanodiag.rules.subject import ScriptSubject

STEPS, ROWS, WIDE = 200, 100, 500


def loop(how: str, steps: int = STEPS) -> ScriptSubject:
    """The last state of a loop over a sequence of 200 KB a step: x itself, a product of x, a cast, or a product that is returned too."""
    one, every, flat = on_device(ROWS, WIDE), on_device(steps, ROWS, WIDE), on_device(steps * ROWS, WIDE)
    inner = GraphBuilder("step")
    x_t, h = inner.argument(None, one), inner.argument(None, one)
    body = inner.build(inner.apply(Op("GpuElemwise", "add"), [x_t, h], one), info=scan_counts(n_seqs=1, sit_sot_in_slices=[[-1]]))
    b = GraphBuilder("loop")
    n, first = b.constant(tensor(dtype="int64"), steps), b.argument("h0", one)
    x = b.argument("x", on_device(steps * ROWS, 10) if how in ("product", "returned") else every)
    extra = []
    if how in ("product", "returned"):
        made = b.apply(Op("GpuDot22", "GpuDot22"), [x, b.shared("W", on_device(10, WIDE))], flat)
        sequence = b.apply(Op("GpuReshape", "GpuReshape{3}", view_map={0: (0,)}), [made, n], every)
        extra = [made] if how == "returned" else []
    else:
        sequence = b.apply(Op("GpuElemwise", "Cast", params={"scalar_op": "Cast"}), [x], every) if how == "cast" else x
    empty = b.apply(Op("GpuAllocEmpty", "empty"), [n], on_device(2, ROWS, WIDE))
    written = b.apply(Op("GpuIncSubtensor", "set", destroy_map={0: (0,)}), [empty, first], on_device(2, ROWS, WIDE))
    states = b.apply(Op("Scan", "scan", inner=body, destroy_map={0: (2,)}), [n, sequence, written], on_device(2, ROWS, WIDE))
    end = b.constant(tensor(dtype="int64"), -1)
    last = b.apply(Op("GpuSubtensor", "[-1]", params={"idx_list": ["i"]}, view_map={0: (0,)}), [states, end], one)
    return subject(built(b, last, *extra), device(1_000_000_000))


def test_a_projected_sequence_is_told_with_the_peak_without_it() -> None:
    """One step of it is left: 200 KB instead of 200 times that."""
    s = loop("product")
    found = only("TD321", s)
    assert "a sequence of 200 steps (38.1 MiB) is a product made of x" in found.message
    assert (found.severity, found.confidence) == (Severity.INFO, Confidence.BOUNDED)
    assert found.after is not None
    now = s.process.functions[0].figures.live_peak_bytes
    assert now - found.after.live_peak_bytes == (STEPS - 1) * ROWS * WIDE * 4
    assert found.fix is not None
    assert 'excluding("scanOp_pushout_seqs_ops")' in (found.fix.code or "")
    later = only("TD321", replace(loop("product"), library="pytensor")).fix
    assert later is not None
    assert 'pytensor.compile.get_default_mode().excluding("scan_pushout_seqs_ops")' in (later.code or "")


def test_a_copy_for_all_steps_is_told() -> None:
    """A cast of the data, which stays beside it."""
    assert "is a copy made of x" in only("TD321", loop("cast")).message


@pytest.mark.parametrize("how", ["itself", "returned"])
def test_what_is_there_anyway_is_no_fault(how: str) -> None:
    """The data itself; a product that the caller gets."""
    assert findings("TD321", loop(how)) == []


def test_short_sequences_are_left_alone() -> None:
    """Seven steps, and a little more that saves less than 16 MiB."""
    assert findings("TD321", loop("product", 7)) == []
    assert findings("TD321", loop("product", 50)) == []
