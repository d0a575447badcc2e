"""TD3: the steps that loops (Scan) keep in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from ...findings import Confidence, Cost, Finding, Fix, Results, Severity, identifier
from ...ir import Op, Site, Unknown, nbytes
from ...ir.builder import GraphBuilder, on_device, tensor
from ...ir.scan import scan_counts
from ...memory.profile import ProcessProfile
from ...memory.simulate import simulate_figures
from ...plans.compiling import find_looping
from ...plans.graphs.edit import origin_name
from ...plans.graphs.long_scans import (
    KeptSteps,
    Prepared,
    Recurrence,
    collected,
    cut_off,
    find_filled,
    find_kept,
    find_prepared,
    find_recurrences,
    in_steps,
    last_only,
    with_checkpoints,
)
from ...plans.source_changes import argument_of
from ...units import format_bytes
from ..base import rule
from ..examples import built, device, subject
from ..impact import after_all, change, confidence, figures, is_significant, saving, severity
from ..subject import ScriptSubject

IN_STEP = """def step(x_t, h, *weights):  # with what was done to all of it, for one step: dot(x_t, W)
    ...
h, _ = {library}.scan(step, sequences=[{source}], ...)
mode = {library}.compile.get_default_mode().excluding("{rewrite}")  # compile with mode=mode"""
PUSH_OUT = {"theano": "scanOp_pushout_seqs_ops", "aesara": "scan_pushout_seqs_ops", "pytensor": "scan_pushout_seqs_ops"}
"""Framework -> name under which the rewrite that moves a computation out of the step is registered (scan_opt.py, scan/opt.py)."""


@rule(
    "TD321",
    "scan-keeps-steps",
    fires=lambda: _loop(last=True),
    silent=lambda: _loop(last=False),
)
def scan_keeps_steps(s: ScriptSubject) -> Iterator[Finding]:
    """TD321: a Scan keeps all steps in memory although one at a time is enough

    What it finds
        Finds three kinds of Scan. The first kind of Scan stores its output for every step (at least eight steps more than its recurrence
        reads back), although only the last step is used. The second kind of Scan has a sequence that is computed for all steps in advance
        (a product with weights, a cast, a reordered copy), and that nothing else reads. The third kind of Scan passes a whole array from
        step to step, and each step sets a part of the array (`set_subtensor`): the gradient keeps the whole array for each step.

    Why it matters
        Theano allocates and copies all steps to use one of them. Normally its graph optimizer `scan_save_mem` makes a Scan keep only the
        last entries, but this optimizer is disabled in `mode=FAST_COMPILE`, if you exclude it by name, and for a loop that `until`
        ends: the loop then has room for all `n_steps`. A sequence computed in advance
        is often wider than its input: four times as wide for the gates of an LSTM.

    Example
        `hs, _ = theano.scan(step, outputs_info=[h0], n_steps=1000)` with `theano.function([h0], hs[-1], mode="FAST_COMPILE")` holds 1001
        states, twice. `theano.scan(step, sequences=[T.dot(x, W)], ...)` holds 40 MiB for 80 steps of 256 x 512.

    What to do
        If the Scan keeps all steps, compile with `mode=FAST_RUN` (the default), or with `mode.including("scan_save_mem")`. If `until` ends
        the loop, let the step return the old state once the condition is true (`T.switch`): the number of steps is then fixed.

        If the Scan's sequence is computed in advance, compute the sequence inside the step, or call the function with parts of the sequence
        (the last state of a part is the first state of the next). If each step sets a part of an array, return the parts, with
        `outputs_info=[None]`: the Scan collects them.

    Limits
        The rule sees only the graph. If Python code takes the last entry of a function's result, let the function return `hs[-1]` instead
        of `hs`. The predicted figures include copies that only FAST_COMPILE makes.

        One product for all steps is faster than one for each step. Theano's graph optimizer would move the product out of the loop again,
        so the suggested code excludes that rewrite (`PushOutSeqScan`). The figures still include copies of the sequence in the gradient, so
        they are an upper bound: for an LSTM 176 MiB were predicted and 150 measured. Source: Theano 1.0.5, scan_module/scan_opt.py
        (`ScanSaveMem`, registered for `fast_run` alone; `PushOutSeqScan`).
    """
    yield from _kept(s)
    yield from _filled(s)
    sequences = [p for f, profile in s.profiled() for p in find_prepared(f.graph, s.shapes_at_peak(f, profile), f.index)]
    after = after_all(s, sequences, in_steps)
    if after is not None:
        large = [p for p in sequences if is_significant(s, simulate_figures(in_steps(s.script, p), s.settings))]
        yield from (_of_sequence(s, p, after) for p in large or sequences[:1])


