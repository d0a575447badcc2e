"""TD325: another order of evaluation has a lower peak

What it finds
    For the function with the highest peak: an order of the same nodes in which less is live at once, the bound below which no order goes,
    and whether the order of the outputs or another linker comes near it.

Why it matters
    The order is not chosen for memory. The C virtual machine goes depth-first from the outputs, in the order in which they are given,
    updates last; the other linkers take the order in which nodes are listed. Two large intermediates may be live together that need not.

Example
    `function([x], [loss, summary])`: 1.2 GiB at the peak, 0.9 GiB with `[summary, loss]`, 0.8 GiB in the best order.

What to do
    Where the finding names a way (other order of outputs, `linker=c|py`), take it. Else there is no flag for it: split the function, so
    that one part has ended before the next one begins, and hand over what both need; or leave it. The bound says what can be hoped for.

Limits
    The search is exact for small graphs (4 000 sets of nodes); for larger ones the finding says how far the order may be from the best.
    Work buffers of single nodes do not steer it. Silent where garbage collection is off, and where the graph is not the one that would run.
    Sources: Theano 1.0.5, gof/c_code/lazylinker_c.c (`lazy_rec_eval`), gof/vm.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Fix
from ...ir import Unknown
from ...ir.builder import GraphBuilder, on_device
from ...memory.script import CompiledFunction
from ...plans.graphs.order import BestOrder, Way, best_for, ways
from ...units import format_bytes
from ..base import Rule
from ..examples import built, device, plain, subject
from ..impact import confidence, deciding, figures, is_significant, least_gain, saved, saving, severity
from ..subject import ScriptSubject


def check(s: ScriptSubject) -> Iterator[Finding]:
    """At most one finding, for the function with the highest peak."""
    for function, profile in s.profiled()[:1]:
        best = best_for(s.script, s.settings, function.index, profile, least_gain(s))
        if isinstance(best, Unknown):
            return
        if not is_significant(s, best.process):
            return
        way = min(ways(s.script, s.settings, function.index), key=lambda w: deciding(s, w.process), default=None)
        useful = way is not None and 2 * saved(s, way.process) >= saved(s, best.process)
        yield _finding(s, function, best, way if useful else None)


def _finding(s: ScriptSubject, function: CompiledFunction, best: BestOrder, way: Way | None) -> Finding:
    now = s.process.functions[function.index].figures.live_peak_bytes
    gap = "none is better" if best.found.exact else f"no order goes below {format_bytes(best.bound_bytes)}"
    least = best.profile.figures.live_peak_bytes
    message = f"{function.name} needs {format_bytes(now)} in its order; in another one {format_bytes(least)}, {gap}"
    if way is None:
        message += "; there is no flag for it: split the function"
        fix, after = Fix("split the function, so that one part has ended before the next one begins"), best.process
    else:
        peak = way.process.functions[function.index].figures.live_peak_bytes
        message += f"; {way.words}: {format_bytes(peak)}"
        fix, after = Fix(way.words, code=way.code), way.process
    place, found = s.place(function.site, function.name), figures(after, function.index)
    return Finding("TD325", severity(s), confidence(s, way is not None), message, place, fix, found, saving(s, after))


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
