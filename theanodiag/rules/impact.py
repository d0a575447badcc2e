"""What following a finding gives: the figures afterwards, what it saves, whether that is enough to be told, and how sure it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from typing import TypeVar

from ..findings import Confidence, Figures, Finding, Saving, Severity
from ..memory.profile import MemoryProfile, Origin, ProcessProfile
from ..memory.script import Script
from ..memory.simulate import simulate
from ..units import MIB, format_bytes
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
    """Bytes that a change removes from the deciding peak; negative where it adds."""
    return deciding(s, s.process) - deciding(s, after)


def is_significant(s: ScriptSubject, after: ProcessProfile) -> bool:
    """Whether a change saves enough to be told: a tenth of the peak, and at least `LEAST_BYTES` where the script fits as it is."""
    return saved(s, after) >= least_gain(s)


def after_all(s: ScriptSubject, found: Sequence[Found], change: Callable[[Script, Found], Script]) -> ProcessProfile | None:
    """The script after the change for each of `found`; None where there is none, or where all of them together are not worth it."""
    if not found:
        return None
    after = simulate(reduce(change, found, s.script), s.settings)
    return after if is_significant(s, after) else None


def least_gain(s: ScriptSubject) -> int:
    """Bytes that a change has to save to be told."""
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


def figures(after: ProcessProfile, function: int | None = None) -> Figures:
    """Figures after a change: those of a function, else of the one with the highest peak, beside what the whole script then reserves."""
    if function is not None:
        own = after.functions[function].figures
        return Figures(own.live_before_bytes, own.live_peak_bytes, own.live_after_bytes, after.reserved_peak_bytes)
    profiles = [p.figures for p in after.functions.values()]
    highest = max(profiles, key=lambda f: f.live_peak_bytes, default=Figures(0, 0, after.persistent_bytes, 0))
    return Figures(highest.live_before_bytes, after.live_peak_bytes, highest.live_after_bytes, after.reserved_peak_bytes)


def saving(s: ScriptSubject, after: ProcessProfile, seconds: float = 0.0) -> Saving:
    """Bytes that a change removes from the deciding peak, at least 0, and seconds that it saves."""
    return Saving(max(0, saved(s, after)), seconds, after.simulated)


def marked(s: ScriptSubject, f: Finding) -> Finding:
    """The finding, marked where following it makes a script fit that does not."""
    there_is = s.device.available_bytes
    cures = s.process.fits is False and there_is is not None and f.after is not None and f.after.reserved_bytes <= there_is
    return replace(f, cures=True) if cures else f


def confidence_of(*processes: ProcessProfile) -> Confidence:
    """That of the least sure figures of any function."""
    return sure(*(p for process in processes for p in process.functions.values()))


def instead(then: int, now: int) -> str:
    """`3.1 GiB instead of 5.0 GiB`, in bytes; `12.0 KiB more than 3.6 GiB` where both would read alike."""
    if format_bytes(then) != format_bytes(now):
        return f"{format_bytes(then)} instead of {format_bytes(now)}"
    return f"{format_bytes(abs(then - now))} {'more' if then > now else 'less'} than {format_bytes(now)}" if then != now else "the same"


def change(s: ScriptSubject, after: ProcessProfile) -> str:
    """`3.1 GiB instead of 5.0 GiB, of 3.7 GiB there is`."""
    there_is = s.device.available_bytes
    text = instead(deciding(s, after), deciding(s, s.process))
    return text if there_is is None else f"{text}, of {format_bytes(there_is)} there is"
