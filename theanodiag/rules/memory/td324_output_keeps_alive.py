"""TD324: an output keeps more alive than itself

What it finds
    A function with several outputs that would need much less without one of them, by far more than is computed for that output alone: it
    keeps intermediates alive that would have been freed (it is a view of a large array, or the wrong one to be computed first).

Why it matters
    What is returned stays until the call ends, and what it is a view of stays with it. The machine computes outputs in the order in which
    they are given: what a later one also needs waits.

Example
    `theano.function([x], [cost, hidden[0]])`: one row is returned, all of `hidden` stays until the end of the call, through the gradient.

What to do
    Return it from a function of its own, that is called when it is wanted. Of a slice return a copy that is no view: `hidden[0] + 0`. Where
    only a number is read from it, return that number: `hidden.mean()`.

Limits
    Tries outputs one by one, the first eight of each function, where the buffers that only one of them needs could be worth it. What the
    caller keeps of earlier calls is not counted here.
    Source: Theano 1.0.5, gof/vm.py (`compute_gc_dependencies`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...findings import Cost, Finding, Fix
from ...ir import Op
from ...ir.builder import GraphBuilder, on_device
from ...memory.profile import ProcessProfile
from ...memory.script import CompiledFunction
from ...memory.simulate import simulate
from ...plans.graphs.returned_outputs import Alone, alone, without_output
from ...units import format_bytes
from ..base import Rule
from ..examples import built, device, plain, subject
from ..impact import can_pay, confidence, figures, is_significant, least_gain, saved, saving, severity
from ..subject import ScriptSubject

MOST_OUTPUTS = 8


def check(s: ScriptSubject) -> Iterator[Finding]:
    """At most one finding: the output of the function with the highest peak whose removal saves most."""
    for function, profile in s.profiled()[:1]:
        graph = function.graph
        if graph.n_returned < 2 or not can_pay(s):
            return
        table = s.shapes_at_peak(function, profile)
        shares = alone(graph, table, range(min(graph.n_returned, MOST_OUTPUTS)))
        found = [_tried(s, function, k, share) for k, share in shares.items() if 2 * share.touched >= least_gain(s)]
        best = max((t for t in found if t.worth(s)), key=lambda t: saved(s, t.after), default=None)
        if best is not None:
            yield _finding(s, function, best)


@dataclass(frozen=True)
class Tried:
    """The simulation of a function without one of its outputs."""

    position: int
    """Position of the output."""
    share: Alone
    """What is computed for that output alone."""
    after: ProcessProfile
    """The simulation without it."""

    def worth(self, s: ScriptSubject) -> bool:
        """Whether the output keeps much more alive than it is itself."""
        return is_significant(s, self.after) and saved(s, self.after) >= 4 * self.share.made


def _tried(s: ScriptSubject, function: CompiledFunction, position: int, share: Alone) -> Tried:
    return Tried(position, share, simulate(without_output(s.script, function.index, position), s.settings))


def _finding(s: ScriptSubject, function: CompiledFunction, best: Tried) -> Finding:
    position, after = best.position, best.after
    variable = function.graph.variables[function.graph.outputs[position]]
    now, then = (p.functions[function.index].figures.live_peak_bytes for p in (s.process, after))
    name = f" ({variable.name})" if variable.name else ""
    message = f"{function.name}: output {position}{name} keeps {format_bytes(now - then)} alive"
    message += f"; without it the peak is {format_bytes(then)} instead of {format_bytes(now)}"
    fix = Fix("return it from a function of its own", code=f"theano.function(inputs, outputs[{position}])")
    place = s.place(variable.site or function.site, function.name)
    done, cost = figures(after, function.index), Cost(work="that output is computed in a call of its own")
    return Finding("TD324", severity(s), confidence(s, False), message, place, fix, done, saving(s, after), cost=cost)


def _row_of_hidden(*, copied: bool) -> ScriptSubject:
    """A row of a large array is returned, as a view of it or as a copy, and another large array is made of it."""
    b = GraphBuilder("train")
    x = b.argument("x", on_device(10))
    hidden = b.apply(plain("Hidden"), [x], on_device(2000, 10_000))
    top = b.apply(plain("Top"), [hidden], on_device(2000, 10))
    view = Op("View", "hidden[0]", view_map={} if copied else {0: (0,)})
    row = b.apply(view, [hidden], on_device(10_000), name="row")
    wide = b.apply(plain("Wide"), [top], on_device(2000, 10_000))
    return subject(built(b, row, b.apply(plain("Cost"), [wide], on_device(1))), device(10_000_000_000))


RULE = Rule(
    "TD324",
    "output-keeps-alive",
    check,
    __doc__,
    fires=lambda: _row_of_hidden(copied=False),
    silent=lambda: _row_of_hidden(copied=True),
)
