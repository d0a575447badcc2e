"""Whether advice about a graph is worth a word, and how loud: by what the simulation says it saves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TypeVar

from ..findings import Confidence, Figures, Saving, Severity
from ..memory.profile import MemoryProfile, Origin, ProcessProfile
from ..memory.script import Script
from ..memory.simulate import simulate
from ..units import MIB
from .subject import ScriptSubject

Found = TypeVar("Found")

LEAST_BYTES = 16 * MIB
"""A script that fits is left alone where less than this can be saved, in bytes,"""
SHARE = 0.1
"""... or less than this part of its peak."""


def deciding(s: ScriptSubject, process: ProcessProfile) -> int:
    """The peak that decides whether it fits, in bytes: reserved on a device, live on the host."""
    return process.live_peak_bytes if s.device.is_host else process.reserved_peak_bytes


def saved(s: ScriptSubject, after: ProcessProfile) -> int:
    """What a change saves of it."""
    return deciding(s, s.process) - deciding(s, after)


def worth_it(s: ScriptSubject, after: ProcessProfile) -> bool:
    """Whether a change saves enough: a tenth of the peak, and at least `LEAST_BYTES` where the script fits as it is."""
    return saved(s, after) >= least_gain(s)


def after_all(s: ScriptSubject, found: Sequence[Found], change: Callable[[Script, Found], Script]) -> ProcessProfile | None:
    """The script after the change for each of `found`; None where there is none, or where all of them together are not worth it."""
    if not found:
        return None
    after = simulate(reduce(change, found, s.script), s.settings)
    return after if worth_it(s, after) else None


def least_gain(s: ScriptSubject) -> int:
    """What a change has to save to be worth it, in bytes."""
    return max(64 if s.process.fits is False else LEAST_BYTES, round(SHARE * deciding(s, s.process)))


def can_pay(s: ScriptSubject) -> bool:
    """Whether anything could save enough: asked before a change is simulated."""
    return deciding(s, s.process) >= least_gain(s)


def severity(s: ScriptSubject) -> Severity:
    """A warning where the script does not fit; a hint where it does."""
    return Severity.WARNING if s.process.fits is False else Severity.INFO


_SURE = {Origin.BOUNDED: Confidence.BOUNDED, Origin.ESTIMATE: Confidence.GUESSED, Origin.ASSUMED: Confidence.GUESSED}
"""How sure what is said of figures is; DERIVED where they are no less."""


def sure(*profiles: MemoryProfile) -> Confidence:
    """That of the least sure figures."""
    return min((_SURE.get(p.origin, Confidence.DERIVED) for p in profiles), default=Confidence.DERIVED)


def as_lifted(s: ScriptSubject) -> Confidence:
    """What the placement itself allows: less than DERIVED where the graph is not the device's own."""
    if not s.settings.lift:
        return Confidence.DERIVED
    return _SURE[s.settings.lifted_origin]


def confidence(s: ScriptSubject, exact: bool = True) -> Confidence:
    """DERIVED where both graphs are those that would run."""
    graphs = Confidence.DERIVED if exact else Confidence.BOUNDED
    return min(graphs, as_lifted(s), sure(*s.process.functions.values()))


def saving(s: ScriptSubject, after: ProcessProfile) -> Saving:
    """The saving, for a finding."""
    return Saving(max(0, saved(s, after)))


def figures(after: ProcessProfile, function: int) -> Figures:
    """Those of a function after the change, with what the whole script then reserves."""
    own = after.functions[function].figures
    return Figures(own.live_before_bytes, own.live_peak_bytes, own.live_after_bytes, after.reserved_peak_bytes)
