"""TD304: the same batch in parts, with the gradients added up

What it finds
    For a training function whose batch does not fit: the largest number of rows that divides the batch and fits together with one
    accumulator for each parameter.

Why it matters
    A smaller batch trains differently (noise of the gradient, statistics of the learning rate). The mean of the gradients of equal parts
    is the gradient of the whole, so that the model that comes out is the same but for rounding.

Example
    `a batch of 512 as 4 micro-batches of 128`.

What to do
    Compile two functions instead of one, as the code shows: one adds the gradients of a part to the accumulators, one applies them.

Limits
    Holds for a cost that is the mean over the batch; batch normalisation sees parts instead of the whole. Accumulators are counted for
    every shared variable of floats that the function updates, also for an optimiser's state: an upper bound. The split functions are not
    compiled here, so the figures are bounded, and the finding is a remark beside TD303.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Confidence, Cost, Finding, Fix, Results, Severity, identifier
from ...ir import Role
from ...plans.axes import ArgumentAxis, argument_name
from ...plans.batch import BatchPlan
from ...units import format_bytes
from ..base import Rule
from ..examples import device, subject, trained_script
from ..impact import change, figures, saving
from ..subject import ScriptSubject


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding where parts of the batch fit with their accumulators."""
    plan = s.advice.batch
    if not isinstance(plan, BatchPlan) or plan.micro is None or plan.micro_after is None or plan.trained is None:
        return
    part, times = plan.micro.batch, plan.batch // plan.micro.batch
    name = s.script.functions[plan.trained].name
    message = (
        f"a batch of {plan.batch} as {times} micro-batches of {part} keeps the gradient of {name} and fits: "
        f"{change(s, plan.micro_after)} ({format_bytes(plan.micro.extra)} of them accumulators)"
    )
    fix = Fix("micro-batches", code=code(s, plan, plan.trained, part))
    gained = saving(s, plan.micro_after)
    cost, done = Cost(Results.ROUNDED, work=f"{times + 1} calls in place of one"), figures(plan.micro_after)
    yield Finding("TD304", Severity.INFO, Confidence.BOUNDED, message, s.place(None, name), fix, done, gained, cost=cost)


def code(s: ScriptSubject, plan: BatchPlan, function: int, part: int) -> str:
    """Code to paste: two functions, one that accumulates gradients over parts of `part` rows and one that updates."""
    times = plan.batch // part
    graph, lib = s.script.functions[function].graph, s.library
    ids = [i.variable for i in graph.inputs if i.role is Role.ARGUMENT]
    arguments = {v: identifier(argument_name(s.script, function, v), "argument") for v in ids}
    axes = {a.variable: a.axis for a in plan.axes if isinstance(a, ArgumentAxis) and a.function == function}
    parts = (f"{a}_batch[{':, ' * axes[v]}part]" if v in axes else f"{a}_value" for v, a in arguments.items())
    listed, rows = ", ".join(arguments.values()), ", ".join(parts)
    grad = "tensor.grad" if lib == "pytensor" else "grad"
    return "\n".join(
        (
            f"grads = {lib}.{grad}(cost, params)",
            f"sums = [{lib}.shared(p.get_value() * 0) for p in params]",
            f"more = [(s, s + g / {times}) for s, g in zip(sums, grads)]",
            f"add = {lib}.function([{listed}], cost, updates=more)",
            "# rule(params, sums): the old updates, with sums in place of gradients",
            "zero = [(s, s * 0) for s in sums]",
            f"step = {lib}.function([], [], updates=rule(params, sums) + zero)",
            f"for k in range({times}):",
            f"    part = slice(k * {part}, (k + 1) * {part})",
            f"    add({rows})",
            "step()",
        )
    )


RULE = Rule(
    "TD304",
    "micro-batches",
    check,
    __doc__,
    fires=lambda: subject(trained_script(8192, 200), device(12_000_000)),
    silent=lambda: subject(trained_script(8192, 200), device(80_000_000)),
)
