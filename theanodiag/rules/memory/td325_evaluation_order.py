"""TD325: another linker or order of outputs has a lower peak

What it finds
    For the function with the highest peak: whether another linker, or another order of what it returns, gives an order of the same nodes
    in which less is live at once.

Why it matters
    The order is not chosen for memory. The C virtual machine goes depth-first from the outputs, in the order in which they are given,
    updates last; the other linkers take the order in which nodes are listed. Two large intermediates may be live together that need not.

Example
    `train in another order, output 1 as the first one: 0.9 GiB instead of 1.2 GiB`.

What to do
    Take the linker, or the order of outputs, that the finding names; its figure is that of a simulation.

Limits
    `linker=c|py` computes both branches of an IfElse, and calls each node from Python. Silent where garbage collection is off, where the
    graph is not the one that would run, and for graphs of more than 2 000 nodes.
    Sources: Theano 1.0.5, gof/c_code/lazylinker_c.c (`lazy_rec_eval`), gof/vm.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Cost, Finding, Fix
from ...ir.builder import GraphBuilder, on_device
from ...memory.script import CompiledFunction
from ...plans.graphs.evaluation_order import ReorderedRun, reordered_runs
from ..base import Rule
from ..examples import built, device, plain, subject
from ..impact import change, confidence, deciding, figures, is_significant, least_gain, saving, severity
from ..subject import ScriptSubject


def check(s: ScriptSubject) -> Iterator[Finding]:
    """At most one finding, for the function with the highest peak."""
    for function, profile in s.profiled()[:1]:
        if profile.figures.live_peak_bytes - profile.figures.live_before_bytes < least_gain(s):
            return
        run = min(reordered_runs(s.script, s.settings, function.index), key=lambda r: deciding(s, r.process), default=None)
        if run is not None and is_significant(s, run.process):
            yield _finding(s, function, run)


def _finding(s: ScriptSubject, function: CompiledFunction, run: ReorderedRun) -> Finding:
    message = f"{function.name} in another order, {run.words}: {change(s, run.process)}"
    fix, place = Fix(run.words, code=run.code), s.place(function.site, function.name)
    found = figures(run.process, function.index)
    cost = Cost(work="nodes are called from Python" if "linker" in run.code else "")
    return Finding("TD325", severity(s), confidence(s), message, place, fix, found, saving(s, run.process), cost=cost)


def _two_branches(wide: int) -> ScriptSubject:
    """Two wide arrays, each for a number of its own; the first output needs a bit of both."""
    b = GraphBuilder("two")
    x = b.argument("x", on_device(1))
    a, c = b.apply(plain("A"), [x], on_device(wide)), b.apply(plain("B"), [x], on_device(wide))
    d, e = b.apply(plain("C"), [a], on_device(1)), b.apply(plain("D"), [c], on_device(1))
    f = b.apply(plain("E"), [c], on_device(1))
    g = b.apply(plain("F"), [d, e], on_device(1))
    return subject(built(b, f, g), device(1_000_000_000))


RULE = Rule(
    "TD325",
    "evaluation-order",
    check,
    __doc__,
    fires=lambda: _two_branches(20_000_000),
    silent=lambda: _two_branches(1000),
)
