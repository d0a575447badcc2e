"""The report as JSON, `"schema": "theanodiag/report/v1"`: types of its own, so that the inside can change and this cannot.

Sizes are integers in bytes; keys may be added, not changed. An unknown dimension is null.
"""

from __future__ import annotations

import dataclasses
import json
from typing import TypedDict

from ..capture.model import FrameworkInfo, ScriptEnd
from ..escaping import visible_json
from ..findings import Cost, Figures, Finding
from ..ir import Shape, Unknown
from ..memory.profile import Item, LiveVariable, MemoryProfile
from ..memory.script import Call, XlaFigures, XlaTemporaries
from ..rules.sampling import SampledCall
from ..samplers.model import DrawArray, SamplingProfile
from ..samplers.trial import SamplingTrial
from .confirmed_json import confirmation
from .formats import View
from .model import EngineNamed, FunctionReport, Report, Target, conclusion
from .plan import plan_of

SCHEMA = "theanodiag/report/v1"
JSON = dict[str, object]


class ItemisedV1(TypedDict, total=False):
    """What `functions[].profile` has only where XLA told it."""

    xla_temporaries: JSON
    xla_compile_seconds: list[float]


class ProfileV1(ItemisedV1):
    """`functions[].profile`."""

    live_before_bytes: int
    live_peak_bytes: int
    live_after_bytes: int
    reserved_bytes: int
    origin: str
    engine: str
    xla: JSON | None
    items: list[JSON]
    at_peak: list[JSON]
    timeline: list[JSON]
    unknown: list[JSON]


def show(report: Report, view: View) -> str:
    """The report for a program: the same for every view."""
    return render(report)


def render(report: Report) -> str:
    """The whole report as one JSON document, ending with a newline."""
    return visible_json(json.dumps(document(report), indent=2)) + "\n"


def document(report: Report) -> JSON:
    """The report as plain dicts and lists."""
    process = report.process
    return {
        "schema": SCHEMA,
        "target": _target(report.target),
        "engine": report.engine and _engine(report.engine),
        "script": _script(report.script),
        "functions": [_function(f) for f in report.functions],
        "process": {
            "reserved_peak_bytes": process.reserved_peak_bytes,
            "reserved_range_bytes": report.reserved_range and list(report.reserved_range),
            "live_peak_bytes": process.live_peak_bytes,
            "persistent_bytes": process.persistent_bytes,
            "fits": report.fits,
            "verdict": conclusion(report)[0],
            "open": process.fits.reason if isinstance(process.fits, Unknown) else None,
            "failure": process.failure,
        },
        "sampling": [_sampled(c) for c in report.sampling],
        "findings": [finding(f) for f in report.findings],
        "plan": _plan(report),
        "ignored": [{**finding(f), "ignored_by": why} for f, why in report.ignored],
        "recommendation": _recommendation(report),
        "confirmation": report.confirmation and confirmation(report.confirmation),
        "skipped": [{"what": s.what, "reason": s.reason} for s in report.skipped],
    }


def _target(target: Target) -> JSON:
    framework, device = target.framework, target.device
    return {
        "model": target.model,
        "interpreter": target.interpreter,
        "framework": framework and _framework(framework),
        "device": {
            "name": device.name,
            "total_bytes": device.total_bytes,
            "free_bytes": device.free_bytes,
            "context": {"bytes": device.context.bytes, "origin": device.context.origin},
        },
    }


def _engine(engine: EngineNamed) -> JSON:
    return {
        "name": engine.name,
        "line": engine.line,
        "pool_bytes": engine.pool_bytes,
        "settings": [{"name": s.name, "value": s.value, "origin": s.origin, "effect": s.effect} for s in engine.settings],
        "notes": list(engine.notes),
    }


def _script(end: ScriptEnd) -> JSON:
    return {
        "status": end.status,
        "outcome": end.outcome,
        "exit_code": end.exit_code,
        "message": end.message,
        "reason": end.reason,
        "traceback": end.traceback,
        "unverified": end.unverified,
    }


