"""TD306: a shared variable that grows can be freed first

What it finds
    For a script that does not fit: a shared variable that becomes larger by an update or by `set_value`, where setting it to nothing
    first, or giving it its last size at the start, makes the script fit.

Why it matters
    The new value is made beside the old one, and the old one goes only then: at that moment both are there. Memory of small old values
    that libgpuarray's cache got back does not serve a larger new one, unless it lies beside other free memory.

Example
    W grows from 6000 x 6000 to 10000 x 10000: 144 MB and 400 MB at once.

What to do
    Begin with the last size and write parts of it. Or set it to an array of size 0, then to the new value, as the code shows; values that
    have to be kept wait on the host (`get_value`). The cache of libgpuarray keeps the old block, which may be too small: then only
    `gpuarray.preallocate=-1` (no cache) gives it back to the driver.

Limits
    An update that computes the new value from the old one on the device is replaced by work on the host.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Cost, Finding, Fix, identifier
from ...ir import Type
from ...plans.chunking.reallocation import Growth, GrowthKind, GrowthPlan
from ...units import format_bytes
from ..base import Rule
from ..examples import device, larger_value_script, subject
from ..impact import change, confidence_of, figures, saving, severity
from ..subject import ScriptSubject


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding where the growth plan makes the script fit."""
    plan = s.advice.growth
    if plan is None:
        return
    variable, last = s.script.shared[plan.shared], plan.steps[-1]
    name = variable.name or f"shared variable {plan.shared}"
    how = "freed first" if plan.way is GrowthKind.FREE_FIRST else "with its last size from the start"
    how += ", without the allocation cache" if plan.no_cache else ""
    both = f"{format_bytes(last.old)} and {format_bytes(last.new)} at once"
    message = f"{name} grows by {_by(last)}, {both}; {how}, the script fits: {change(s, plan.after)}"
    notes = tuple(f"{format_bytes(g.old)} to {format_bytes(g.new)}, by {_by(g)}" for g in plan.steps[:8])
    fix = Fix(plan.way.value, code=code(identifier(variable.name, f"shared_{plan.shared}"), variable.type, plan))
    sure, gained, place = confidence_of(s.process, plan.after), saving(s, plan.after), s.place(variable.site, name)
    work = (_KEPT * (plan.way is GrowthKind.FREE_FIRST), _SLOW * plan.no_cache)
    cost = Cost(work="; ".join(filter(None, work)))
    yield Finding("TD306", severity(s), sure, message, place, fix, figures(plan.after), gained, notes, cost=cost)


_KEPT = "the value is kept on the host meanwhile"
_SLOW = "each array is a request to the driver, which stops the device"


def _by(growth: Growth) -> str:
    return "an update" if growth.updated else "set_value"


def code(name: str, kind: Type, plan: GrowthPlan) -> str:
    """Code to paste for the growth plan of the variable `name`."""
    empty = ", ".join(["0"] * kind.ndim) + ("," if kind.ndim == 1 else "")
    freed = f'{name}.set_value(numpy.zeros(({empty}), "{kind.dtype}"))  # the old value goes'
    flag = ["# with THEANO_FLAGS=gpuarray.preallocate=-1"] if plan.no_cache else []
    if plan.way is GrowthKind.AT_ONCE:
        shape = ", ".join(str(n) for n in plan.steps[-1].shape)
        lines = [f'{name}.set_value(numpy.zeros(({shape},), "{kind.dtype}"))  # at the start; then write parts of it']
    elif plan.function is not None:
        lines = [freed, f"{identifier(plan.function, 'function')}(...)"]
    else:
        lines = [f"value = grown({name}.get_value())  # the new value, made on the host", freed, f"{name}.set_value(value)"]
    return "\n".join([*flag, *lines])


RULE = Rule(
    "TD306",
    "grow",
    check,
    __doc__,
    fires=lambda: subject(larger_value_script(2000, 2500), device(36_000_000)),
    silent=lambda: subject(larger_value_script(1000, 2000), device(80_000_000)),
)
