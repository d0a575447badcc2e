"""The effect of a finding's advice: predicted figures, bytes saved, whether that is worth reporting, and how certain it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from typing import TypeVar

from ..findings import Confidence, Figures, Finding, Saving, Severity
from ..memory.profile import MemoryProfile, Origin, ProcessProfile
from ..memory.script import Script
from ..memory.simulate import simulate_figures
from ..plans.cells import in_cells
from ..plans.script_names import with_imports
from ..units import MIB, format_bytes
from .subject import ScriptSubject

Found = TypeVar("Found")

LEAST_BYTES = 16 * MIB
"""If a script fits, savings of fewer bytes are not reported,"""
SHARE = 0.1
"""... nor are savings below this share of the deciding peak."""


def deciding_peak(s: ScriptSubject, process: ProcessProfile) -> int:
    """Returns the peak in bytes that decides whether a script fits: reserved bytes on a device, live bytes on the host."""
    return process.deciding_bytes(s.device.is_host)


def saved(s: ScriptSubject, after: ProcessProfile) -> int:
    """Returns the bytes that a change removes from the deciding peak; negative if the change adds bytes."""
    return deciding_peak(s, s.process) - deciding_peak(s, after)


def is_significant(s: ScriptSubject, after: ProcessProfile) -> bool:
    """Returns whether a change saves enough to be reported (see `least_gain`)."""
    return saved(s, after) >= least_gain(s)


def after_all(s: ScriptSubject, candidates: Sequence[Found], change: Callable[[Script, Found], Script]) -> ProcessProfile | None:
    """Returns the simulation after applying `change` for each of `candidates`; None if there are none or the total saving is too small."""
    if not candidates:
        return None
    after = simulate_figures(reduce(change, candidates, s.script), s.settings)
    return after if is_significant(s, after) else None


def least_gain(s: ScriptSubject) -> int:
    """Returns the smallest saving in bytes that is reported: a tenth of the deciding peak, and also at least `LEAST_BYTES` if the script
    fits.
    """
    return max(64 if s.process.fits is False else LEAST_BYTES, round(SHARE * deciding_peak(s, s.process)))


def can_pay(s: ScriptSubject) -> bool:
    """Returns whether any change could save enough to be reported. It is checked before a change is simulated."""
    return deciding_peak(s, s.process) >= least_gain(s)


def severity(s: ScriptSubject) -> Severity:
    """Returns WARNING if the script does not fit, INFO if it does."""
    return Severity.WARNING if s.process.fits is False else Severity.INFO


_SURE = {Origin.BOUNDED: Confidence.BOUNDED, Origin.ESTIMATE: Confidence.GUESSED, Origin.ASSUMED: Confidence.GUESSED}
"""Confidence in figures by their origin; DERIVED for all other origins."""


def sure(*profiles: MemoryProfile) -> Confidence:
    """Returns the lowest confidence of these profiles."""
    return min((_SURE.get(p.origin, Confidence.DERIVED) for p in profiles), default=Confidence.DERIVED)


def as_lifted(s: ScriptSubject) -> Confidence:
    """Returns the confidence in the placement of nodes on the device, which is lower than DERIVED if the graph is a lowered host graph."""
    if not s.settings.lift:
        return Confidence.DERIVED
    return _SURE[s.settings.lifted_origin]


def confidence(s: ScriptSubject, exact: bool = True) -> Confidence:
    """Returns the confidence in a comparison with the present figures: at most BOUNDED, unless both graphs are `exact`, that is, the graphs
    that would really run.
    """
    graphs = Confidence.DERIVED if exact else Confidence.BOUNDED
    return min(graphs, as_lifted(s), sure(*s.process.functions.values()))


def figures(after: ProcessProfile, function: int | None = None) -> Figures:
    """Returns the figures after a change, with the reserved bytes of the whole script.

    The other figures are those of function number `function`, or of the function with the highest peak.
    """
    if function is not None:
        own = after.functions[function].figures
        return Figures(own.live_before_bytes, own.live_peak_bytes, own.live_after_bytes, after.reserved_peak_bytes)
    profiles = [p.figures for p in after.functions.values()]
    highest = max(profiles, key=lambda f: f.live_peak_bytes, default=Figures(0, 0, after.persistent_bytes, 0))
    return Figures(highest.live_before_bytes, after.live_peak_bytes, highest.live_after_bytes, after.reserved_peak_bytes)


def saving(s: ScriptSubject, after: ProcessProfile) -> Saving:
    """Returns the Saving of a change: bytes removed from the deciding peak, at least 0."""
    return Saving(max(0, saved(s, after)), 0.0, after.simulated)


def marked(s: ScriptSubject, f: Finding) -> Finding:
    """Returns the finding, with `cures` set if its fix makes a script fit that does not fit now, or with `minor` set if it saves too little
    to help.
    """
    there_is = s.device.available_bytes
    enough = f.after is not None and there_is is not None and f.after.reserved_bytes <= there_is
    cures = s.process.fits is False and enough and (not s.process.refused or _starts(s, f))
    return replace(f, cures=True) if cures else replace(f, minor=True) if _helps_little(s, f) else f


RESERVES = re.compile(r"(preallocate|cnmem)=(-?[\d.]+)")
"""Matches the name and the value of a flag that reserves memory at the start, in code."""


def _starts(s: ScriptSubject, f: Finding) -> bool:
    """Whether the fix has another reservation than the one that the device refuses."""
    code = "\n".join([(f.fix and f.fix.code) or "", *(step.code for step in f.steps)])
    present = {"preallocate": s.settings.preallocate, "cnmem": s.settings.cnmem}
    return any(float(value) != present[name] for name, value in RESERVES.findall(code))


def importing(f: Finding, source: str, library: str) -> Finding:
    """Returns the finding with its code changed: modules have the names under which the script imports them, missing imports are added,
    and lines of a notebook are those of its cells.
    """

    def pasted(code: str) -> str:
        return with_imports(source, in_cells(source, code), library)

    steps = tuple(replace(k, code=pasted(k.code)) for k in f.steps)
    fix = f.fix and (replace(f.fix, code=pasted(f.fix.code)) if f.fix.code else f.fix)
    return replace(f, fix=fix, steps=steps)


LEAST_HELP = 0.05
"""Savings below this share of the missing bytes do not help."""


def _helps_little(s: ScriptSubject, f: Finding) -> bool:
    """Whether advice saves no time, and less than `LEAST_HELP` of the bytes that the script lacks to fit."""
    there_is = s.device.available_bytes
    if s.process.fits is not False or there_is is None or f.after is None or f.severity > Severity.WARNING:
        return False
    missing = deciding_peak(s, s.process) - there_is
    return missing > 0 and (f.saves is None or (f.saves.bytes < LEAST_HELP * missing and not f.saves.seconds))


def confidence_of(*processes: ProcessProfile) -> Confidence:
    """Returns the confidence of the least certain figures in these simulations."""
    return sure(*(p for process in processes for p in process.functions.values()))


def instead(then: int, now: int) -> str:
    """Returns a text such as `3.1 GiB instead of 5.0 GiB`, for sizes in bytes; `12.0 KiB more than 3.6 GiB` if both sizes would read the
    same.
    """
    if format_bytes(then) != format_bytes(now):
        return f"{format_bytes(then)} instead of {format_bytes(now)}"
    return f"{format_bytes(abs(then - now))} {'more' if then > now else 'less'} than {format_bytes(now)}" if then != now else "the same"


def change(s: ScriptSubject, after: ProcessProfile) -> str:
    """Returns the deciding peak after a change in words: `3.1 GiB instead of 5.0 GiB (3.7 GiB are available)`."""
    there_is = s.device.available_bytes
    text = instead(deciding_peak(s, after), deciding_peak(s, s.process))
    return text if there_is is None else f"{text} ({format_bytes(there_is)} are available)"
