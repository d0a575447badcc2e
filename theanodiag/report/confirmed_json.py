"""The key `confirmation` of the JSON report. A figure that is not known is null, and its reason stands at `unknown`."""

from __future__ import annotations

from collections.abc import Sequence

from ..confirmation.model import PEAK, Bytes, DeviceSpec, FunctionConfirmation, NodesCompared, OutOfMemory, Tight, Timing, Verdict
from ..ir import Unknown
from .confirmed import Confirmation

JSON = dict[str, object]


def confirmation(c: Confirmation) -> JSON:
    """The whole of it."""
    return {
        "device": _device(c.device),
        "on_target": c.on_target,
        "fits": c.fits,
        "functions": [_function(f) for f in c.functions],
        "process": [verdict(v) for v in c.process],
        "out_of_memory": c.out_of_memory and _out_of_memory(c.out_of_memory),
        "tight": {"unknown": c.tight.reason} if isinstance(c.tight, Unknown) else c.tight and _tight(c.tight),
        "notes": list(c.notes),
        "failure": c.failure,
        "estimate_bytes": c.estimate_bytes,
    }


def _device(d: DeviceSpec) -> JSON:
    instead = [{"kind": kind, "reason": reason} for kind, reason in d.instead_of]
    return {
        "kind": d.kind,
        "line": d.line,
        "exact": d.exact,
        "computes": d.computes,
        "total_bytes": d.total_bytes,
        "free_bytes": d.free_bytes,
        "instead_of": instead,
    }


def _function(f: FunctionConfirmation) -> JSON:
    highest = max(range(len(f.calls)), key=lambda k: _peak(f.calls[k]), default=None)
    row = () if highest is None else f.calls[highest]
    return {
        "index": f.index,
        "name": f.name,
        "call": highest,
        "predicted": {v.name: _bytes(v.predicted) for v in row},
        "measured": {v.name: _bytes(v.measured) for v in row},
        "calls": [[verdict(v) for v in row] for row in f.calls],
        "nodes": {"unknown": f.nodes.reason} if isinstance(f.nodes, Unknown) else _nodes(f.nodes),
        "seconds": {"unknown": f.timing.reason} if isinstance(f.timing, Unknown) else _timing(f.timing),
    }


def _peak(row: Sequence[Verdict]) -> int:
    """The predicted peak of a call; -1 where it is not known."""
    return next((v.predicted for v in row if v.name == PEAK and isinstance(v.predicted, int)), -1)


def _bytes(value: Bytes) -> int | None:
    return None if isinstance(value, Unknown) else value


def verdict(v: Verdict) -> JSON:
    """One figure."""
    reasons = [value.reason for value in (v.predicted, v.measured) if isinstance(value, Unknown)]
    return {
        "name": v.name,
        "predicted": _bytes(v.predicted),
        "measured": _bytes(v.measured),
        "error_bytes": v.error_bytes,
        "error_percent": v.error_percent,
        "unknown": reasons[0] if reasons else None,
    }


def _nodes(n: NodesCompared) -> JSON:
    first = n.first and {
        "step": n.first.step, "node": n.first.node, "op": n.first.op, "predicted": n.first.predicted, "measured": n.first.measured,
    }  # fmt: skip
    return {"compared": n.compared, "equal": n.equal, "first_parting": first}


def _timing(t: Timing) -> JSON:
    return {"median": t.median, "least": t.least, "most": t.most, "calls": t.calls, "marked": t.marked}


def _tight(t: Tight) -> JSON:
    values = {"runs_at_bytes": t.runs_at_bytes, "fails_at_bytes": t.fails_at_bytes}
    known = {name: None if isinstance(value, Unknown) else value for name, value in values.items()}
    return {"predicted_bytes": t.predicted_bytes, **known, "margin_bytes": t.margin_bytes}


def _out_of_memory(o: OutOfMemory) -> JSON:
    return {
        "function": o.function,
        "call": o.call,
        "node": o.node,
        "op": o.op,
        "asked_bytes": o.asked_bytes,
        "live_bytes": o.live_bytes,
        "tensors": [{"variable": name, "bytes": size} for name, size in o.tensors],
        "message": o.message,
    }