def _framework(framework: FrameworkInfo) -> JSON:
    seen = framework.stand_in
    stand_in = seen and {"replaced_flags": dict(seen.replaced_flags), "cudnn": seen.cudnn}
    return {"name": framework.name, "version": framework.version, "alias_of": framework.alias_of, "stand_in": stand_in}


def _function(f: FunctionReport) -> JSON:
    order = f.profile.order if f.profile else ()
    return {
        "name": f.name,
        "index": f.index,
        "nodes": len(f.graph.applies),
        "order": list(order),
        "calls": [_call(c) for c in f.calls],
        "profile": f.profile and _profile(f.profile, f),
        "fits": f.fits,
    }


def _call(call: Call) -> JSON:
    inputs = [{"name": i.name, "dtype": i.dtype, "shape": _shape(i.shape)} for i in call.inputs]
    return {"inputs": inputs, "assumed": call.assumed, "site": str(call.site) if call.site else None}


def figures(f: Figures) -> dict[str, int]:
    """The four figures by their names in the contract."""
    return {
        "live_before_bytes": f.live_before_bytes,
        "live_peak_bytes": f.live_peak_bytes,
        "live_after_bytes": f.live_after_bytes,
        "reserved_bytes": f.reserved_bytes,
    }


def _xla(figures: XlaFigures | None) -> JSON | None:
    return (
        None
        if figures is None
        else {
            "argument_bytes": figures.argument_bytes,
            "output_bytes": figures.output_bytes,
            "temporary_bytes": figures.temporary_bytes,
            "backend": figures.backend,
            "card": figures.card,
        }
    )


def _temporaries(found: XlaTemporaries) -> JSON:
    return {
        "step": found.step,
        "items": [
            {
                "bytes": row.bytes,
                "variable": row.name,
                "op": row.op,
                "site": str(row.site) if row.site else None,
                "kind": row.kind,
                "dtype": row.dtype,
                "shape": list(row.shape),
                "hlo": row.hlo,
                "opcode": row.opcode,
                "fused": list(row.fused),
            }
            for row in found.rows
        ],
        "rest_bytes": found.rest,
    }


def _profile(p: MemoryProfile, of: FunctionReport) -> ProfileV1:
    f, graph = p.figures, of.graph
    told = of.xla.temporaries if of.xla is not None else None
    itemised: ItemisedV1 = {} if told is None else {"xla_temporaries": _temporaries(told)}
    if of.compile_seconds:
        itemised["xla_compile_seconds"] = [round(s, 3) for s in of.compile_seconds]
    return {
        **itemised,
        "live_before_bytes": f.live_before_bytes,
        "live_peak_bytes": f.live_peak_bytes,
        "live_after_bytes": f.live_after_bytes,
        "reserved_bytes": f.reserved_bytes,
        "origin": p.origin.value,
        "engine": of.engine,
        "xla": _xla(of.xla),
        "items": [_item(i) for i in p.items],
        "at_peak": [_live(v) for v in p.at_peak],
        "timeline": [
            {
                "step": s.step,
                "node": s.node,
                "op": None if s.node is None or s.node >= len(graph.applies) else graph.applies[s.node].op.text,
                "live_bytes": s.live_bytes,
                "reserved_bytes": s.reserved_bytes,
                "free_bytes": s.free_bytes,
                "largest_free_bytes": s.largest_free_bytes,
                "fragmentation": round(s.fragmentation, 6),
            }
            for s in p.timeline
        ],
        "unknown": [{"variable": u.variable, "op": u.op, "reason": u.reason} for u in p.unknown],
    }


def _item(item: Item) -> JSON:
    return {"kind": item.kind.value, "bytes": item.bytes, "origin": item.origin.value}


