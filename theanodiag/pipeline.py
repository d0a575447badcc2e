"""Composition: what was captured, the device and the flags -> settings -> simulation -> plans -> rules -> Report. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from .capture.model import Capture
from .devices import HOST, Context, DeviceProfile, with_overhead
from .memory.script import Call, Script
from .memory.settings import AllocatorKind, MemorySettings
from .memory.simulate import simulate
from .plans.preallocate import PreallocationPlan, preallocate
from .report.model import FunctionReport, Preallocation, Report, Target, fits
from .rules.registry import SCRIPT_RULES
from .rules.subject import ScriptSubject


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


def report(capture: Capture, device: DeviceProfile | None = None, overhead: int | None = None) -> Report:
    """The Report on what was captured, for `device` (default: the one the script opened, else host memory).

    `overhead` replaces what the driver takes for itself, in bytes.
    """
    device = device or opened_device(capture) or HOST
    if overhead is not None:
        device = with_overhead(device, overhead)
    settings = settings_for(capture.script, device)
    process = simulate(capture.script, settings)
    plan = preallocate(capture.script, settings, process, device.available_bytes)
    subject = ScriptSubject(capture.path, capture.script, settings, device, process, plan)
    findings = tuple(f for rule in SCRIPT_RULES for f in rule.check(subject))
    target = Target(capture.path, capture.interpreter, capture.framework, device)
    return Report(target, _functions(subject), process, findings, capture.skipped, capture.end, _recommended(plan))


def opened_device(capture: Capture) -> DeviceProfile | None:
    """The device whose context the script opened, if it did; what was not free then is its context, as measured."""
    seen = capture.framework and capture.framework.device
    if not seen:
        return None
    context = Context(max(0, seen.total_bytes - seen.free_bytes), "measured")
    return DeviceProfile(seen.name, seen.total_bytes, context, source="the context that the script opened")


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
