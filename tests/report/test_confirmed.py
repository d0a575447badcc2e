"""A confirmation in the terminal and in JSON."""

from __future__ import annotations

import json
from dataclasses import replace

from theanodiag.confirmation.model import DeviceSpec, FunctionConfirmation, NodesCompared, NodeVerdict, OutOfMemory, Tight, Timing, Verdict
from theanodiag.ir import Unknown
from theanodiag.report.confirmed import Confirmation, lines

SPEC = DeviceSpec("virtual", "a simulated driver", True, False, 1000, 900, (("cuda", "no GPU"),))
ROW = (Verdict("live_peak_bytes", 100, 100), Verdict("reserved_bytes", 90, 120), Verdict("live_after_bytes", 5, Unknown("it was kept")))
PARTED = NodesCompared(3, 2, NodeVerdict(1, 4, "GpuElemwise", 64, 128))
TRAIN = FunctionConfirmation(0, "train", (ROW, ROW), PARTED, Timing(0.5, 0.25, 1.0, 3, False))
WHOLE = Confirmation(SPEC, (TRAIN,), (Verdict("live_peak_bytes", 100, 100),), notes=("a remark",))


def text(c: Confirmation) -> str:
    """All lines."""
    return "\n".join(line for line, _ in lines(c))


def test_predicted_stands_beside_measured() -> None:
    """Line by line, with the error in bytes and per cent; a call with the same figures is told in one line."""
    found = text(WHOLE).splitlines()
    assert "  live peak                   100            100              exact" in found
    assert "  from the driver              90            120     -30 (-25.00 %)" in found
    assert "  ?: it was kept" in found
    assert "  call 1: the same" in found
    assert "a remark" in found


def test_the_first_node_that_parts_is_named() -> None:
    """With its step, its place in the graph and both figures."""
    assert "exact at 2 of 3; the first difference: step 1, node 4, GpuElemwise: 64 predicted, 128 measured" in text(WHOLE)


def test_the_device_and_the_better_ones_are_named() -> None:
    """Nothing is replaced silently, and garbage numbers are called so."""
    assert "not confirmed on cuda: no GPU\nconfirmed on virtual: a simulated driver\nnumbers are not computed" in text(WHOLE)


def test_an_under_estimate_is_red() -> None:
    """Bytes copied are not part of it: kernels copy small arguments of their own."""
    copied = Verdict("host_to_device_bytes", 1, 2)
    styles = {line.split()[0]: style for line, style in lines(replace(WHOLE, process=(copied,))) if line.strip()}
    assert styles["from"] == "bold red"
    assert styles["host"] == ""


def test_out_of_memory_is_explained() -> None:
    """Step, request and the largest tensors."""
    out = OutOfMemory(0, 1, 4, "GpuDot22", 4096, 800, (("W", 500), ("x", 300)), "no room")
    found = text(replace(WHOLE, out_of_memory=out))
    assert "OUT OF MEMORY in call 1 of train, node 4 (GpuDot22): a request of 4096 bytes (4.0 KiB) was refused" in found
    assert "             500  W" in found
    assert "OUT OF MEMORY outside of any call" in text(replace(WHOLE, out_of_memory=OutOfMemory(None, None, None, None, None, 1)))


def test_tight_tells_the_margin() -> None:
    """And why it was not tried."""
    assert "predicted 100 bytes; runs with 100, fails with 99; margin 0 bytes" in text(replace(WHOLE, tight=Tight(100, 100, 99)))
    assert "fails with the 100 bytes that were predicted" in text(replace(WHOLE, tight=Tight(100, Unknown("never"), 100)))
    assert "not tried: no limit" in text(replace(WHOLE, tight=Unknown("no limit")))


def test_json_has_the_figures_of_the_highest_call_by_their_names() -> None:
    """What a program reads that wants no rows."""
    (found,) = WHOLE.to_dict()["functions"]  # type: ignore[misc, attr-defined]
    rows = {v["name"]: v for v in found["calls"][found["call"]]}
    assert found["predicted"] == {name: v["predicted"] for name, v in rows.items()}
    assert found["measured"] == {name: v["measured"] for name, v in rows.items()}
    peaks = [v["predicted"] for row in found["calls"] for v in row if v["name"] == "live_peak_bytes"]
    assert found["predicted"]["live_peak_bytes"] == max(peaks)
    empty = replace(WHOLE, functions=(replace(TRAIN, calls=()),)).to_dict()["functions"][0]  # type: ignore[index]
    assert (empty["call"], empty["predicted"], empty["measured"]) == (None, {}, {})


def test_json_has_nulls_for_what_is_unknown() -> None:
    """With the reason beside them."""
    found = json.loads(json.dumps(replace(WHOLE, tight=Tight(100, 100, Unknown("never"))).to_dict()))
    assert found["functions"][0]["calls"][0][1] == {
        "name": "reserved_bytes",
        "predicted": 90,
        "measured": 120,
        "error_bytes": -30,
        "error_percent": -25.0,
        "unknown": None,
    }
    assert found["functions"][0]["calls"][0][2]["measured"] is None
    assert found["functions"][0]["calls"][0][2]["unknown"] == "it was kept"
    assert found["functions"][0]["nodes"]["first_parting"]["node"] == 4
    assert found["device"]["instead_of"] == [{"kind": "cuda", "reason": "no GPU"}]
    assert found["tight"] == {"predicted_bytes": 100, "runs_at_bytes": 100, "fails_at_bytes": None, "margin_bytes": 0}
