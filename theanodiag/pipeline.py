"""Composition: what was captured, the device and the flags -> settings -> simulation -> plans -> rules -> Report. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from .devices import HOST, Context, DeviceProfile, with_overhead
from .findings import Skipped
from .memory.script import Call, Script
from .memory.settings import AllocatorKind, MemorySettings
from .memory.simulate import simulate
from .plans.preallocate import PreallocationPlan, preallocate
from .report.model import Framework, FunctionReport, Preallocation, Report, ScriptEnd, Target, fits
from .rules.registry import SCRIPT_RULES
from .rules.subject import ScriptSubject


@dataclass(frozen=True)
class Captured:
    """What a run of the script gave, whichever way it was run."""

    model: str
    interpreter: str
    script: Script
    framework: Framework | None
    end: ScriptEnd
    skipped: tuple[Skipped, ...] = ()
    device: DeviceProfile | None = None
    """The device whose context the script opened, if it did."""


def settings_for(script: Script, device: DeviceProfile) -> MemorySettings:
    """The settings of a simulation of `script` on `device`, from the flags of the framework that ran it."""
    flags, host = script.flags, device.is_host
    return MemorySettings(
        allocator=_allocator(flags, host),
        preallocate=_number(flags, "gpuarray.preallocate"),
        cnmem=_number(flags, "lib.cnmem"),
        allow_gc=bool(flags.get("allow_gc", True)),
        scan_allow_gc=bool(flags.get("scan.allow_gc", flags.get("scan__allow_gc", False))),
        total_bytes=device.total_bytes,
        free_bytes=device.available_bytes,
        lift=not host and not has_device_graph(script),
    )


def _allocator(flags: Mapping[str, object], host: bool) -> AllocatorKind:
    device = str(flags.get("device", "cpu"))
    if host:
        return AllocatorKind.DIRECT
    if device.startswith("opencl"):
        return AllocatorKind.OPENCL
    if device.startswith("gpu"):
        return AllocatorKind.CNMEM if _number(flags, "lib.cnmem") > 0 else AllocatorKind.DIRECT
    return AllocatorKind.GPUARRAY


def _number(flags: Mapping[str, object], name: str) -> float:
    value = flags.get(name, 0.0)
    return float(value) if isinstance(value, (int, float)) else 0.0


def has_device_graph(script: Script) -> bool:
    """Whether the framework itself placed anything on a device."""
    on_device = (v.type.kind.on_device for f in script.functions for v in f.graph.variables)
    return any(v.type.kind.on_device for v in script.shared.values()) or any(on_device)


def report(captured: Captured, device: DeviceProfile | None = None, overhead: int | None = None) -> Report:
    """The Report on what was captured, for `device` (default: the one the script opened, else host memory).

    `overhead` replaces what the driver takes for itself, in bytes.
    """
    device = device or captured.device or HOST
    if overhead is not None:
        device = with_overhead(device, overhead)
    settings = settings_for(captured.script, device)
    process = simulate(captured.script, settings)
    plan = preallocate(captured.script, settings, process, device.available_bytes)
    subject = ScriptSubject(captured.model, captured.script, settings, device, process, plan)
    findings = tuple(f for rule in SCRIPT_RULES for f in rule.check(subject))
    return Report(
        Target(captured.model, captured.interpreter, captured.framework, device),
        _functions(subject),
        process,
        findings,
        captured.skipped,
        captured.end,
        _recommended(plan),
    )


def _functions(s: ScriptSubject) -> tuple[FunctionReport, ...]:
    calls: dict[int, list[Call]] = {}
    for event in s.script.events:
        if isinstance(event, Call):
            calls.setdefault(event.function, []).append(event)
    profiles = s.process.functions
    return tuple(
        FunctionReport(
            f.index,
            f.name,
            f.graph,
            tuple(calls.get(f.index, ())),
            profiles.get(f.index),
            fits(profiles.get(f.index), s.device, s.process.fits),
        )
        for f in s.script.functions
    )


def _recommended(plan: PreallocationPlan | None) -> Preallocation | None:
    if plan is None:
        return None
    return Preallocation(float(plan.megabytes), plan.bytes, plan.before.reserved_peak_bytes, plan.after.reserved_peak_bytes)


def opened_device(name: str, total_bytes: int, free_bytes: int | None) -> DeviceProfile:
    """The profile of a device that the script opened: the context is what was not free, as measured."""
    context = Context(max(0, total_bytes - free_bytes), "measured") if free_bytes is not None else Context(0, "derived")
    return dataclasses.replace(HOST, name=name, total_bytes=total_bytes, free_bytes=free_bytes, context=context, source="the opened context")
