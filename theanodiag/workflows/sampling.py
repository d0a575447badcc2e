"""Composition for samplers: the calls that were caught, and the figures of the functions that they run -> profiles and plans. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..capture.model import Capture
from ..ir import Unknown
from ..memory.profile import ProcessProfile
from ..memory.script import Script
from ..memory.settings import MemorySettings
from ..plans.minibatch import LEAST_ROWS, PART, step_bytes
from ..rules.sampling import SampledCall, SamplingSubject
from ..samplers.compiling import first_compiled
from ..samplers.model import SamplingCall, SamplingPlan, SamplingProfile
from ..samplers.plans import plans
from ..samplers.simulate import profile, profiles
from ..samplers.whole import wholes

BY_WORKERS = ("steps", "densities")
"""What functions are for that workers compile, each its own, where chains run in parallel."""


def sampled(
    capture: Capture, process: ProcessProfile, settings: MemorySettings, available: int | None, card: int | None
) -> SamplingSubject:
    """The script's calls of samplers.

    Args:
        capture: What the script did.
        process: The simulation of its functions.
        settings: How it was simulated.
        available: Bytes of host memory; None where nobody said.
        card: Bytes that the card has for arrays, where there is one.
    """
    functions = [_own_bytes(call, process) for call in capture.sampling]
    found = profiles(capture.sampling, functions)
    rows = []
    done: set[object] = set()
    code = [_first_compiled(call, capture.script, done) for call in capture.sampling]
    for p, own, whole in zip(found, functions, wholes(found, code)):
        room = available if available is None or whole is None else max(0, available - whole.beside_bytes)
        changes = (*plans(p, own, room, card is not None), *_by_minibatch(capture.script, settings, p, own))
        rows.append(SampledCall(p.call.name, p, changes, own, whole))
    return SamplingSubject(capture.path, tuple(rows), available, card)


def _by_minibatch(script: Script, settings: MemorySettings, found: SamplingProfile, own: Mapping[str, int]) -> Iterator[SamplingPlan]:
    """A fit with a part of the rows at each step, where that lowers its peak."""
    call, steps = found.call, found.call.functions.get("step", ())
    if call.kind != "fit" or not steps or call.rows is None or call.rows < LEAST_ROWS:
        return
    batch = call.rows // PART
    less = {**own, "step": max(step_bytes(script, settings, i, call.rows, batch) for i in steps)}
    after = profile(call, less, found.before_bytes)
    if after.peak.bytes < found.peak.bytes:
        note = f"{batch} of {call.rows} rows at each step, of all data with these rows; it needs more steps"
        change = f"pm.Minibatch(..., batch_size={batch}) as observed, with total_size={call.rows}"
        yield SamplingPlan(change, note, after, less)


def _own_bytes(call: SamplingCall, process: ProcessProfile) -> Mapping[str, int]:
    """What each of the call's functions takes for itself while it runs: the largest where several are for the same."""
    return {role: max((_running(process, i) for i in indices), default=0) for role, indices in call.functions.items()}


def _first_compiled(call: SamplingCall, script: Script, done: set[object]) -> int:
    """What the call's functions take where numba has not compiled them before; `done`: what earlier calls have."""
    own = {i for role, indices in call.functions.items() if not (call.parallel and role in BY_WORKERS) for i in indices}
    return first_compiled((f.graph for f in script.functions if f.index in own and f.linker == "numba"), done)


def _running(process: ProcessProfile, function: int) -> int:
    found = process.functions.get(function)
    return 0 if found is None else max(0, found.figures.live_peak_bytes - found.figures.live_before_bytes)


def with_sampling(process: ProcessProfile, calls: Sequence[SampledCall], available: int | None) -> ProcessProfile:
    """The host's process with the draws, and with libraries, model and compiled functions where the system tells what they take."""
    if not calls:
        return process
    beside = [process.persistent_bytes if c.whole is None else c.beside_bytes for c in calls]
    high = max(process.live_peak_bytes, *(c.profile.peak.bytes + more for c, more in zip(calls, beside)))
    if available is not None and high > available:
        sure = max((c.profile.call_peak if c.profile.own_code_bounded else c.profile.peak).bytes + more for c, more in zip(calls, beside))
        bound = Unknown("what the script does with its draws was measured with one number of them only")
        return replace(process, live_peak_bytes=high, fits=False if sure > available else bound)
    unknown = sorted({name for c in calls for name in c.profile.unknown})
    why = Unknown(f"the size of {', '.join(unknown)} is not known") if unknown and process.fits is True else process.fits
    return replace(process, live_peak_bytes=high, fits=why)


def with_jax_arrays(process: ProcessProfile, calls: Sequence[SampledCall], available: int | None) -> ProcessProfile:
    """The card's process with the arrays of samplers that run in JAX. What XLA takes beside them on the card is not known."""
    there = max((c.profile.device_bytes for c in calls), default=0)
    if not there:
        return process
    least = there + process.persistent_bytes
    fits = process.fits
    if available is not None and least > available:
        fits = False
    elif fits is True:
        fits = Unknown("what XLA takes beside the arrays of pymc.sample on this card is not known")
    live, reserved = max(process.live_peak_bytes, least), max(process.reserved_peak_bytes, least)
    return replace(process, live_peak_bytes=live, reserved_peak_bytes=reserved, fits=fits)
