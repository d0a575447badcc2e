"""TD3: arrays that live longer than necessary: intermediates, and arrays kept alive by outputs or by the evaluation order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...findings import Cost, Finding, Fix, FlagChange
from ...ir import Op
from ...ir.builder import GraphBuilder, on_device
from ...memory.profile import ProcessProfile
from ...memory.script import CompiledFunction
from ...memory.simulate import simulate_figures
from ...plans.graphs.lifetimes import Alone, ReorderedRun, alone, reordered_runs, without_output
from ...plans.memory_flags import is_off, with_collection
from ...units import format_bytes
from ..base import rule
from ..examples import built, device, kept_script, plain, subject
from ..impact import can_pay, change, confidence, confidence_of, deciding_peak, figures, is_significant, least_gain, saved, saving, severity
from ..subject import ScriptSubject

COST = Cost(work="each call allocates its intermediates again, from the cache")


@rule(
    "TD311",
    "collection",
    fires=lambda: subject(kept_script(1000), device(26_000_000)),
    silent=lambda: subject(kept_script(1000), device(80_000_000)),
)
def collection(s: ScriptSubject) -> Iterator[Finding]:
    """TD311: the script fits if intermediates are freed

    What it finds
        Finds a script that does not fit because its functions keep their intermediates. Functions keep intermediates between calls with
        `allow_gc=False`, and inside loops with `scan.allow_gc=False`, which is the default.

    Why it matters
        With `allow_gc=False` each function keeps the last value of each of its intermediates until the process ends, and no other function
        can use this memory.

    Example
        The finding says `with allow_gc=True the script fits: 2.1 GiB instead of 4.6 GiB`.

    What to do
        Set the flags as shown. On a device little speed is lost, because freed memory goes to the allocation cache.

    Limits
        The rule reports nothing if the script fits. For a script that fits, TD333 says which intermediates are kept, and TD310 what
        `allow_gc=False` would cost.
    """
    plan = s.advice.collection
    if plan is None:
        return
    message = f"with {plan.flags} the script fits: {change(s, plan.after)}"
    fix = Fix("garbage collection", code=s.flags_variable.line(plan.flags), changes=FlagChange.parse(plan.flags))
    sure = confidence_of(s.process, plan.after)
    yield Finding("TD311", severity(s), sure, message, s.place(None), fix, figures(plan.after), saving(s, plan.after), cost=COST)


MOST_OUTPUTS = 8


@rule(
    "TD324",
    "output-keeps-alive",
    fires=lambda: _row_of_hidden(copied=False),
    silent=lambda: _row_of_hidden(copied=True),
)
def output_keeps_alive(s: ScriptSubject) -> Iterator[Finding]:
    """TD324: an output keeps large intermediates alive

    What it finds
        Finds an output that keeps large intermediates alive, because the output is a view of a large array or is computed too early. The
        rule checks functions with several outputs. The rule reports an output if the function without that output would need far less
        memory, by more than the size of the output itself.

    Why it matters
        A returned output stays until the call ends, and so does the array of which it is a view. The virtual machine computes outputs in
        the given order, and keeps what a later output also needs.

    Example
        `theano.function([x], [cost, hidden[0]])` returns one row, but all of `hidden` stays in memory until the end of the call, also while
        the gradient is computed.

    What to do
        Return the output from a separate function, and call that function only when you need the value. For a slice, return a copy instead
        of a view: `hidden[0] + 0`. If you only read a number from the output, return that number: `hidden.mean()`.

    Limits
        The rule tries the first eight outputs of each function, one by one, and skips outputs whose buffers are too small to matter. If the
        script keeps results of earlier calls, the figures do not include their memory. Source: Theano 1.0.5, gof/vm.py
        (`compute_gc_dependencies`).
    """
    for function, profile in s.profiled()[:1]:
        graph = function.graph
        if graph.n_returned < 2 or not can_pay(s):
            return
        table = s.shapes_at_peak(function, profile)
        shares = alone(graph, table, range(min(graph.n_returned, MOST_OUTPUTS)))
        trials = [
            RemovedOutput(k, share, simulate_figures(without_output(s.script, function.index, k), s.settings))
            for k, share in shares.items()
            if 2 * share.touched >= least_gain(s)
        ]
        best = max((t for t in trials if t.worth(s)), key=lambda t: saved(s, t.after), default=None)
        if best is not None:
            yield _output_keeps_alive_finding(s, function, best)


@dataclass(frozen=True)
class RemovedOutput:
    """The simulation of a function with one of its outputs removed."""

    position: int
    """Position of the output."""
    share: Alone
    """The bytes computed for that output alone."""
    after: ProcessProfile
    """The simulation without it."""

    def worth(self, s: ScriptSubject) -> bool:
        """Returns whether the output keeps alive much more memory than its own size."""
        return is_significant(s, self.after) and saved(s, self.after) >= 4 * self.share.made


def _output_keeps_alive_finding(s: ScriptSubject, function: CompiledFunction, best: RemovedOutput) -> Finding:
    position, after = best.position, best.after
    variable = function.graph.variables[function.graph.outputs[position]]
    now, then = (p.functions[function.index].figures.live_peak_bytes for p in (s.process, after))
    name = f" ({variable.name})" if variable.name else ""
    message = f"{function.name}: output {position}{name} keeps {format_bytes(now - then)} alive"
    message += f"; without it the peak is {format_bytes(then)} instead of {format_bytes(now)}"
    state = any(i.update is not None for i in function.graph.inputs)
    when = "  # called before it, as the updates change what this reads" if state else ""
    fix = Fix("return it from a separate function", code=f"{s.library}.function(inputs, outputs[{position}]){when}")
    place = s.place(variable.site or function.site, function.name)
    done, cost = figures(after, function.index), Cost(work="that output is computed in a separate call")
    return Finding("TD324", severity(s), confidence(s, False), message, place, fix, done, saving(s, after), cost=cost)


def _row_of_hidden(*, copied: bool) -> ScriptSubject:
    """A function that returns a row of a large array, as a view or as a copy, and computes another large array from it."""
    b = GraphBuilder("train")
    x = b.argument("x", on_device(10))
    hidden = b.apply(plain("Hidden"), [x], on_device(2000, 10_000))
    top = b.apply(plain("Top"), [hidden], on_device(2000, 10))
    view = Op("View", "hidden[0]", view_map={} if copied else {0: (0,)})
    row = b.apply(view, [hidden], on_device(10_000), name="row")
    wide = b.apply(plain("Wide"), [top], on_device(2000, 10_000))
    return subject(built(b, row, b.apply(plain("Cost"), [wide], on_device(1))), device(10_000_000_000))


@rule(
    "TD325",
    "evaluation-order",
    fires=lambda: _two_branches(20_000_000),
    silent=lambda: _two_branches(1000),
)
def evaluation_order(s: ScriptSubject) -> Iterator[Finding]:
    """TD325: another linker or order of outputs has a lower peak

    What it finds
        Finds another linker, or another order of outputs, with which the function with the highest peak runs the same nodes with less live
        memory.

    Why it matters
        The framework does not choose the order of nodes to save memory. The C virtual machine goes depth-first through the outputs in the
        order in which they are given, with updates last; the other linkers take the order in which nodes are listed. Two large
        intermediates may therefore be live at the same time unnecessarily.

    Example
        The finding says `train in another order, output 1 as the first one: 0.9 GiB instead of 1.2 GiB`.

    What to do
        Use the linker, or the order of outputs, that the finding names. The peak that the finding states comes from a simulation.

    Limits
        `linker=c|py` computes both branches of an IfElse, and calls each node from Python. The rule reports nothing if garbage collection
        is off, if theanodiag does not have the graph that would really run, or if the graph has more than 2 000 nodes. Sources: Theano
        1.0.5, gof/c_code/lazylinker_c.c (`lazy_rec_eval`), gof/vm.py.
    """
    for function, profile in s.profiled()[:1]:
        if profile.figures.live_peak_bytes - profile.figures.live_before_bytes < least_gain(s):
            return
        run = min(reordered_runs(s.script, s.settings, function.index), key=lambda r: deciding_peak(s, r.process), default=None)
        if run is not None and is_significant(s, run.process):
            yield _evaluation_order_finding(s, function, run)


def _evaluation_order_finding(s: ScriptSubject, function: CompiledFunction, run: ReorderedRun) -> Finding:
    message = f"{function.name} in another order, {run.words}: {change(s, run.process)}"
    fix, place = Fix(run.words, code=s.flags_variable.line(run.flags) if run.flags else run.code), s.place(function.site, function.name)
    new_figures = figures(run.process, function.index)
    cost = Cost(work="nodes are called from Python" if run.flags else "")
    return Finding("TD325", severity(s), confidence(s), message, place, fix, new_figures, saving(s, run.process), cost=cost)


def _two_branches(wide: int) -> ScriptSubject:
    """Two wide arrays, each for a number of its own; the first output needs a bit of both."""
    b = GraphBuilder("two")
    x = b.argument("x", on_device(1))
    a, c = b.apply(plain("A"), [x], on_device(wide)), b.apply(plain("B"), [x], on_device(wide))
    d, e = b.apply(plain("C"), [a], on_device(1)), b.apply(plain("D"), [c], on_device(1))
    f = b.apply(plain("E"), [c], on_device(1))
    g = b.apply(plain("F"), [d, e], on_device(1))
    return subject(built(b, f, g), device(1_000_000_000))


@rule(
    "TD333",
    "kept-intermediates",
    fires=lambda: subject(kept_script(3000), device(1_000_000_000)),
    silent=lambda: subject(kept_script(10), device(1_000_000_000)),
)
def kept_intermediates(s: ScriptSubject) -> Iterator[Finding]:
    """TD333: functions keep their intermediates between calls

    What it finds
        Finds functions compiled with `allow_gc=False`, by the flag or by their linker, in a script that fits, if the kept intermediates are
        a large part of the peak.

    Why it matters
        Each function keeps the last value of each of its intermediates as long as the function exists. No other function can use the memory
        of these values.

    Example
        The finding says `train, valid, test keep their intermediates between calls: 1.4 GiB instead of 3.1 GiB with allow_gc=True`.

    What to do
        Set `allow_gc=True`. On a GPU the flag costs little time, because freed memory goes to the allocation cache.

    Limits
        If the script does not fit, TD311 is reported instead. After a call that raised an error, Theano also keeps the intermediates of
        that call until the next one; theanodiag does not see this memory, because no call computes anything. The rule reports only savings
        of at least a tenth of the peak and 16 MiB. Source: Theano 1.0.5, gof/vm.py, gof/link.py (`raise_with_op` keeps the frames of the
        failed thunk).
    """
    if s.process.fits is False or not is_off(s.script, s.settings):
        return
    after = with_collection(s.script, s.settings, True)
    if not is_significant(s, after):
        return
    keeping = [f for f in s.script.functions if not (s.settings.allow_gc if f.allow_gc is None else f.allow_gc)]
    message = f"{', '.join(f.name for f in keeping[:5])} keep their intermediates between calls: {change(s, after)} with allow_gc=True"
    fix = Fix("garbage collection", code=s.flags_variable.line("allow_gc=True"), changes=(FlagChange("allow_gc", "True"),))
    place = s.place(keeping[0].site, keeping[0].name)
    yield Finding("TD333", severity(s), confidence(s), message, place, fix, figures(after), saving(s, after), cost=COST)