def _live(v: LiveVariable) -> JSON:
    return {
        "variable": v.variable,
        "op": v.op,
        "dtype": v.dtype,
        "shape": _shape(v.shape),
        "nbytes": v.nbytes,
        "kind": v.kind.value,
        "site": str(v.site) if v.site else None,
    }


def _sampled(c: SampledCall) -> JSON:
    p, call = c.profile, c.profile.call
    return {
        "kind": call.kind,
        "function": call.name,
        "uncounted": call.uncounted,
        "sampler": call.sampler,
        "version": call.version,
        "site": str(call.site) if call.site else None,
        "draws": call.draws,
        "tune": call.tune,
        "chains": call.chains,
        "cores": call.cores,
        "parallel": call.parallel,
        "failed": call.failed,
        "start": call.start,
        "variables": [_array(v) for v in call.variables],
        "log_likelihood": [_array(v) for v in call.log_likelihood],
        "made": [_array(v) for v in call.made],
        "held": [_array(v) for v in call.held],
        "statistics": [{"name": s.name, "dtype": s.dtype, "bytes": s.bytes} for s in call.statistics],
        "programs": [dataclasses.asdict(program) for program in call.programs],
        "devices": call.devices,
        "refused": call.refused,
        "stages": [
            {
                "name": stage.name,
                "bytes": stage.bytes,
                "worker_bytes": stage.worker_bytes,
                "items": [{"what": a.what, "bytes": a.bytes, "origin": a.origin.value, "where": a.where} for a in stage.amounts],
            }
            for stage in p.stages
        ],
        "unknown": list(p.unknown),
        **_peak(p),
        "process": c.whole
        and {
            "bytes": c.whole.bytes,
            "parts": [{"what": a.what, "bytes": a.bytes, "origin": a.origin.value} for a in c.whole.parts],
        },
        "trial": c.trial and _trial(c.trial),
        "plans": [{"change": plan.change, "note": plan.note, **_peak(plan.after)} for plan in c.plans],
    }


def _trial(t: SamplingTrial) -> JSON:
    return {
        "runs": [dataclasses.asdict(run) for run in t.runs],
        "extrapolated_bytes": t.extrapolated_bytes,
        "residual_bytes": t.residual_bytes,
        "failure": t.failure,
    }


def _peak(p: SamplingProfile) -> JSON:
    return {"peak_stage": p.peak.name, "peak_bytes": p.peak.bytes, "kept_bytes": p.kept_bytes}


def _array(v: DrawArray) -> JSON:
    return {"name": v.name, "kind": v.kind, "dtype": v.dtype, "shape": _shape(v.shape)}


def _shape(shape: Shape | Unknown) -> list[int | None] | None:
    return None if isinstance(shape, Unknown) else [None if isinstance(d, Unknown) else d for d in shape]


def finding(f: Finding) -> JSON:
    """One finding."""
    return {
        **f.described(),
        "after": f.after and figures(f.after),
        "saves": f.saves and {"bytes": f.saves.bytes, "seconds": f.saves.seconds},
        "notes": list(f.notes),
        "cost": f.cost and _cost(f.cost),
    }


def _cost(cost: Cost) -> JSON:
    return {"seconds": cost.seconds, "work": cost.work, "results": cost.results.name.lower()}


def _plan(report: Report) -> JSON | None:
    plan = plan_of(report)
    if plan is None:
        return None
    steps = [{"change": s.words, "code": s.code, "after_bytes": s.after_bytes, "cost": _cost(s.cost)} for s in plan.steps]
    return {"code": plan.code, "bounded": plan.bounded, "available_bytes": plan.available_bytes, "steps": steps}


def _recommendation(report: Report) -> JSON:
    plan = report.preallocation
    return {
        "gpuarray.preallocate": plan and plan.value,
        "gpuarray.preallocate_bytes": plan and plan.bytes,
        "reserved_bytes_without": plan and plan.reserved_without,
        "reserved_bytes_with": plan and plan.reserved_with,
    }
