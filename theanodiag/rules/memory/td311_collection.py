"""TD311: with garbage collection of intermediates the script fits

What it finds
    A script that does not fit and keeps its intermediates between calls (`allow_gc=False`, or `scan.allow_gc=False` for what is inside
    of loops, which is the default), where the script fits with them given back.

Why it matters
    With `allow_gc=False` every function keeps the last value of each of its intermediates until the process ends, each function its own.

Example
    `THEANO_FLAGS=allow_gc=True`: 2.1 GiB instead of 4.6 GiB.

What to do
    Set the flags as shown. On a device the allocation cache makes giving back cheap, so little speed is lost.

Limits
    Silent where the script fits: there TD333 says what is kept, and TD310 what `allow_gc=False` would cost.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Cost, Finding, Fix, FlagChange
from ..base import Rule
from ..examples import device, kept_script, subject
from ..impact import change, confidence_of, figures, saving, severity
from ..subject import ScriptSubject

COST = Cost(work="intermediates are taken from the cache anew in each call")


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding where the flags make it fit."""
    plan = s.advice.collection
    if plan is None:
        return
    message = f"with {plan.flags} the script fits: {change(s, plan.after)}"
    fix = Fix("garbage collection", code=f"{s.library.upper()}_FLAGS={plan.flags}", changes=FlagChange.parse(plan.flags))
    sure = confidence_of(s.process, plan.after)
    yield Finding("TD311", severity(s), sure, message, s.place(None), fix, figures(plan.after), saving(s, plan.after), cost=COST)


RULE = Rule(
    "TD311",
    "collection",
    check,
    __doc__,
    fires=lambda: subject(kept_script(1000, 1000), device(26_000_000)),
    silent=lambda: subject(kept_script(1000, 1000), device(80_000_000)),
)
