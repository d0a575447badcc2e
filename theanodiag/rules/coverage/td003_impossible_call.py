"""TD003: a call cannot work, since the shapes of its arguments do not fit together

What it finds
    A call that the script makes, in whose graph a product, an elementwise operation or a reshape gets shapes that contradict each other.

Why it matters
    The real job raises a ValueError there. Nothing is computed here, so the script goes on, and the figures of that call and of what
    follows are those of a job that does not get so far.

Example
    `predict(x)` with x of (4, 11) and a shared W of (10, 3): `Dot22 of (4, 11) and (10, 3)`.

What to do
    Give the arguments the shapes that the graph wants: the finding names the op and what it gets. Where the script makes an argument out of
    results of earlier calls, which are zeros here, check it with `--calls real`.

Limits
    Looks at products, elementwise operations and reshapes, also in the steps of a Scan and in other inner graphs. In a branch of an IfElse
    they are found where that branch is taken, or may be. Lengths of which only an upper bound is known contradict nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...findings import Confidence, Finding, Severity
from ...memory.script import Call
from ...shapes.consistency import contradictions
from ..base import Rule
from ..examples import dot_script, subject
from ..subject import ScriptSubject


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each function and source line of a call; calls that the script did not make are skipped."""
    seen: set[tuple[int, int]] = set()
    told: set[tuple[int, object]] = set()
    for call in s.script.events:
        if not isinstance(call, Call) or call.assumed or (call.function, id(call.shapes)) in seen:
            continue
        seen.add((call.function, id(call.shapes)))
        function = s.script.functions[call.function]
        reason = next(contradictions(function.graph, call.shapes), None)
        if reason is None or (call.function, call.site) in told:
            continue
        told.add((call.function, call.site))
        message = f"this call of {function.name} cannot work, its shapes do not fit together: {reason}"
        place = s.place(call.site or function.site, function.name)
        yield Finding("TD003", Severity.ERROR, Confidence.DERIVED, message, place)


def _misfit() -> ScriptSubject:
    """W has 10 rows, and x 11 columns."""
    script = dot_script(4, 10)
    calls = ((e, replace(e.shapes, shapes={**e.shapes.shapes, 0: (4, 11), 2: (4, 11)})) for e in script.events if isinstance(e, Call))
    events = [e for e in script.events if not isinstance(e, Call)]
    return subject(replace(script, events=(*events, *(replace(e, shapes=table) for e, table in calls))))


RULE = Rule(
    "TD003",
    "impossible-call",
    check,
    __doc__,
    fires=_misfit,
    silent=lambda: subject(dot_script(4, 10)),
)
