"""TD308: the largest pictures, or the longest sequences, that fit

What it finds
    For a script that no batch and no chunk makes fit: the sides of the square pictures, or the axes along which Scans go, and the greatest
    length with which everything fits, by simulating the script again with each length that bisection asks for.

Why it matters
    One picture of style transfer, or one sequence of ten thousand steps, is more than the card has, and there is no batch to make smaller.

Example
    `the largest pictures that fit are 460 x 460 (photo:2, photo:3, art:2, art:3, picture:2, picture:3), now 600`.

What to do
    Scale or cut the pictures; cut sequences, and give the last state of one part to the next as its first (truncated back-propagation).

Limits
    Only where all pictures that a function gets have one height and width, and nothing in the net has weights for a size of them. As for
    TD303, numbers written into the script have to be changed in it too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Cost, Finding, Fix, LengthChange, Results, remark
from ..base import Rule
from ..examples import device, picture_script, subject
from ..impact import change, confidence_of, figures, saving, severity
from ..subject import ScriptSubject
from .td303_largest_batch import batch_cost, names, table

NOT_TRAINED = {"pictures": Cost(Results.LESS_PRECISE, work="smaller pictures"), "sequences": Cost(Results.APPROXIMATE, work="more calls")}
"""The cost where nothing is trained."""


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding where such a length makes the script fit."""
    found = s.advice.shorter
    if found is None:
        return
    plan, largest, after, axes = found.plan, found.plan.largest, found.plan.after, names(s, found.plan.axes)
    if largest is None or after is None:
        return
    size = f"are {largest} x {largest}" if found.kind == "pictures" else f"have {largest} steps"
    surely = "surely " if s.process.bounded else ""
    message = f"the {'largest' if found.kind == 'pictures' else 'longest'} {found.kind} that {surely}fit {size} ({axes}), now {plan.batch}"
    message += f": {change(s, after)}"
    if not plan.monotone:
        message += "; some smaller ones need more, since freed blocks fit worse"
    name = "side" if found.kind == "pictures" else "steps"
    changes = (LengthChange(plan.batch, largest),)
    fix = Fix(f"shorter {found.kind}", code=f"{name} = {largest}  # was {plan.batch}: {remark(axes)}", changes=changes)
    trained = batch_cost(s, plan)
    cost = trained if trained.results is Results.TRAINED_OTHERWISE else NOT_TRAINED[found.kind]
    rows, done = table(plan, s.process.bounded), figures(after)
    yield Finding(
        "TD308",
        severity(s),
        confidence_of(s.process, after),
        message,
        s.place(None),
        fix,
        done,
        saving(s, after),
        rows,
        cost=cost,
    )


def _on(total: int) -> ScriptSubject:
    """One picture of 800 x 800 on a device of that size."""
    return subject(picture_script(800), device(total))


RULE = Rule("TD308", "shorter-inputs", check, __doc__, fires=lambda: _on(8_000_000), silent=lambda: _on(800_000_000))
