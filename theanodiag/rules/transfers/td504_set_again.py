"""TD504: set_value of data that the variable already holds

What it finds
    A shared variable on the device that is set, at least twice, to data equal to what it holds.

Why it matters
    Each `set_value` is a copy over the bus; nothing changes by it.

Example
    `data.set_value(x_train)` at the begin of each epoch: 149.5 MiB, 12.5 ms at 12.6 GB/s, each time.

What to do
    Set it once, before the loop.

Limits
    Variables that a function updates are left alone, since what they hold by then is not known; so are values below 1 MiB, and zeros (what
    functions return where nothing is computed). Of arrays above 4 MiB every n-th element is compared. The first eight settings are seen.
    Source: Theano 1.0.5, gpuarray/type.py (`GpuArrayType.filter_inplace`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...findings import Confidence, Finding, Fix
from ...memory.script import Create, Script, SetValue
from ...plans.pin_to_device import nbytes
from ..base import Rule
from ..examples import device, dot_script, subject
from ..subject import ScriptSubject
from .cost import LEAST, saving, severity, there, told


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each shared variable that is set to data it already has."""
    if s.device.is_host:
        return
    updated = {i.shared for f in s.script.functions for i in f.graph.inputs if i.update is not None}
    for number, variable in s.script.shared.items():
        again = settings_again(s.script, number)
        if number in updated or len(again) < 2 or not there(s, variable.type):
            continue
        size = nbytes(again[-1].shape, variable.type.dtype)
        if size is None or size < LEAST:
            continue
        name = variable.name or "a shared variable"
        message = f"{name} is set {len(again)} times to data that it already holds: {told(s, size)} each time"
        sure = Confidence.DERIVED if (again[-1].digest or "").startswith("whole") else Confidence.BOUNDED
        fix = Fix(f"set {name} once, before the loop")
        yield Finding("TD504", severity(size), sure, message, s.place(again[0].site, variable.name), fix, None, saving(s, size))


def settings_again(script: Script, shared: int) -> list[SetValue]:
    """The SetValue events that set a shared variable to the data it already has."""
    held: str | None = None
    found = []
    for event in script.events:
        if isinstance(event, (Create, SetValue)) and event.shared == shared:
            if isinstance(event, SetValue) and event.digest == held and held not in (None, "zero"):
                found.append(event)
            held = event.digest
    return found


def _set(*digests: str) -> Script:
    """W, 1000 x 1000, set to data of these digests."""
    script = dot_script(10, 1000)
    return replace(script, events=(*script.events, *(SetValue(0, (1000, 1000), digest=d) for d in digests)))


RULE = Rule(
    "TD504",
    "set-again",
    check,
    __doc__,
    fires=lambda: subject(_set("whole:1", "whole:1", "whole:1"), device(1_000_000_000)),
    silent=lambda: subject(_set("whole:1", "whole:2", "whole:1"), device(1_000_000_000)),
)
