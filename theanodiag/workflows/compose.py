"""Composes a Report from a capture: settings, simulation, plans, rules. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..attempts import Attempts
from ..capture.model import Capture, FrameworkInfo
from ..compat.running import notebook
from ..confirmation.model import HOST_TO_DEVICE, NodesCompared
from ..devices import HOST, Context, DeviceProfile, with_overhead
from ..engines import Engine, choose, effects, engine_of, settings_for
from ..files import TEXT, read_plain
from ..findings import Finding, Skipped
from ..ir import Unknown
from ..memory.profile import ProcessProfile
from ..memory.script import Script
from ..memory.settings import MemorySettings
from ..memory.simulate import simulate
from ..plans.advice import LEAST_ROWS, PART, advise, step_bytes
from ..plans.cells import joined
from ..plans.memory_flags import PreallocationPlan, preallocate
from ..plans.read_variables import names_read
from ..report.confirmed import Confirmation
from ..report.model import EngineNamed, EngineSetting, FunctionReport, Preallocation, Report, Target
from ..report.verdict import fits
from ..rules.confirmed import ConfirmedFunction, ConfirmedSubject
from ..rules.coverage import impossible_call
from ..rules.impact import importing, marked
from ..rules.registry import CONFIRM_RULES, SAMPLING_RULES, SCRIPT_RULES
from ..rules.sampling import SampledCall, SamplingSubject
from ..rules.selection import ranked
from ..rules.subject import ScriptSubject
from ..samplers.compiling import first_compiled, of_nodes, reused
from ..samplers.model import SamplingCall, SamplingPlan, SamplingProfile
from ..samplers.plans import plans
from ..samplers.process_memory import NUTPIE_FUNCTIONS as NUTPIE
from ..samplers.process_memory import wholes
from ..samplers.simulate import profile, profiles
from ..version import VERSION

Adapt = Callable[[MemorySettings], MemorySettings]
"""Adapts the settings to the device used for a confirmation."""


def report(
    capture: Capture,
    device: DeviceProfile | None = None,
    overhead: int | None = None,
    adapt: Adapt = lambda settings: settings,
    batch: Sequence[str] = (),
    process: ProcessProfile | None = None,
    engine: str | None = None,
) -> Report:
    """Composes the Report on a recorded script for `device` (default: the device that the script opened, else host memory).

    `overhead` replaces the size of the driver's context, in bytes. `adapt` changes the settings for a special device. `batch` names the
    batch axes, such as "x:0"; if it is empty, they are detected if the script does not fit. `process` is the simulation, if it was already
    run. `engine` names what runs the functions; None: it depends on framework, modes and device.
    """
    device = device or opened_device(capture) or HOST
    if overhead is not None:
        device = with_overhead(device, overhead)
    runs = choose(capture.script, device, engine)
    device = runs.on(capture.script, device)
    settings = adapt(runs.settings(capture.script, device, settings_for(capture.script, device)))
    simulated = process is None
    process = process if process is not None else runs.labelled(capture.script, simulate(capture.script, settings))
    attempts, available = Attempts(), device.available_bytes
    plan = attempts.result("preallocation", lambda: preallocate(capture.script, settings, process, available), None)
    finished = capture.end.status == "finished"
    source = _source(capture.path)
    advice = advise(capture.script, settings, process, batch, finished, plan, source, attempts)
    framework = capture.framework or FrameworkInfo("theano", "", "")
    host = available if device.is_host else None
    card = available if runs.name == "xla" and not device.is_host else None
    sampling = sampled(capture, process, settings, host, card, source)
    beside = card is not None and any(c.profile.device_bytes for c in sampling.calls)
    subject = ScriptSubject(
        capture.path, capture.script, settings, device, process, plan, advice, framework.library, finished, source, beside,
        framework.flags_variable,
    )  # fmt: skip
    about_source = _about_source(capture.path) if sampling.calls else ()
    about_samplers = (f for rule in SAMPLING_RULES for f in rule.found(sampling, attempts))

    def finish(f: Finding) -> Finding:
        return importing(marked(subject, f), source, framework.library)

    found = (f for rule in SCRIPT_RULES for f in rule.found(subject, attempts, finish))
    findings = ranked((*found, *about_samplers, *about_source))
    open_ = tuple(_open(capture, process, runs if simulated else None, findings, attempts.failed))
    judged = process.judged(available)
    if open_ and process.fits is not False:
        judged = replace(process, fits=Unknown("; ".join(open_)))
    if device.is_host:
        judged = with_sampling(judged, sampling.calls, host)
    elif card is not None:
        judged = with_jax_arrays(judged, sampling.calls, card)
    target = Target(capture.path, capture.interpreter, capture.framework, device)
    low, high = subject.reserved_range if plan else (0, 0)
    spread = (low, high) if low != high else None
    named = _named(runs, capture, device, process)
    rows, recommended = _functions(subject, runs), _recommended(plan)
    skipped = (*capture.skipped, *attempts.failed)
    return Report(target, rows, judged, findings, skipped, capture.end, recommended, spread, engine=named, sampling=sampling.calls)


def _named(engine: Engine, capture: Capture, device: DeviceProfile, process: ProcessProfile) -> EngineNamed:
    """The description of an engine, with its settings from the environment."""
    own = capture.framework.set_by_script if capture.framework else ()
    rows = effects(capture.script.environment) if engine.name in ("xla", "torch") else ()
    settings = tuple(EngineSetting(name, value, "script" if name in own else "environment", effect) for name, value, effect in rows)
    line, notes = engine.line(capture.script, device, process), tuple(engine.notes(capture.script, device, process))
    return EngineNamed(engine.name, line, device.pool_bytes, settings, notes)


def _source(path: str) -> str:
    """The text of a script, or of a notebook's cells; empty where it cannot be read."""
    try:
        text = read_plain(path, TEXT).decode("utf-8", "replace")
        return joined((c.number, c.code) for c in notebook.cells(text)) if path.endswith(".ipynb") else text
    except (OSError, ValueError):
        return ""


