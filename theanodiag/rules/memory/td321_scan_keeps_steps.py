"""TD321: a Scan has all steps in memory where one at a time is enough

What it finds
    A Scan whose output has an entry for each step (eight more than its recurrence looks back to), of which every reader takes the last.
    And a Scan whose sequence is made for all steps beforehand (a product with weights, a cast, a copy in another order) and read by
    nothing else.

Why it matters
    The optimiser would keep the last entries alone (`scan_save_mem`), but it is off in `mode=FAST_COMPILE` and where it is excluded by
    name; then all steps are allocated, and copied, for one of them. A projected sequence is often wider than what it is made of: four
    times for the gates of an LSTM.

Example
    `hs, _ = theano.scan(step, outputs_info=[h0], n_steps=1000)`, `theano.function([h0], hs[-1], mode="FAST_COMPILE")`: 1001 states, twice.
    `theano.scan(step, sequences=[T.dot(x, W)], ...)`: 40 MiB for 80 steps of 256 x 512.

What to do
    Compile with `mode=FAST_RUN` (the default), or with `mode.including("scan_save_mem")`. Compute a sequence in the step, of its part of
    the data; or call the function with parts of the sequence (the last state of one is the first of the next).

Limits
    The figures after keep the copies that only FAST_COMPILE makes, of what is left. Where Python takes the last entry of what a function
    returns the graph does not show it: return `hs[-1]` instead of `hs`. One product for all steps is faster than one for each. The
    optimiser takes what it can out of the loop again, so that the code excludes that. What a gradient has of the sequence stays in the
    figures, which are an upper bound then: for an LSTM 176 MiB were foretold, and 150 came of it.
    Source: Theano 1.0.5, scan_module/scan_opt.py (`ScanSaveMem`, registered for `fast_run` alone; `PushOutSeqScan`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Cost, Finding, Fix, Results, identifier
from ...ir import Op, Unknown, nbytes
from ...ir.builder import GraphBuilder, on_device, tensor
from ...ir.scan import scan_counts
from ...memory.profile import ProcessProfile
from ...memory.simulate import simulate
from ...plans.graphs.edit import origin_name
from ...plans.graphs.long_scans import KeptSteps, find_kept, last_only
from ...plans.graphs.sequences import Prepared, find_prepared, in_steps
from ...units import format_bytes
from ..base import Rule
from ..examples import built, device, subject
from ..impact import after_all, confidence, figures, is_significant, saving, severity
from ..subject import ScriptSubject

IN_STEP = """def step(x_t, h, *weights):  # with what was done to all of it, for one step: T.dot(x_t, W)
    ...
h, _ = theano.scan(step, sequences=[{0}], ...)
mode = theano.compile.get_default_mode().excluding("scanOp_pushout_seqs_ops")"""


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each output and each sequence, where keeping less of all of them saves enough."""
    yield from _kept(s)
    made = [p for f, profile in s.profiled() for p in find_prepared(f.graph, s.shapes_at_peak(f, profile), f.index)]
    after = after_all(s, made, in_steps)
    if after is not None:
        large = [p for p in made if is_significant(s, simulate(in_steps(s.script, p), s.settings))]
        yield from (_of_sequence(s, p, after) for p in large or made[:1])


def _of_sequence(s: ScriptSubject, made: Prepared, after: ProcessProfile) -> Finding:
    function = s.script.functions[made.function]
    variable, table = function.graph.variables[made.sequence], s.shapes_at_peak(function, s.process.functions[made.function])
    now, then = (p.functions[made.function].figures.live_peak_bytes for p in (s.process, after))
    source = origin_name(function.graph, made.sources[0])
    size = nbytes(table.shape(made.sequence), variable.type.dtype or "float32")
    large = "" if isinstance(size, Unknown) else f" ({format_bytes(size)})"
    what = "a product" if made.product else "a copy"
    message = f"{function.name}: a sequence of {made.steps} steps{large} is {what} made of {source} for all steps before its Scan"
    message += f"; made in the step the peak is {format_bytes(then)} instead of {format_bytes(now)}"
    site = next((v.site for v in map(function.graph.variables.__getitem__, made.arrays) if v.site), function.site)
    fix = Fix("compute it in the step, or call with parts of the sequence", code=IN_STEP.format(identifier(source, "x")))
    done = figures(after, made.function)
    cost, place = Cost(Results.ROUNDED, work="a small product in each step in place of a large one"), s.place(site, function.name)
    return Finding("TD321", severity(s), confidence(s, False), message, place, fix, done, saving(s, after), cost=cost)


def _kept(s: ScriptSubject) -> Iterator[Finding]:
    found = [kept for f, profile in s.profiled() for kept in find_kept(f.graph, s.shapes_at_peak(f, profile), f.index)]
    after = after_all(s, found, last_only)
    if after is not None:
        yield from (_finding(s, kept, after) for kept in found)


def _finding(s: ScriptSubject, kept: KeptSteps, after: ProcessProfile) -> Finding:
    function = s.script.functions[kept.function]
    now, then = (p.functions[kept.function].figures.live_peak_bytes for p in (s.process, after))
    message = f"{function.name}: a Scan keeps {kept.steps} steps, of which the last one is used"
    message += f"; with {kept.needed} the peak is {format_bytes(then)} instead of {format_bytes(now)}"
    fix = Fix("let the optimiser keep the last steps alone", code='theano.function(..., mode="FAST_RUN")')
    place = s.place(function.graph.variables[kept.output].site or function.site, function.name)
    done = figures(after, kept.function)
    return Finding("TD321", severity(s), confidence(s, False), message, place, fix, done, saving(s, after), cost=Cost())


def _loop(*, last: bool) -> ScriptSubject:
    """A thousand states of 200 KB in a loop; the last one, or their sum, is returned."""
    step = GraphBuilder("step")
    h = step.argument(None, on_device(100, 500))
    inner = step.build(step.apply(Op("GpuElemwise", "tanh"), [h], on_device(100, 500)), info=scan_counts(sit_sot_in_slices=[[-1]]))
    b = GraphBuilder("loop")
    start = b.argument("h0", on_device(100, 500))
    n, end = b.constant(tensor(dtype="int64"), 1000), b.constant(tensor(dtype="int64"), -1)
    empty = b.apply(Op("GpuAllocEmpty", "empty"), [n], on_device(1001, 100, 500))
    written = b.apply(Op("GpuIncSubtensor", "set", destroy_map={0: (0,)}), [empty, start], on_device(1001, 100, 500))
    states = b.apply(Op("Scan", "scan", inner=inner, destroy_map={0: (1,)}), [n, written], on_device(1001, 100, 500))
    if last:
        out = b.apply(Op("GpuSubtensor", "[-1]", params={"idx_list": ["i"]}, view_map={0: (0,)}), [states, end], on_device(100, 500))
    else:
        out = b.apply(Op("GpuCAReduceCuda", "sum"), [states], on_device(100, 500))
    return subject(built(b, out), device(1_000_000_000))


RULE = Rule("TD321", "scan-keeps-steps", check, __doc__, fires=lambda: _loop(last=True), silent=lambda: _loop(last=False))
