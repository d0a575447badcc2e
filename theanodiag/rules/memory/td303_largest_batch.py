"""TD303: the largest batch that fits

What it finds
    For a script that does not fit (or with `--batch-dim`): the axes of the arguments that are the batch, and the greatest length of them
    with which everything fits, by simulating the script again with each length that bisection asks for.

Why it matters
    Intermediates grow with the batch, weights do not: the right batch is the one number between wasted memory and a failed job.

Example
    `train fits with a batch of 137 (x:0, y:0), now 512`, and a table of what other batches need.

What to do
    Set the batch to that number, or one below it that divides the data. `--batch-dim x:0,y:0` names the axes where they are guessed wrong.

Limits
    Of lengths that are written into the graph those in slices of data (`data[i * 500:(i + 1) * 500]`), and where it must be those in
    reshapes, new arrays and random numbers, are changed; they have to be changed in the script too. A length is changed only where this
    project's own shape rules give, for the length the script has, all shapes that the framework gave. Code that the script makes Python
    run with the batch (such as a loop over its rows) is not followed.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Cost, Finding, Fix, LengthChange, Results, remark
from ...plans.axes import ArgumentAxis, Axis, label
from ...plans.batch import BatchPlan
from ...units import format_bytes
from ..base import Rule
from ..examples import device, dot_script, subject
from ..impact import change, confidence_of, figures, saving, severity
from ..subject import ScriptSubject


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding where some batch makes the script fit, or where the user asked for the table."""
    plan = s.advice.batch
    if not isinstance(plan, BatchPlan) or (plan.largest is None and not s.advice.asked):
        return
    axes = names(s, plan.axes)
    if plan.largest is None or plan.after is None:
        none = "no device is given" if s.device.available_bytes is None else "not even a batch of 1 fits"
        message, fix, after = f"batches of {axes}, now {plan.batch}: {none}", None, s.process
    else:
        surely = "surely " if s.process.bounded else ""
        which = (
            f"a batch of {plan.largest} fits, larger ones were not tried"
            if plan.capped
            else f"the largest batch that {surely}fits is {plan.largest}"
        )
        message = f"{which} ({axes}), now {plan.batch}: {change(s, plan.after)}"
        code, changes = f"batch_size = {plan.largest}  # was {plan.batch}: {remark(axes)}", (LengthChange(plan.batch, plan.largest),)
        fix, after = Fix("set the batch size", code=code, changes=changes), plan.after
    if not plan.monotone:
        message += "; some smaller batches need more, since freed blocks fit worse"
    gained = saving(s, after) if plan.largest is not None and plan.largest < plan.batch else None
    yield Finding(
        "TD303",
        severity(s),
        confidence_of(s.process, after),
        message,
        s.place(None),
        fix,
        figures(after),
        gained,
        table(plan, s.process.bounded),
        cost=batch_cost(s, plan),
    )


def batch_cost(s: ScriptSubject, plan: BatchPlan) -> Cost:
    """What a smaller batch costs: functions that update something learn from other batches; others are called more often."""
    functions = {a.function for a in plan.axes if isinstance(a, ArgumentAxis)} or {f.index for f in s.script.functions}
    trains = any(i.update is not None for f in functions for i in s.script.functions[f].graph.inputs)
    return Cost(Results.TRAINED_OTHERWISE) if trains else Cost(work="more calls")


def names(s: ScriptSubject, axes: tuple[Axis, ...]) -> str:
    """The axes and their functions: `x:0, y:0 of train`."""
    functions = dict.fromkeys(s.script.functions[a.function].name for a in axes if isinstance(a, ArgumentAxis))
    labels = ", ".join(dict.fromkeys(label(s.script, a) for a in axes))
    return f"{labels} of {' and '.join(functions)}" if functions else labels


def table(plan: BatchPlan, bounded: bool) -> tuple[str, ...]:
    """The lines of a table of the peaks by batch; what a bound exceeds may fit."""
    verdicts = {True: "yes", False: "maybe" if bounded else "no"}
    head = f"{'batch':>8}  {'live peak':>12}  {'reserved':>12}  fits"
    rows = (f"{r.batch:>8}  {format_bytes(r.live):>12}  {format_bytes(r.reserved):>12}  {verdicts[bool(r.fits)]}" for r in plan.rows)
    return (head, *(f"{row}{'  now' if r.batch == plan.batch else ''}" for r, row in zip(plan.rows, rows)))


RULE = Rule(
    "TD303",
    "largest-batch",
    check,
    __doc__,
    fires=lambda: subject(dot_script(4000, 1000), device(24_000_000)),
    silent=lambda: subject(dot_script(100, 2000), device(80_000_000)),
)