def _about_source(path: str) -> tuple[Finding, ...]:
    """Findings from the source of a script that samples."""
    from ..rules import source_hazards  # what reads sources is what `port` moves them with: few scripts sample

    return source_hazards.in_script(path)


def _open(
    capture: Capture, process: ProcessProfile, engine: Engine | None, findings: Sequence[Finding], failed: Sequence[Skipped]
) -> Iterator[str]:
    """Yields reasons, apart from the figures, why it is uncertain that the script fits: assumptions and missing parts."""
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
        yield f"{', '.join(uncalled[:3])}{more} {were} never called, and the shapes of {its} inputs are unknown"
    if any(f.code == impossible_call.code for f in findings):
        yield "a call has incompatible shapes; what the script does after it is unknown"
    if any(s.what == impossible_call.label for s in failed):
        yield "the shapes of calls could not be checked"
    if capture.end.unverified:
        yield f"unverified: {capture.end.unverified}"
    if capture.end.failed or capture.end.status == "timeout":
        yield "the script did not finish; what it would have done later is not included in the figures"


def confirmed(report: Report, confirmation: Confirmation, predicted: Report) -> Report:
    """Adds a real run to a report, and the findings of rules about prediction and measurement; `predicted` is the report for the device
    used.

    Verdict and figures of `report` stay unchanged, because they are for the requested device.
    """
    exact, facts = confirmation.device.exact, tuple(_facts(report, confirmation))
    subject = ConfirmedSubject(report.target.model, exact, _confirmed(predicted, confirmation), facts)
    attempts = Attempts()
    findings = tuple(f for rule in CONFIRM_RULES for f in rule.found(subject, attempts))
    skipped = (*report.skipped, *attempts.failed)
    return replace(report, findings=(*report.findings, *findings), skipped=skipped, confirmation=confirmation)


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
    """Yields the versions, device and flags that a report of an under-estimate needs besides the figures."""
    framework = report.target.framework
    yield f"theanodiag {VERSION}, {confirmation.device.kind}: {confirmation.device.total_bytes or 'host'} bytes"
    if framework is not None:
        yield f"{framework.name} {framework.version}"
        names = ("floatX", "optimizer", "allow_gc", "gpuarray.preallocate", "linker")
        yield ",".join(f"{name}={framework.flags[name]}" for name in names if name in framework.flags)


def opened_device(capture: Capture) -> DeviceProfile | None:
    """Returns the device on which the script opened a context; None if it opened none. Memory that was not free at that time counts as the
    context's.
    """
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


BY_WORKERS = ("steps", "densities", "path")
"""Purposes of functions that each worker compiles for itself, if chains run in parallel."""


def sampled(
    capture: Capture, process: ProcessProfile, settings: MemorySettings, available: int | None, card: int | None, source: str
) -> SamplingSubject:
    """Returns the script's calls of samplers, with the memory and the possible changes of each.

    Args:
        capture: The recording of the script.
        process: The simulation of its functions.
        settings: The settings of that simulation.
        available: Bytes of host memory; None if not given.
        card: Bytes of device memory for arrays; None without a GPU.
        source: The code of the script.
    """
    functions = [_own_bytes(call, process) for call in capture.sampling]
    rows = []
    compiled, after = _first_compiled(capture.sampling, capture.script)
    read = names_read(source) if capture.sampling else frozenset()
    calls = [
        replace(call, compiled_after_bytes=n, worker_code_bytes=_compiled_by_worker(call, capture.script), read=read)
        for call, n in zip(capture.sampling, after)
    ]
    call_profiles = profiles(calls, functions)
    for p, own, whole in zip(call_profiles, functions, wholes(call_profiles, compiled)):
        room = available if available is None or whole is None else max(0, available - whole.beside_bytes)
        changes = (*plans(p, own, room, card is not None), *_by_minibatch(capture.script, settings, p, own))
        rows.append(SampledCall(p.call.name, p, changes, own, whole))
    return SamplingSubject(capture.path, tuple(rows), available, card)


