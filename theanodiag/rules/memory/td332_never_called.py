"""TD332: functions that are compiled and never called

What it finds
    Functions of a script that ran to its end, of which at least one function was called, that were never called.

Why it matters
    Compiling takes seconds to minutes, and a function keeps its constants and its shared variables alive.

Example
    `predict is compiled and never called`.

What to do
    Compile it where it is needed. Or, if it is called in cases that this run did not see, give its shapes: `--shape predict:x=128,784`.

Limits
    A run with other arguments may call it. Silent where the script was stopped, since a call may have been still to come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...findings import Confidence, Finding, Fix, Severity
from ...memory.script import Call, Script
from ..base import Rule
from ..examples import device, dot_script, subject
from ..subject import ScriptSubject
from .td330_kept_models import search


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for all functions never called."""
    called = {e.function for e in s.script.events if isinstance(e, Call) and not e.assumed}
    idle = [f for f in s.script.functions if f.index not in called]
    asked = {e.function for e in s.script.events if isinstance(e, Call) and e.assumed}
    idle = [f for f in idle if f.index not in asked]
    if not s.finished or not called or not idle:
        return
    message = f"{counted([f.name for f in idle])}: compiled and never called"
    place = s.place(idle[0].site, idle[0].name)
    yield Finding("TD332", Severity.INFO, Confidence.DERIVED, message, place, Fix("compile it where it is needed"))


def counted(names: Sequence[str], most: int = 5) -> str:
    """Distinct names with their counts, at most `most` of them: `build (5 times), predict`."""
    times = Counter(names)
    rows = [f"{name} ({n} times)" if n > 1 else name for name, n in times.items()]
    return ", ".join(rows[:most]) + (f" and {len(rows) - most} more" if len(rows) > most else "")


def _second_called(called: bool) -> Script:
    script = search(2, 100)
    events = tuple(e for e in script.events if called or not (isinstance(e, Call) and e.function == 1))
    return replace(script, events=events)


RULE = Rule(
    "TD332",
    "never-called",
    check,
    __doc__,
    fires=lambda: subject(_second_called(False), device(100_000_000)),
    silent=lambda: subject(dot_script(10, 100, called=False), device(100_000_000)),
)