def _of_sequence(s: ScriptSubject, sequence: Prepared, after: ProcessProfile) -> Finding:
    function = s.script.functions[sequence.function]
    variable, table = function.graph.variables[sequence.sequence], s.shapes_at_peak(function, s.process.functions[sequence.function])
    now, then = (p.functions[sequence.function].figures.live_peak_bytes for p in (s.process, after))
    source = origin_name(function.graph, sequence.sources[0])
    size = nbytes(table.shape(sequence.sequence), variable.type.dtype or "float32")
    large = "" if isinstance(size, Unknown) else f" ({format_bytes(size)})"
    what = "a product" if sequence.product else "a copy"
    message = f"{function.name}: a sequence of {sequence.steps} steps{large} is {what} made of {source} for all steps before its Scan"
    effect = f" the peak is {format_bytes(then)} instead of {format_bytes(now)}" if then < now else f": {change(s, after)}"
    message += f"; made in the step{effect}"
    site = next((v.site for v in map(function.graph.variables.__getitem__, sequence.arrays) if v.site), function.site)
    code = IN_STEP.format(library=s.library, source=identifier(source, "x"), rewrite=PUSH_OUT[s.library])
    fix = Fix("compute it in the step, or call with parts of the sequence", code=code)
    done = figures(after, sequence.function)
    cost, place = Cost(Results.ROUNDED, work="a small product in each step instead of a large one"), s.place(site, function.name)
    return Finding("TD321", severity(s), confidence(s, False), message, place, fix, done, saving(s, after), cost=cost)


def _kept(s: ScriptSubject) -> Iterator[Finding]:
    scans = [kept for f, profile in s.profiled() for kept in find_kept(f.graph, s.shapes_at_peak(f, profile), f.index)]
    after = after_all(s, scans, last_only)
    if after is not None:
        yield from (_scan_keeps_steps_finding(s, kept, after) for kept in scans)


FILLED = """# by hand: step returns what it sets at its place, and not the array; the loop collects it, in the order of the steps
made, _ = {library}.scan(step, sequences=[...], outputs_info=[None], non_sequences=[...])"""


def _filled(s: ScriptSubject) -> Iterator[Finding]:
    """Yields a finding about the largest array that a loop fills step by step; without figures, since another graph collects it."""
    found = [one for f, profile in s.profiled() for one in find_filled(f.graph, s.shapes_at_peak(f, profile), f.index)]
    after = after_all(s, found, collected)
    if after is None:
        return
    f, largest = s.script.functions[found[0].function], found[0]
    shape = ", ".join(map(str, largest.state))
    message = f"{f.name}: a Scan passes on a whole array ({shape}), of which each step sets a part; {largest.steps} such arrays are kept"
    message += f", at most about {change(s, after)} if it collects the parts"
    place = s.place(f.graph.variables[largest.output].site or f.site, f.name)
    fix = Fix("collect what the steps set", code=FILLED.format(library=s.library))
    yield Finding("TD321", Severity.INFO, Confidence.GUESSED, message, place, fix, cost=Cost(Results.ROUNDED))


UNTIL = """# by hand, in the step: once it is done, return the old state, in place of {until}
new = {library}.tensor.switch({condition}, old, new)  # the condition, of the old state"""


def _scan_keeps_steps_finding(s: ScriptSubject, kept: KeptSteps, after: ProcessProfile) -> Finding:
    function = s.script.functions[kept.function]
    now, then = (p.functions[kept.function].figures.live_peak_bytes for p in (s.process, after))
    of_all = f"has room for all {kept.steps} steps, as `until` may end it at any of them" if kept.until else f"keeps {kept.steps} steps"
    fewer = f"with a fixed number of steps, {kept.needed} of them kept," if kept.until else f"with {kept.needed}"
    message = f"{function.name}: a Scan {of_all}, of which the last one is used; {fewer}"
    message += f" the peak is {format_bytes(then)} instead of {format_bytes(now)}"
    fix, cost = Fix("let the optimiser keep only the last steps", code=f'{s.library}.function(..., mode="FAST_RUN")'), Cost()
    if kept.until:
        condition = argument_of(s.source, "until", 0) or "done"
        code = UNTIL.format(library=s.library, condition=condition, until=f"until({condition})")
        fix, cost = Fix("a fixed number of steps, of which only the last are kept", code=code), Cost(work="all steps are made")
    place = s.place(function.graph.variables[kept.output].site or function.site, function.name)
    done = figures(after, kept.function)
    return Finding("TD321", severity(s), confidence(s, False), message, place, fix, done, saving(s, after), cost=cost)


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


