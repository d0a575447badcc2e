"""How a finding shows what a plan gives: the figures afterwards, what it saves, how sure that is."""

from __future__ import annotations

from dataclasses import replace

from ..findings import Confidence, Figures, Finding, Saving
from ..memory.profile import ProcessProfile
from ..units import format_bytes
from .subject import ScriptSubject
from .worth import deciding, sure


def figures(after: ProcessProfile) -> Figures:
    """Those of the function with the highest peak, beside what the whole script takes from the driver."""
    profiles = [p.figures for p in after.functions.values()]
    highest = max(profiles, key=lambda f: f.live_peak_bytes, default=Figures(0, 0, after.persistent_bytes, 0))
    return Figures(highest.live_before_bytes, after.live_peak_bytes, highest.live_after_bytes, after.reserved_peak_bytes)


def saving(s: ScriptSubject, after: ProcessProfile, seconds: float = 0.0) -> Saving:
    """What a plan saves of the peak that decides: reserved on a device, live on the host."""
    return Saving(deciding(s, s.process) - deciding(s, after), seconds)


def marked(s: ScriptSubject, f: Finding) -> Finding:
    """The finding, marked where following it makes a script fit that does not."""
    there_is = s.device.available_bytes
    cures = s.process.fits is False and there_is is not None and f.after is not None and f.after.reserved_bytes <= there_is
    return replace(f, cures=True) if cures else f


def confidence(*processes: ProcessProfile) -> Confidence:
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
