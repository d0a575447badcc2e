"""TD001: a size is not known, so the figures are lower bounds

What it finds
    Variables whose shape no rule gave, and functions that the script compiled but never called.

Why it matters
    An unknown size is never counted as zero in silence: the figures of such a function are lower bounds, and a function without any
    input shapes has no figures at all.

Example
    `y = x[(x > 0).nonzero()]` has a length that depends on the data.

What to do
    Give the shapes of the inputs of a function that was not called, `--shape NAME:x=128,784`, or let the script call it once. For a size
    that depends on data, run the script with `--calls real`.

Limits
    Says what is unknown, not how large it may become.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Confidence, Finding, Fix, Severity
from ...ir import Role, Unknown
from ..base import Rule
from ..examples import dot_script, subject
from ..subject import ScriptSubject


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each function with unknown sizes, and for each that was never called."""
    for function, profile in s.profiled():
        if profile.unknown:
            first, more = profile.unknown[0], len(profile.unknown) - 1
            what = f"{first.variable} ({first.reason})" + (f" and {more} more" if more else "")
            message = f"{function.name}: the size of {what} is unknown, so its figures are lower bounds"
            yield Finding("TD001", Severity.INFO, Confidence.DERIVED, message, s.place(function.site, function.name))
    for function in s.script.functions:
        if function.index not in s.process.functions:
            arguments = [i.variable for i in function.graph.inputs if i.role is Role.ARGUMENT]
            names = [function.graph.variables[i].name or f"input{i}" for i in arguments]
            shapes = " ".join(f"--shape {function.name}:{n}=..." for n in names)
            message = f"{function.name} was compiled but never called, so the shapes of {', '.join(names) or 'its inputs'} are unknown"
            yield Finding(
                "TD001",
                Severity.INFO,
                Confidence.DERIVED,
                message,
                s.place(function.site, function.name),
                Fix("give the shapes", code=shapes),
            )


RULE = Rule(
    "TD001",
    "unknown-size",
    check,
    __doc__,
    fires=lambda: subject(dot_script(Unknown("the length depends on data"), 10)),
    silent=lambda: subject(dot_script(5, 10)),
)
