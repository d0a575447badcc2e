"""Composes a Report from a capture: settings, simulation, plans, rules. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ..capture.model import Capture
from ..confirmation.model import HOST_TO_DEVICE, NodesCompared
from ..devices import HOST, Context, DeviceProfile, with_overhead
from ..engines import Engine, choose, engine_of, settings_for
from ..engines.kinds import effects
from ..findings import Finding
from ..ir import Unknown
from ..memory.profile import ProcessProfile
from ..memory.settings import MemorySettings
from ..memory.simulate import simulate
from ..plans.advice import advise
from ..plans.preallocate import PreallocationPlan, preallocate
from ..report.confirmed import Confirmation
from ..report.model import EngineNamed, EngineSetting, FunctionReport, Preallocation, Report, Target, fits
from ..rules.confirmed import ConfirmedFunction, ConfirmedSubject
from ..rules.coverage import impossible_call
from ..rules.impact import marked
from ..rules.registry import CONFIRM_RULES, SAMPLING_RULES, SCRIPT_RULES
from ..rules.selection import ranked
from ..rules.subject import ScriptSubject
from ..version import VERSION
from .sampling import sampled, with_jax_arrays, with_sampling

Adapt = Callable[[MemorySettings], MemorySettings]
"""Adapts the settings to the device that a confirmation runs on."""


def report(
    capture: Capture,
    device: DeviceProfile | None = None,
    overhead: int | None = None,
    adapt: Adapt = lambda settings: settings,
    batch: Sequence[str] = (),
    process: ProcessProfile | None = None,
    engine: str | None = None,
) -> Report:
    """The Report on a capture, for `device` (default: the one that the script opened, else host memory).

    `overhead` replaces the bytes that the driver takes for itself. `adapt` changes the settings for a special device. `batch` names the
    batch axes, such as "x:0"; empty: they are found where the script does not fit. `process` is the simulation, where it was run already.
    `engine` names what runs the functions; None: as framework, modes and device say.
    """
    device = device or opened_device(capture) or HOST
    if overhead is not None:
        device = with_overhead(device, overhead)
    runs = choose(capture.script, device, engine)
    device = runs.on(capture.script, device)
    settings = adapt(runs.settings(capture.script, device, settings_for(capture.script, device)))
    simulated = process is None
    process = process if process is not None else runs.labelled(capture.script, simulate(capture.script, settings))
    plan = preallocate(capture.script, settings, process, device.available_bytes)
    finished = capture.end.status == "finished"
    advice = advise(capture.script, settings, process, batch, finished, plan)
    library = (capture.framework.alias_of or capture.framework.name.partition("-")[0]) if capture.framework else "theano"
    host = device.available_bytes if device.is_host else None
    card = device.available_bytes if runs.name == "xla" and not device.is_host else None
    sampling = sampled(capture, process, settings, host, card)
    beside = card is not None and any(c.profile.device_bytes for c in sampling.calls)
    subject = ScriptSubject(capture.path, capture.script, settings, device, process, plan, advice, library, finished, beside)
    about_source = _about_source(capture.path) if sampling.calls else ()
    about_samplers = (f for rule in SAMPLING_RULES for f in rule.check(sampling))
    findings = ranked((*(marked(subject, f) for rule in SCRIPT_RULES for f in rule.check(subject)), *about_samplers, *about_source))
    open_ = tuple(_open(capture, process, runs if simulated else None, findings))
    told = process.judged(device.available_bytes)
    if open_ and process.fits is not False:
        told = replace(process, fits=Unknown("; ".join(open_)))
    if device.is_host:
        told = with_sampling(told, sampling.calls, host)
    elif card is not None:
        told = with_jax_arrays(told, sampling.calls, card)
    target = Target(capture.path, capture.interpreter, capture.framework, device)
    low, high = subject.reserved_range if plan else (0, 0)
    spread = (low, high) if low != high else None
    named = _named(runs, capture, device, process)
    rows, recommended = _functions(subject, runs), _recommended(plan)
    return Report(target, rows, told, findings, capture.skipped, capture.end, recommended, spread, engine=named, sampling=sampling.calls)


def _named(engine: Engine, capture: Capture, device: DeviceProfile, process: ProcessProfile) -> EngineNamed:
    """The engine, with its settings from the environment."""
    own = capture.framework.set_by_script if capture.framework else ()
    rows = effects(capture.script.environment) if engine.name in ("xla", "torch") else ()
    settings = tuple(EngineSetting(name, value, "script" if name in own else "environment", effect) for name, value, effect in rows)
    line, notes = engine.line(capture.script, device, process), tuple(engine.notes(capture.script, device, process))
    return EngineNamed(engine.name, line, device.pool_bytes, settings, notes)


def _about_source(path: str) -> tuple[Finding, ...]:
    """What shows in the source of a script that samples."""
    from ..rules import source_hazards  # what reads sources is what `port` moves them with: few scripts sample

    return source_hazards.in_script(path)


def _open(capture: Capture, process: ProcessProfile, engine: Engine | None, findings: Sequence[Finding]) -> Iterator[str]:
    """Yields reasons why nobody can say that the script fits, whatever the figures: what they rest on, and what is missing from them."""
    if not capture.script.functions:
        yield "no compiled function was found"
    why = engine and engine.open(capture.script, process)
    if why:
        yield why
    yield from dict.fromkeys(f"{s.what}: {s.reason}" for s in capture.skipped if s.lost)
    uncalled = [f.name for f in capture.script.functions if f.index not in process.functions]
    if uncalled:
        more = f" and {len(uncalled) - 3} more" if uncalled[3:] else ""
        were, its = ("were", "their") if uncalled[1:] else ("was", "its")
        yield f"{', '.join(uncalled[:3])}{more} {were} never called, and no shapes are known of {its} inputs"
    if any(f.code == impossible_call.code for f in findings):
        yield "a call has shapes that do not fit together; what the script does after it is unknown"
    if capture.end.unverified:
        yield f"unverified: {capture.end.unverified}"
    if capture.end.failed or capture.end.status == "timeout":
        yield "the script did not finish; what it would have done later is not included in the figures"


def confirmed(report: Report, confirmation: Confirmation, predicted: Report) -> Report:
    """The report with a real run beside it, and the findings of rules about both; `predicted` is the one for the device that ran.

    Verdict and figures of `report` stay: they are those of the device asked about.
    """
    exact, facts = confirmation.device.exact, tuple(_facts(report, confirmation))
    subject = ConfirmedSubject(report.target.model, exact, _confirmed(predicted, confirmation), facts)
    findings = tuple(f for rule in CONFIRM_RULES for f in rule.check(subject))
    return replace(report, findings=(*report.findings, *findings), confirmation=confirmation)


def _confirmed(predicted: Report, confirmation: Confirmation) -> tuple[ConfirmedFunction, ...]:
    """The functions that ran, with predicted and measured memory figures, without copies and times."""
    bound = {f.index for f in predicted.functions if f.profile is None or f.profile.unknown}
    return tuple(
        ConfirmedFunction(
            f.name,
            tuple(tuple(v for v in row if v.name != HOST_TO_DEVICE) for row in f.calls),
            f.nodes.first if isinstance(f.nodes, NodesCompared) else None,
            f.index in bound,
        )
        for f in confirmation.functions
    )


def _facts(report: Report, confirmation: Confirmation) -> Iterator[str]:
    """Facts that a report of an under-estimate needs beside the figures."""
    framework = report.target.framework
    yield f"theanodiag {VERSION}, {confirmation.device.kind}: {confirmation.device.total_bytes or 'host'} bytes"
    if framework is not None:
        yield f"{framework.name} {framework.version}"
        names = ("floatX", "optimizer", "allow_gc", "gpuarray.preallocate", "linker")
        yield ",".join(f"{name}={framework.flags[name]}" for name in names if name in framework.flags)


def opened_device(capture: Capture) -> DeviceProfile | None:
    """The device whose context the script opened, if it did; what was not free at that time counts as its context."""
    seen = capture.framework and capture.framework.device
    if not seen:
        return None
    context = Context(max(0, seen.total_bytes - seen.free_bytes), "measured")
    return DeviceProfile(seen.name, seen.total_bytes, context, source="the context that the script opened")


def _functions(s: ScriptSubject, engine: Engine) -> tuple[FunctionReport, ...]:
    profiles = s.process.functions
    return tuple(
        FunctionReport(
            f.index,
            f.name,
            f.graph,
            s.script.calls(f.index),
            profiles.get(f.index),
            fits(profiles.get(f.index), s.device, s.process.judged(s.device.available_bytes).fits),
            engine_of(f, engine, s.device),
            f.compile_seconds,
        )
        for f in s.script.functions
    )


def _recommended(plan: PreallocationPlan | None) -> Preallocation | None:
    if plan is None or not plan.recommended:
        return None
    return Preallocation(float(plan.megabytes), plan.bytes, plan.before.reserved_peak_bytes, plan.after.reserved_peak_bytes)
