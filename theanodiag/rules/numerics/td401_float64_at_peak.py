"""TD401: float64 on a GPU

What it finds
    Buffers of float64 (or complex128) that are live at the peak of a function on a device.

Why it matters
    They take twice the memory of float32, and consumer cards compute float64 at 1/24 to 1/64 of the speed of float32. It is seldom meant:
    numpy makes float64 by default, and float32 times int32 or int64 is float64.

Example
    `theano.shared(numpy.zeros((1000, 1000)))` is 8 MB of float64; with `.astype(theano.config.floatX)` and `floatX=float32` it is 4 MB.

What to do
    Set `floatX=float32` and make arrays with `dtype=theano.config.floatX`. `warn_float64=raise` names the line that makes the first one.

Limits
    The figures after the change assume that every float64 becomes float32, and nothing else changes: where a graph has float32 too, ops
    that mix both have other versions then, and the figures are bounds. Less than a hundredth of the peak is left alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from ...findings import Change, Cost, DtypeChange, Finding, Fix, FlagChange, Results, Severity, identifier
from ...memory.profile import Origin
from ...memory.script import CompiledFunction
from ...plans.single_precision import halve_floats
from ...units import format_bytes
from ..base import Rule
from ..examples import device, dot_script, subject
from ..impact import confidence, instead, saving
from ..subject import ScriptSubject

SHARE = 0.01
"""Less float64 than this share of the peak, such as one constant, is not reported."""


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding, for the function with the highest peak that has wide buffers on the device."""
    if s.device.is_host:
        return
    for function, profile in s.profiled():
        wide = [v for v in profile.at_peak if v.dtype in ("float64", "complex128")]
        size = sum(v.nbytes for v in wide)
        if not wide or size < SHARE * profile.figures.live_peak_bytes:
            continue
        kinds = " and ".join(sorted({v.dtype or "" for v in wide}, reverse=True))
        halved = halve_floats(s.script, s.settings)
        after = replace(halved.functions[function.index].figures, reserved_bytes=halved.reserved_peak_bytes)
        peak = profile.figures.live_peak_bytes
        if after.live_peak_bytes >= peak:  # an upper bound, beside figures that the compiler gave
            return
        most = "at most " if halved.functions[function.index].origin is Origin.BOUNDED else ""
        message = (
            f"{function.name}: {format_bytes(size)} of {kinds} are live at the peak, {wide[0].variable} first; "
            f"with float32 the live peak is {most}{format_bytes(after.live_peak_bytes)} instead of {format_bytes(peak)}"
        )
        if (after.reserved_bytes, s.process.reserved_peak_bytes) != (after.live_peak_bytes, peak):
            reserved, now = after.reserved_bytes, s.process.reserved_peak_bytes
            message += f", reserved {f'{format_bytes(now)} as before' if reserved == now else most + instead(reserved, now)}"
        fix = Fix("compute in float32", code="\n".join(code(s)), changes=tuple(to_float32(s)))
        place = s.place(wide[0].site or function.site, wide[0].variable)
        sure = confidence(s, not any(map(_mixes, s.script.functions)))
        yield Finding("TD401", Severity.WARNING, sure, message, place, fix, after, saving(s, halved), cost=Cost(Results.LESS_PRECISE))
        return


def code(s: ScriptSubject) -> Iterator[str]:
    """Lines to paste: the flag, if it is not set; then the shared variables that are float64 regardless of it."""
    if s.script.flags.get("floatX") != "float32":
        yield f"{s.library.upper()}_FLAGS=floatX=float32"
    wide = [v for v in s.script.shared.values() if v.type.dtype in ("float64", "complex128") and v.type.ndim]
    if wide:
        names = list(dict.fromkeys(identifier(v.name, "value") for v in wide))  # all those without a name have one
        more = f"  # and so: {', '.join(names[1:6])}" if names[1:] else f"  # and so the other {len(wide) - 1}" if wide[1:] else ""
        yield f'{names[0]} = {s.library}.shared(numpy.asarray({names[0]}_data, dtype="float32")){more}'


def to_float32(s: ScriptSubject) -> Iterator[Change]:
    """Float32 in place of float64 as changes of flags and of the script; none where an imported module makes arrays of float64."""
    sites = [v.site for v in s.script.shared.values() if v.type.dtype == "float64" and v.type.ndim]
    if any(site is None or os.path.abspath(site.path) != os.path.abspath(s.model) for site in sites):
        return
    if s.script.flags.get("floatX") != "float32":
        yield FlagChange("floatX", "float32")
    if sites:
        yield DtypeChange("float32", tuple(sorted({site.line for site in sites if site is not None})))


def _mixes(f: CompiledFunction) -> bool:
    """Whether a function also has float32 arrays."""
    return any(v.type.dtype == "float32" and v.type.ndim for v in f.graph.variables)


RULE = Rule(
    "TD401",
    "float64-at-peak",
    check,
    __doc__,
    fires=lambda: subject(dot_script(10, 100, "float64"), device(10_000_000)),
    silent=lambda: subject(dot_script(10, 100, "float32"), device(10_000_000)),
)