# With sequences, scan_checkpoints of Theano 1.0.5 fails on Python 3 (a length becomes a float) or on matrices (padding): count the steps.
CODE = """from {module} import scan_checkpoints

def counted({arguments}):
    return {new}

(_, {outputs}), updates = scan_checkpoints(
    counted, outputs_info=[{library}.tensor.constant(numpy.int64(0)), {first}],
    non_sequences={data}weights, n_steps={steps}, save_every_N={every},
)"""
MODULES = {"theano": "theano", "aesara": "aesara.scan.checkpoints", "pytensor": "pytensor.scan.checkpoints"}
"""Framework -> module that contains `scan_checkpoints`."""


def checkpoints(library: str, every: int, states: int = 1, sequences: int = 1) -> str:
    """Returns code to paste for this framework, with a checkpoint every `every` steps, for a step that passes this many states to the next
    one.
    """
    state, output, first, data = (
        [f"{word}_{k}" if count > 1 else word for k in range(1, count + 1)]
        for word, count in (("state", states), ("states", states), ("first", states), ("data", sequences))
    )
    entries = ", ".join([*(f"{d}[i]" for d in data), *state, "*weights"])
    return CODE.format(
        module=MODULES[library],
        library=library,
        arguments=", ".join(["i", *state, *data, "*weights"]),
        new=f"[i + 1, step({entries})]" if states == 1 else f"[i + 1] + list(step({entries}))",
        outputs=", ".join(output),
        first=", ".join(first),
        data=f"[{', '.join(data)}] + " if data else "",
        steps=f"{data[0]}.shape[0]" if data else "n_steps",
        every=every,
    )


OWN = """\
def steps_of_part(*given):
    data, states, others = given[:{d}], given[{d}:{s}], given[{s}:]
    made, _ = {library}.scan({step}, list(data), list(states), list(others), n_steps={every})
    return [m[-1] for m in (made if isinstance(made, (list, tuple)) else [made])]
def in_parts(x):
    return x.reshape([x.shape[0] // {every}, {every}] + [x.shape[k] for k in range(1, x.ndim)], ndim=x.ndim + 1)
{target} = {library}.scan(steps_of_part, [{data}], [{first}], [{others}], {steps}allow_gc=True)  # line {line}"""
"""A loop over parts of the steps: its gradient computes the states of a part again, as that of `scan_checkpoints` does."""


def checkpoints_code(s: ScriptSubject, loop: Recurrence) -> str:
    """Returns code to paste for a loop, with the names of the script if its text shows them and only the last state is used."""
    general = checkpoints(s.library, loop.every, loop.n_states, loop.n_sequences)
    if loop.all_used:
        total = "# by hand: give step one more state, to which it adds the cost of its step, and use the last one; first: its zero too"
        return f"{total}\n{general}"
    found = find_looping(s.source, _made_at(s, loop))
    if found is None or found.outputs != loop.n_states or loop.steps % loop.every:
        return f"# by hand: step, first, data, weights: the arguments of the scan\n{general}"
    data, first, others = (found.listed(name) for name in ("sequences", "outputs_info", "non_sequences"))
    return OWN.format(
        library=s.library,
        step=found.given["fn"],
        d=len(data),
        s=len(data) + len(first),
        every=loop.every,
        target=found.target,
        data=", ".join(f"in_parts({x})" for x in data),
        first=", ".join(first),
        others=", ".join(others),
        steps="" if data else f"n_steps=({found.given['n_steps']}) // {loop.every}, ",
        line=found.line,
    )


@rule(
    "TD322",
    "gradient-through-scan",
    fires=lambda: _unrolled(1000),
    silent=lambda: _unrolled(20),
)
def gradient_through_scan(s: ScriptSubject) -> Iterator[Finding]:
    """TD322: a gradient goes back through all steps of a long Scan

    What it finds
        Finds a Scan and its gradient, if the states of all steps, their gradients, and the values computed for them take a large part of
        the peak.

    Why it matters
        Back-propagation through time needs the state of each step, so memory grows with the number of steps. Even the simplest recurrence
        needs four arrays of that length.

    Example
        A recurrence over 144 steps needs 4.8 MB with its gradient, 2.5 MB with `truncate_gradient=12`, and 0.8 MB with a checkpoint at
        every 12th step.

    What to do
        `theano.scan_checkpoints(..., save_every_N=N)` computes the same gradient, but keeps only every N-th state and recomputes the states
        in between. The gradient needs the least memory if N is near the square root of the number of steps. `theano.scan(...,
        truncate_gradient=k)` computes an approximation that goes back only k steps, but its buffers for the gradients of the states still
        have an entry for each step.

        `scan_checkpoints` returns only every N-th state. If a cost is computed from the states of all steps, sum it up in the step, as a
        further state.

    Limits
        theanodiag estimates the figures for checkpoints without building the graph: it assumes that each array has N or steps / N entries,
        plus three. The estimate was compared with Theano 1.0.5 for four loops (a plain recurrence, one with two layers in its step, a GRU,
        an LSTM). The estimate was never too low, and on a device at most 40 % too high.

        `scan_checkpoints` supports no taps except the last state. Sequences passed to it fail on Theano 1.0.5, so the suggested code counts
        the steps itself. Source: Theano 1.0.5, scan_module/scan_checkpoints.py, scan_module/scan_op.py (`Scan.L_op`).
    """
    recurrences = [loop for f, profile in s.profiled() for loop in find_recurrences(f.graph, s.shapes_at_peak(f, profile), f.index)]
    after = after_all(s, recurrences, with_checkpoints)
    if after is not None:
        yield _gradient_through_scan_finding(s, recurrences, after)


