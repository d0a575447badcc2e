"""Combines the plans of several calls: one change after the other, each simulated with all calls of the script. Pure.

A change of one call moves the peak to another one, which may be hardly lower; and what a call leaves is in every later one. So a change is
worth what it takes off the highest stage of the whole script, libraries and compiled functions included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..units import MIB
from .model import OWN_CODE, SamplingCall, SamplingPlan, SamplingProfile
from .plans import OF_DRAWS, on_disk, plans, shorter
from .simulate import Functions, profiles

SHARE = 0.1
"""Minimum share of the script's peak that a change must save."""
LEAST = 64 * MIB
"""Minimum number of bytes that a change must save if the script already fits."""


@dataclass(frozen=True)
class Caught:
    """A sampler call of the script, with the data that is needed to simulate changes of the call."""

    profile: SamplingProfile
    functions: Functions
    """Bytes that each of its functions needs while it runs."""
    beside_bytes: int
    """Bytes that the process holds during the call in addition to its stages."""
    plans: tuple[SamplingPlan, ...]
    """The changes that are possible for it."""


@dataclass(frozen=True)
class SamplingChange:
    """One change of a sampler call, made after all earlier ones."""

    position: int
    """Position of the call among the script's sampler calls."""
    plan: SamplingPlan
    peak_bytes: int
    """Peak of the script's process after this change and all earlier ones."""


def peak_bytes(calls: Sequence[Caught]) -> int:
    """Returns the bytes of the process at the highest stage of all calls."""
    return max(_highs(calls), default=0)


def worth_bytes(peak: int, fits: bool) -> float:
    """Returns the number of bytes that a change must save to be proposed: a tenth of the peak, and at least 64 MiB if everything fits."""
    return max(SHARE * peak, LEAST if fits else 1)


def steps(calls: Sequence[Caught], available: int | None = None) -> tuple[SamplingChange, ...]:
    """Returns the changes of sampler calls that lower the script's peak. Each is the change that lowers it most after the earlier ones.

    Several runs with fewer draws, instead of one run, are proposed only if nothing else is enough; so are draws on disk, if the script does
    not fit, because the call then returns another object. `calls` are the script's calls, in its order. `available` is the number of bytes
    of host memory: if it is too small for the script, the steps end as soon as everything fits.
    """
    if available is not None and peak_bytes(calls) > available:
        in_memory = [replace(c, plans=tuple(p for p in c.plans if not on_disk(p.change))) for c in calls]
        chosen = _steps(in_memory, available, runs=False)
        if chosen and chosen[-1].peak_bytes <= available:
            return chosen
    chosen = _steps(calls, available, runs=False)
    enough = chosen and (available is None or chosen[-1].peak_bytes <= available)
    return chosen if enough else _steps(calls, available, runs=True)


def _steps(calls: Sequence[Caught], available: int | None, runs: bool) -> tuple[SamplingChange, ...]:
    """Greedy choice of the changes that lower the peak most, in order. `runs`: whether one run may be split into several."""
    peak, now, chosen = peak_bytes(calls), tuple(calls), list[SamplingChange]()
    fits = available is None or peak <= available
    worth, used = worth_bytes(peak, fits), set[tuple[int, str]]()
    while fits or peak_bytes(now) > (available or 0):
        before, options = _highs(now), []
        for position, call in enumerate(now):
            for plan in (p for p in call.plans if _keeps(p, call, now[position + 1 :])):
                if (position, _argument(plan)) not in used and (runs or _argument(plan) != "draws"):
                    after = _changed(now, position, plan, available)
                    options.append((_highs(after), position, plan, after))
        if not options:
            break
        highs, position, plan, after = min(options, key=lambda option: option[0])
        if next((old - new for old, new in zip(before, highs) if old != new), 0) < worth:
            break
        used.add((position, _argument(plan)))
        chosen.append(SamplingChange(position, plan, peak_bytes(after)))
        now = after
    while chosen and (chosen[-2].peak_bytes if chosen[1:] else peak) - chosen[-1].peak_bytes < worth:
        chosen.pop()
    return tuple(chosen)


def _highs(calls: Sequence[Caught]) -> list[int]:
    """Bytes of all processes at the highest stage of each call, the largest first. If two calls are equally high, both have to change
    before the peak falls.
    """
    return sorted((c.profile.peak.bytes + c.beside_bytes for c in calls), reverse=True)


def _argument(plan: SamplingPlan) -> str:
    """The name of the argument that a plan changes: a combined plan changes each argument once."""
    return plan.change.partition(":" if "{" in plan.change else "=")[0]


def _keeps(plan: SamplingPlan, call: Caught, later: Sequence[Caught]) -> bool:
    """Whether a plan keeps the precision of the numbers, and the form of the draws where later calls or the script itself use them."""
    after = plan.after.call
    narrower = any(new.dtype != old.dtype for new, old in zip(after.variables, call.profile.call.variables) if new.name == old.name)
    later_calls = any(_goes_through(c.profile.call, call.profile.call) for c in later)
    used = later_calls or any(stage.name == OWN_CODE for stage in call.profile.stages)
    return not narrower and not (used and after.converted != call.profile.call.converted)


def _changed(calls: Sequence[Caught], position: int, plan: SamplingPlan, available: int | None) -> tuple[Caught, ...]:
    """All calls after `plan` is applied to the call at `position`. Calls that go through its draws go through fewer of them if it draws
    fewer.
    """
    new = list(calls)
    old, own = calls[position], plan.functions or calls[position].functions
    new[position] = replace(old, profile=plan.after, functions=own)
    if old.profile.call.kind == "sample" and plan.after.call.draws < old.profile.call.draws:
        for i, later in enumerate(new[position + 1 :], position + 1):
            if _goes_through(later.profile.call, old.profile.call):
                new[i] = replace(later, profile=replace(later.profile, call=shorter(later.profile.call, plan.after.call.draws)))
    profiled = profiles([c.profile.call for c in new], [c.functions for c in new])
    return tuple(
        replace(c, profile=p, plans=c.plans if p == old.profile else plans(p, c.functions, _room(available, c)))
        for c, old, p in zip(new, calls, profiled)
    )


def _goes_through(call: SamplingCall, sampled: SamplingCall) -> bool:
    return call.kind in OF_DRAWS and (call.draws, call.chains) == (sampled.draws, sampled.chains)


def _room(available: int | None, call: Caught) -> int | None:
    return None if available is None else max(0, available - call.beside_bytes)
