"""TD506: results are copied back that nobody reads

What it finds
    A function whose results the script throws away at every recorded call (the call stands alone on its line), though they are copied from
    the device.

Why it matters
    The copy takes the bus, and the script waits for it: without results it could prepare the next batch while the device computes.

Example
    `train(x, y)` returns the activations: 61.0 MiB, 5.1 ms at 12.6 GB/s, at each call.

What to do
    Leave the output out: `function([x, y], [], updates=...)`; or keep it on the device: `output.transfer(None)`.

Limits
    Only results that are dropped all together, in the instruction after the call, are seen: not one of several (`loss, _ = train(x)`), nor
    what goes through a wrapper of a library. Results below 1 MiB are left alone.
    Source: Theano 1.0.5, gpuarray/opt.py: outputs of host type end in HostFromGpu.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...findings import Finding, Fix
from ...memory.script import Call, CompiledFunction, Script
from ...plans.pin_to_device import nbytes
from ..base import Rule
from ..examples import device, dot_script, subject
from ..impact import as_lifted
from ..subject import ScriptSubject
from .cost import LEAST, saving, severity, there, told


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each function whose results are dropped."""
    if s.device.is_host:
        return
    for function in s.script.functions:
        calls = [c for c in s.script.calls(function.index) if not c.assumed]
        if len(calls) < 2 or not all(c.dropped for c in calls):
            continue
        back = copied_back(s, function)
        size = max(sum(nbytes(c.shapes.shape(v), function.graph.variables[v].type.dtype) or 0 for v in back) for c in calls)
        if size < LEAST:
            continue
        message = f"nobody reads the results of {function.name}, which are copied back: {told(s, size, len(back))} at each call"
        fix = Fix("compile it without outputs", code=f"{s.library}.function([...], [], updates=...)")
        place = s.place(calls[0].site or function.site, function.name)
        yield Finding("TD506", severity(size), as_lifted(s), message, place, fix, None, saving(s, size, len(back)))


def copied_back(s: ScriptSubject, function: CompiledFunction) -> list[int]:
    """The returned outputs that are copied from the device."""
    graph = function.graph
    found = []
    for v in graph.outputs[: graph.n_returned]:
        owner = graph.variables[v].owner
        if owner is not None and (graph.applies[owner].op.name == "HostFromGpu" or (s.settings.lift and there(s, graph.variables[v].type))):
            found.append(v)
    return found


def _dropped(dropped: bool) -> Script:
    """`dot_script`, called twice."""
    script = dot_script(1000, 1000)
    calls = tuple(replace(e, dropped=dropped) for e in script.events if isinstance(e, Call))
    return replace(script, events=(*script.events[:2], *calls * 2))


RULE = Rule(
    "TD506",
    "unread-results",
    check,
    __doc__,
    fires=lambda: subject(_dropped(True), device(1_000_000_000)),
    silent=lambda: subject(_dropped(False), device(1_000_000_000)),
)
