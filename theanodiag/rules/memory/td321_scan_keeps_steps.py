"""TD321: a Scan keeps all steps where the last one is used

What it finds
    A Scan whose output has an entry for each step (eight more than its recurrence looks back to), of which every reader takes the last.

Why it matters
    The optimiser would keep the last entries alone (`scan_save_mem`), but it is off in `mode=FAST_COMPILE` and where it is excluded by
    name; then all steps are allocated, and copied, for one of them.

Example
    `hs, _ = theano.scan(step, outputs_info=[h0], n_steps=1000)`, `theano.function([h0], hs[-1], mode="FAST_COMPILE")`: 1001 states, twice.

What to do
    Compile with `mode=FAST_RUN` (the default), or with `mode.including("scan_save_mem")`.

Limits
    The figures after keep the copies that only FAST_COMPILE makes, of what is left. Where Python takes the last entry of what a function
    returns the graph does not show it: return `hs[-1]` instead of `hs`.
    Source: Theano 1.0.5, scan_module/scan_opt.py (`ScanSaveMem`), registered for `fast_run` alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Fix
from ...ir import Op
from ...ir.builder import GraphBuilder, on_device, tensor
from ...memory.profile import ProcessProfile
from ...plans.graphs.scans import KeptSteps, find_kept, last_only
from ...units import format_bytes
from ..base import Rule
from ..examples import built, device, subject
from ..subject import ScriptSubject
from ..worth import after_all, confidence, figures, saving, severity


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each output, where keeping less of all of them is worth it."""
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
    return Finding("TD321", severity(s), confidence(s, False), message, place, fix, figures(after, kept.function), saving(s, after))


def _loop(*, last: bool) -> ScriptSubject:
    """A thousand states of 200 KB in a loop; the last one, or their sum, is returned."""
    step = GraphBuilder("step")
    h = step.argument(None, on_device(100, 500))
    counts = {"n_seqs": 0, "n_mit_mot": 0, "n_mit_sot": 0, "n_sit_sot": 1, "n_nit_sot": 0, "n_shared_outs": 0, "n_mit_mot_outs": 0}
    info: dict[str, object] = {**counts, "mit_mot_in_slices": [], "mit_sot_in_slices": [], "sit_sot_in_slices": [[-1]]}
    inner = step.build(step.apply(Op("GpuElemwise", "tanh"), [h], on_device(100, 500)), info=info)
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
