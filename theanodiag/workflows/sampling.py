"""Composition for samplers: the calls that were caught, and the figures of the functions that they run -> profiles and plans. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..capture.model import Capture
from ..ir import Unknown
from ..memory.profile import ProcessProfile
from ..rules.sampling_subject import SampledCall, SamplingSubject
from ..samplers.model import SamplingCall
from ..samplers.plans import plans
from ..samplers.simulate import profiles


def sampled(capture: Capture, process: ProcessProfile, available: int | None, card: int | None) -> SamplingSubject:
    """The script's calls of samplers.

    Args:
        capture: What the script did.
        process: The simulation of its functions.
        available: Bytes of host memory; None where nobody said.
        card: Bytes that the card has for arrays, where there is one.
    """
    functions = [_own_bytes(call, process) for call in capture.sampling]
    found = profiles(capture.sampling, functions)
    rows = tuple(SampledCall(_name(p.call), p, plans(p, own, available, card is not None), own) for p, own in zip(found, functions))
    return SamplingSubject(capture.path, rows, available, card)


def _own_bytes(call: SamplingCall, process: ProcessProfile) -> Mapping[str, int]:
    """What each of the call's functions takes for itself while it runs: the largest where several are for the same."""
    return {role: max((_running(process, i) for i in indices), default=0) for role, indices in call.functions.items()}


def _running(process: ProcessProfile, function: int) -> int:
    found = process.functions.get(function)
    return 0 if found is None else max(0, found.figures.live_peak_bytes - found.figures.live_before_bytes)


def _name(call: SamplingCall) -> str:
    """How a finding calls it: `model.py` has a line, so the function alone is enough."""
    return f"pymc.{call.kind}"


def with_sampling(process: ProcessProfile, calls: Sequence[SampledCall], available: int | None) -> ProcessProfile:
    """The host's process with the draws beside the arrays of its functions."""
    if not calls:
        return process
    peak = max(c.profile.peak.bytes for c in calls) + process.persistent_bytes
    high = max(process.live_peak_bytes, peak)
    if available is not None and high > available:
        return replace(process, live_peak_bytes=high, fits=False)
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
