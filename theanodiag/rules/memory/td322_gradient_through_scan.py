"""TD322: a gradient goes back through all steps of a long Scan

What it finds
    A Scan and its gradient, where the states of all steps, their gradients, and what is computed for them take a good part of the peak.

Why it matters
    Back-propagation through time needs the state of each step: memory grows with the number of steps, four arrays of that length in the
    plainest case.

Example
    A recurrence over 144 steps: 4.8 MB with its gradient, 2.5 MB with `truncate_gradient=12`, 0.8 MB with a checkpoint at every 12th step.

What to do
    `theano.scan_checkpoints(..., save_every_N=N)` computes the same gradient: it keeps every N-th state and computes those between
    again; N near the root of the number of steps is the least. `theano.scan(..., truncate_gradient=k)` computes another one, cut off after
    k steps; the buffers for the gradients of the states stay as long as before.

Limits
    The figures for checkpoints are those of a model (each array has N and steps / N entries, and three more), not of the graph that Theano
    would make: an upper bound for the four loops that were compared on Theano 1.0.5 (a plain recurrence, one with two layers in its step, a
    GRU, an LSTM), on a device at most 40 % above. `scan_checkpoints` takes no taps but the last state, and its sequences fail on Theano
    1.0.5, so that the code to paste counts the steps itself.
    Source: Theano 1.0.5, scan_module/scan_checkpoints.py, scan_module/scan_op.py (`Scan.L_op`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Cost, Finding, Fix
from ...ir import Op
from ...ir.builder import GraphBuilder, on_device, tensor
from ...ir.scan import scan_counts
from ...memory.profile import ProcessProfile
from ...memory.simulate import simulate
from ...plans.graphs.long_scans import Recurrence, cut_off, find_recurrences, with_checkpoints
from ...units import format_bytes
from ..base import Rule
from ..examples import built, device, subject
from ..impact import after_all, confidence, figures, saving, severity
from ..subject import ScriptSubject

# With sequences, scan_checkpoints of Theano 1.0.5 fails on Python 3 (a length becomes a float) or on matrices (padding): count the steps.
CODE = """from {module} import scan_checkpoints

def counted(i, state, data, *weights):
    return i + 1, step(data[i], state, *weights)

(_, states), updates = scan_checkpoints(
    counted, outputs_info=[{library}.tensor.constant(numpy.int64(0)), first],
    non_sequences=[data] + weights, n_steps=data.shape[0], save_every_N={every},
)"""
MODULES = {"theano": "theano", "aesara": "aesara.scan.checkpoints", "pytensor": "pytensor.scan.checkpoints"}
"""Name of a framework -> where it has `scan_checkpoints`."""


def checkpoints(library: str, every: int) -> str:
    """The code for a framework with a checkpoint at every N-th step."""
    return CODE.format(module=MODULES[library], library=library, every=every)


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each loop, where checkpoints in all of them save enough."""
    found = [loop for f, profile in s.profiled() for loop in find_recurrences(f.graph, s.shapes_at_peak(f, profile), f.index)]
    after = after_all(s, found, with_checkpoints)
    if after is not None:
        yield from (_finding(s, loop, after) for loop in found)


def _finding(s: ScriptSubject, loop: Recurrence, after: ProcessProfile) -> Finding:
    function = s.script.functions[loop.function]
    cut = simulate(cut_off(s.script, loop, loop.every), s.settings)
    now, saved, short = (format_bytes(p.functions[loop.function].figures.live_peak_bytes) for p in (s.process, after, cut))
    message = f"{function.name}: a gradient goes back through {loop.steps} steps of a Scan, with a peak of {now}"
    message += f"; about {saved} with a checkpoint at every {loop.every} steps, {short} with truncate_gradient={loop.every}"
    place = s.place(function.graph.variables[loop.output].site or function.site, function.name)
    fix = Fix("keep every N-th state, and compute those between again", code=checkpoints(s.library, loop.every))
    done, cost = figures(after, loop.function), Cost(work="each step is computed twice")
    return Finding("TD322", severity(s), confidence(s, False), message, place, fix, done, saving(s, after), cost=cost)


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


RULE = Rule("TD322", "gradient-through-scan", check, __doc__, fires=lambda: _unrolled(1000), silent=lambda: _unrolled(20))
