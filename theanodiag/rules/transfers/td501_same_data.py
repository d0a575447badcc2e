"""TD501: the same data goes to the device at each call

What it finds
    An argument by which calls get the same data again (the same memory, or equal values), or parts of one array (mini-batches): each
    call copies it to the device.

Why it matters
    The bus is twenty to fifty times slower than the memory of the card. A data set that is evaluated after each epoch travels each time,
    and the call waits for it.

Example
    `predict(x_test)` after each epoch: 149.5 MiB, 12.5 ms at 12.6 GB/s, at each call.

What to do
    Put it in a shared variable once, and give that to the function: `givens={x: data}`; for mini-batches a slice of it,
    `givens={x: data[start:stop]}`, with the numbers as the arguments. Where it does not fit, in chunks: `theanodiag.ChunkedShared`.

Limits
    Arguments below 1 MiB are left alone. Large arrays are compared in part (every n-th element), and an array of zeros by its memory
    only. Whether there will be a second epoch is not seen: for mini-batches the finding is a remark. Two calls at least are needed.
    Source: Theano 1.0.5, gpuarray/opt.py (`GraphToGPU`: each argument gets a GpuFromHost), gpuarray/basic_ops.py (`GpuFromHost`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...findings import Confidence, Finding, Fix, Severity, identifier
from ...memory.script import Call, CallInput, CompiledFunction, Script
from ...memory.simulate import simulate
from ...plans.pin_to_device import Repeated, pinned, repeated, travels
from ...units import format_bytes
from ..base import Rule
from ..examples import device, dot_script, subject
from ..impact import as_lifted, change, deciding, figures
from ..subject import ScriptSubject
from .cost import LEAST, saving, severity, told


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each function, for all its arguments that are copied repeatedly."""
    if s.device.is_host:
        return
    for function in s.script.functions:
        found = [r for r in repeated(s.script, function.index, LEAST) if travels(function.graph, r.variable, s.settings.lift)]
        if found:
            yield _finding(s, function, found)


def _finding(s: ScriptSubject, function: CompiledFunction, found: list[Repeated]) -> Finding:
    size, parts = sum(r.nbytes for r in found), any(r.whole for r in found)
    after = simulate(pinned(s.script, found), s.settings)
    names = " and ".join(r.name for r in found)
    what = "is cut out of the same array" if parts else "gets the same data"
    message = f"{names} of {function.name} {what} at each call, and goes to the device each time: {told(s, size, len(found))}"
    kept = sum(r.pinned_bytes for r in found)
    fits = after.fits is not False
    notes = (f"pinned: {format_bytes(kept)} for good" if fits else "pinned it does not fit", f"the need: {change(s, after)}")
    level = Severity.INFO if parts else severity(size)
    sure = min(as_lifted(s), Confidence.DERIVED)
    fix = Fix("pin the data on the device" if fits else "load it in chunks", code=code(s, function, found, fits))
    site = next((call.site for call in s.script.calls(function.index)), None) or function.site
    saved = saving(s, size, len(found), deciding(s, s.process) - deciding(s, after))
    return Finding("TD501", level, sure, message, s.place(site, function.name), fix, figures(after), saved, notes)


def code(s: ScriptSubject, function: CompiledFunction, found: list[Repeated], fits: bool) -> str:
    """Lines to paste that pin the data, or chunk it where it does not fit."""
    if not fits:
        first = identifier(found[0].name, "x")
        return f"data = theanodiag.ChunkedShared({first}_data, budget=...)  # cut by index: {first}: data.variable[start:stop]"
    names = [identifier(r.name, "x") for r in found]
    lines = [f"{name}_there = {s.library}.shared({name}_data, borrow=True)  # once, before the function" for name in names]
    cut = "[start:stop]" if any(r.whole for r in found) else ""
    rows = ", ".join(f"{name}: {name}_there{cut}" for name in names)
    given = "start, stop" if cut else "..."
    lines.append(f"{identifier(function.name, 'function')} = {s.library}.function([{given}], ..., givens={{{rows}}})")
    return "\n".join(lines)


def _called(rows: int, *digests: str) -> Script:
    """`dot_script`, called with data of these digests."""
    script = dot_script(rows, 1000)
    (call,) = (e for e in script.events if isinstance(e, Call))
    (given,) = call.inputs
    calls = tuple(replace(call, inputs=(_holding(given, d),)) for d in digests)
    return replace(script, events=(*script.events[:2], *calls))


def _holding(given: CallInput, digest: str) -> CallInput:
    return replace(given, digest=digest, buffer=digest)


RULE = Rule(
    "TD501",
    "same-data-again",
    check,
    __doc__,
    fires=lambda: subject(_called(10_000, "whole:1", "whole:1", "whole:1"), device(1_000_000_000)),
    silent=lambda: subject(_called(10_000, "whole:1", "whole:2", "whole:3"), device(1_000_000_000)),
)
