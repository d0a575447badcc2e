"""TD331: shared variables that nobody uses any more stay on the device

What it finds
    Shared variables that no living function has, and that are neither set nor read any more, but still referred to.

Why it matters
    They take device memory until the last reference to them goes.

Example
    `raw (50000, 784) is used by no function: 150 MB less without it`.

What to do
    `del` it (and the expressions made of it) after its last use, or do not put it into a shared variable at all.

Limits
    Only for scripts that ran to their end, where at least a tenth of the peak, and 16 MiB, would be saved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...findings import Cost, Finding, Fix, identifier
from ...memory.script import Create, Script, SharedVariable
from ...memory.simulate import simulate
from ...plans.unused_state import relieved, unused
from ..base import Rule
from ..examples import device, dot_script, subject
from ..impact import change, confidence, figures, is_significant, saving, severity
from ..subject import ScriptSubject


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for all idle variables together."""
    idle = unused(s.script) if s.finished else {}
    if not idle:
        return
    after = simulate(relieved(s.script, idle), s.settings)
    if not is_significant(s, after):
        return
    first = s.script.shared[min(idle)]
    names = ", ".join(s.script.shared[i].name or f"shared variable {i}" for i in sorted(idle)[:5])
    message = f"{names}: no function uses it any more, and it stays on the device: {change(s, after)}"
    place = s.place(first.site, first.name)
    fix = Fix("let go of it after its last use", code=f"del {identifier(first.name, f'shared_{min(idle)}')}\ngc.collect()")
    yield Finding("TD331", severity(s), confidence(s), message, place, fix, figures(after), saving(s, after), cost=Cost())


def _beside(columns: int) -> Script:
    """`dot_script` with a further shared variable that no function has."""
    script = dot_script(10, 1000)
    other = SharedVariable(9, "raw", script.shared[0].type)
    return replace(script, shared={**script.shared, 9: other}, events=(Create(9, (columns, columns)), *script.events))


RULE = Rule(
    "TD331",
    "unused-shared",
    check,
    __doc__,
    fires=lambda: subject(_beside(4000), device(1_000_000_000)),
    silent=lambda: subject(_beside(100), device(1_000_000_000)),
)