def _by_minibatch(script: Script, settings: MemorySettings, current: SamplingProfile, own: Mapping[str, int]) -> Iterator[SamplingPlan]:
    """A fit with a part of the rows at each step, where that lowers its peak."""
    call, steps = current.call, current.call.functions.get("step", ())
    if call.kind != "fit" or not steps or call.rows is None or call.rows < LEAST_ROWS:
        return
    batch = call.rows // PART
    less = {**own, "step": max(step_bytes(script, settings, i, call.rows, batch) for i in steps)}
    after = profile(call, less, current.before_bytes)
    if after.peak.bytes < current.peak.bytes:
        note = f"{batch} of {call.rows} rows in each step, taken from all data of this length; fitting needs more steps"
        change = f"pm.Minibatch(..., batch_size={batch}) as observed, with total_size={call.rows}"
        yield SamplingPlan(change, note, after, less)


def _own_bytes(call: SamplingCall, process: ProcessProfile) -> Mapping[str, int]:
    """Role -> bytes of the call's functions while they run; the largest if several have the same role."""
    return {role: max((_running(process, i) for i in indices), default=0) for role, indices in call.functions.items()}


def _first_compiled(calls: Sequence[SamplingCall], script: Script) -> tuple[list[int], list[int]]:
    """Bytes that numba's first compilation of functions takes: (up to the end of each call, between each call and the next).

    Counts the functions of a call, except those that workers compile, and functions that the script compiled itself.
    """
    compiled = [f for f in script.functions if f.linker == "numba"]
    of_calls = [{i for indices in call.functions.values() for i in indices} for call in calls]
    of_traces = {i for call in calls if NUTPIE in call.functions for i in call.functions.get("trace", ())}  # nutpie has no trace of PyMC's
    of_workers = {i for call in calls if call.parallel for role in BY_WORKERS for i in call.functions.get(role, ())}
    scripts_own = {f.index for f in compiled}.difference(*of_calls)
    done: set[object] = set()
    within, after = [], []
    end, free = -1, 0
    for number, own in enumerate(of_calls):
        begin, end = end, max((end, *own))
        following = min((i for later in of_calls[number + 1 :] for i in later if i > end), default=len(script.functions))
        before = {i for i in scripts_own if begin < i <= end}
        size = first_compiled((f.graph for f in compiled if f.index in (own | before) - of_workers - of_traces), done)
        less = reused(f.graph for f in compiled if f.index in calls[number].functions.get(NUTPIE, ()))
        nodes = of_nodes(f.graph for f in compiled if f.index in own - of_workers - of_traces) - less
        within.append(size - less - min(nodes, free))
        free = max(nodes, free)
        behind = {i for i in scripts_own if end < i < following}
        after.append(first_compiled((f.graph for f in compiled if f.index in behind), done))
        end = max((end, *behind))
    return within, after


def _compiled_by_worker(call: SamplingCall, script: Script) -> int:
    """Bytes that a worker takes for the functions of a path, all of which it compiles; 0 if the call follows none."""
    own = call.functions.get("path", ()) if call.parallel else ()
    return first_compiled((f.graph for f in script.functions if f.linker == "numba" and f.index in own), set())


def _running(process: ProcessProfile, function: int) -> int:
    profile = process.functions.get(function)
    return 0 if profile is None else max(0, profile.figures.live_peak_bytes - profile.figures.live_before_bytes)


def with_sampling(process: ProcessProfile, calls: Sequence[SampledCall], available: int | None) -> ProcessProfile:
    """Adds the draws of samplers to the memory of the host's process. Also adds libraries, model and compiled functions if the system
    reports their size. `available` is the host's memory in bytes.
    """
    if not calls:
        return process
    beside = [process.persistent_bytes if c.whole is None else c.beside_bytes for c in calls]
    high = max(process.live_peak_bytes, *(c.profile.peak.bytes + more for c, more in zip(calls, beside)))
    if available is not None and high > available:
        sure = max((c.profile.call_peak if c.profile.own_code_bounded else c.profile.peak).bytes + more for c, more in zip(calls, beside))
        bound = Unknown("the script's processing of its draws was measured with only one number of draws")
        return replace(process, live_peak_bytes=high, fits=False if sure > available else bound)
    unknown = sorted({name for c in calls for name in c.profile.unknown})
    why = Unknown(f"the size of {', '.join(unknown)} is not known") if unknown and process.fits is True else process.fits
    return replace(process, live_peak_bytes=high, fits=why)


def with_jax_arrays(process: ProcessProfile, calls: Sequence[SampledCall], available: int | None) -> ProcessProfile:
    """Adds the arrays of JAX samplers to the process's memory on a GPU. The additional memory that XLA needs there is unknown. `available`
    is the GPU's memory in bytes.
    """
    there = max((c.profile.device_bytes for c in calls), default=0)
    if not there:
        return process
    least = there + process.persistent_bytes
    fits = process.fits
    if available is not None and least > available:
        fits = False
    elif fits is True:
        fits = Unknown("XLA's additional memory for pymc.sample on this card is not known")
    live, reserved = max(process.live_peak_bytes, least), max(process.reserved_peak_bytes, least)
    return replace(process, live_peak_bytes=live, reserved_peak_bytes=reserved, fits=fits)
