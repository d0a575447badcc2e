"""TD505: get_value in a loop

What it finds
    A shared variable on the device that one line of the script reads at least three times, with calls of functions between.

Why it matters
    `get_value` copies all of it to the host, and waits until the device has computed everything before it.

Example
    `norm = (W.get_value() ** 2).sum()` at each batch: 190.7 MiB, 15.9 ms at 12.6 GB/s, each time.

What to do
    Compute on the device what is wanted of it, as an output of the function; or read it every n-th time. To keep a copy on the device:
    `get_value(borrow=False, return_internal_type=True)`.

Limits
    Values below 1 MiB are left alone. The first eight reads of a variable are seen.
    Source: Theano 1.0.5, gpuarray/type.py (`GpuArraySharedVariable.get_value`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...findings import Finding, Fix
from ...ir import Shape, Site, Unknown
from ...memory.script import Call, Create, GetValue, Script, SetValue
from ...plans.pin_to_device import nbytes
from ..base import Rule
from ..examples import device, dot_script, subject
from ..impact import as_lifted
from ..subject import ScriptSubject
from .cost import LEAST, saving, severity, there, told

OFTEN = 3


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each shared variable and source line."""
    if s.device.is_host:
        return
    for (number, site), times in reads(s.script).items():
        variable = s.script.shared[number]
        size = nbytes(_shape(s.script, number), variable.type.dtype)
        if times < OFTEN or size is None or size < LEAST or not there(s, variable.type):
            continue
        name = variable.name or "a shared variable"
        message = f"{name} is read from the device {times} times by the same line, between calls: {told(s, size)} each time"
        fix = Fix("compute on the device what is wanted of it, or read it less often")
        yield Finding("TD505", severity(size), as_lifted(s), message, s.place(site, variable.name), fix, None, saving(s, size))


def reads(script: Script) -> dict[tuple[int, Site], int]:
    """How often each source line reads each shared variable, counting only reads with a call since the previous one."""
    found: dict[tuple[int, Site], int] = {}
    called: dict[tuple[int, Site], int] = {}
    calls = 0
    for event in script.events:
        if isinstance(event, Call):
            calls += 1
        elif isinstance(event, GetValue) and event.site is not None and not event.internal:
            key = (event.shared, event.site)
            if called.get(key) != calls:
                found[key] = found.get(key, 0) + 1
            called[key] = calls
    return found


def _shape(script: Script, shared: int) -> Shape | Unknown:
    shapes = [e.shape for e in script.events if isinstance(e, (Create, SetValue)) and e.shared == shared]
    return shapes[-1] if shapes else Unknown("it was never made")


def _loop(times: int) -> Script:
    """W, 1000 x 1000, is read after each of so many calls."""
    script, place = dot_script(10, 1000), Site("model.py", 9)
    call = script.events[-1]
    return replace(script, events=(*script.events[:2], *(call, GetValue(0, site=place)) * times))


RULE = Rule(
    "TD505",
    "read-in-loop",
    check,
    __doc__,
    fires=lambda: subject(_loop(4), device(1_000_000_000)),
    silent=lambda: subject(_loop(2), device(1_000_000_000)),
)