def _gradient_through_scan_finding(s: ScriptSubject, recurrences: Sequence[Recurrence], after: ProcessProfile) -> Finding:
    """One finding about all loops: their figures are those of all with checkpoints, or of all cut off."""
    longest = max(recurrences, key=lambda loop: loop.steps)
    function = s.script.functions[longest.function]
    cut = simulate_figures(reduce(lambda script, loop: cut_off(script, loop, loop.every), recurrences, s.script), s.settings)
    now, saved, short = (format_bytes(p.functions[longest.function].figures.live_peak_bytes) for p in (s.process, after, cut))
    named = " and ".join(dict.fromkeys(s.script.functions[loop.function].name for loop in recurrences))
    loops = f"{longest.steps} steps of a Scan" if not recurrences[1:] else f"the steps of {len(recurrences)} Scans, at most {longest.steps}"
    message = f"{named}: a gradient goes back through {loops}, with a peak of {now}"
    message += f"; about {saved} with a checkpoint at every {longest.every} steps, {short} with truncate_gradient={longest.every}"
    message += "; the cost of each step is then added up in the step" * longest.all_used
    place = s.place(_made_at(s, longest) or function.site, function.name)
    fix = Fix("keep every N-th state, and recompute those in between", code=checkpoints_code(s, longest))
    lines = dict.fromkeys(f"{_made_at(s, loop) or 'a Scan'}: {loop.steps} steps, save_every_N={loop.every}" for loop in recurrences)
    notes = tuple(lines) if recurrences[1:] else ()
    done, cost = figures(after, longest.function), Cost(work="each step is computed twice")
    return Finding("TD322", severity(s), confidence(s, False), message, place, fix, done, saving(s, after), notes, cost=cost)


def _made_at(s: ScriptSubject, loop: Recurrence) -> Site | None:
    """The source line that created a Scan; None if unknown."""
    return s.script.functions[loop.function].graph.variables[loop.output].site


def _unrolled(steps: int) -> ScriptSubject:
    """A recurrence with states of 200 KB and its gradient with respect to the first state."""
    one, tanh = on_device(100, 500), Op("GpuElemwise", "tanh")
    f = GraphBuilder("step")
    forward = f.build(f.apply(tanh, [f.argument(None, one)], one), info=scan_counts(sit_sot_in_slices=[[-1]]))
    g = GraphBuilder("gradient")
    h, dh, more = (g.argument(None, one) for _ in range(3))
    info = scan_counts(n_seqs=1, mit_mot_in_slices=[[0, 1]], mit_mot_out_slices=[[1]])
    back = g.build(g.apply(Op("GpuElemwise", "dtanh"), [h, dh, more], one), info=info)
    b, every = GraphBuilder("train"), on_device(steps + 1, 100, 500)
    start, n = b.argument("h0", one), b.constant(tensor(dtype="int64"), steps)
    new, zeros = b.apply(Op("GpuAllocEmpty", "empty"), [n], every), b.apply(Op("GpuAlloc", "zeros"), [n], every)
    write = Op("GpuIncSubtensor", "set", destroy_map={0: (0,)})
    states = b.apply(Op("Scan", "scan", inner=forward, destroy_map={0: (1,)}), [n, b.apply(write, [new, start], every)], every)
    ends = b.apply(write, [zeros, start], every)
    gradient = b.apply(Op("Scan", "grad_of_scan", inner=back, destroy_map={0: (2,)}), [n, states, ends], every)
    first = b.constant(tensor(dtype="int64"), 0)
    out = b.apply(Op("GpuSubtensor", "[0]", params={"idx_list": ["i"]}, view_map={0: (0,)}), [gradient, first], one)
    return subject(built(b, out), device(4_000_000_000))
