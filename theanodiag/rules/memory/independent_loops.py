"""TD3: loops (Scan) whose steps do not depend on each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...findings import Confidence, Cost, Finding, Fix, Results
from ...ir import Op
from ...ir.builder import GraphBuilder, on_device, tensor
from ...ir.scan import scan_counts
from ...memory.profile import ProcessProfile
from ...memory.script import Script
from ...memory.settings import AllocatorKind
from ...memory.simulate import simulate_figures
from ...plans.at_once_code import lines_at_once
from ...plans.graphs.edit import origin_name
from ...plans.graphs.independent_steps import AtOnce, all_steps_at_once
from ...plans.graphs.large_arrays import as_dot, find_blown
from ..base import rule
from ..examples import built, device, subject
from ..impact import can_pay, change, confidence, deciding_peak, figures, is_significant, saving, severity
from ..subject import ScriptSubject

BY_HAND = """# by hand: what step computes of one entry, of all entries: {names} in place of its entries, with the steps as first axis
#   dot(x_t, W) becomes dot(x, W); axis=k becomes axis=k + 1; softmax(m_t): of m.reshape((-1, m.shape[2])), and back"""
AFTER = """# by hand: return from step only what the next step reads, and compute the other results after the loop, of all of its states
#   softmax(dot(h_t, V)): of hs.reshape((-1, hs.shape[2])), where hs are the states of all steps"""
VECTORIZED = """entry = {name}[0].type()
{name}_all = pytensor.graph.replace.vectorize_graph(step(entry), {{entry: {name}}})  # step: what the loop computes of an entry"""
DOT = "# and {0} as a product of matrices (theanodiag explain TD320): squared distances of rows x and c are\n"
DISTANCES = "#   (x ** 2).sum(1)[:, None] + (c ** 2).sum(1) - 2 * {library}.tensor.dot(x, c.T)"


@rule(
    "TD336",
    "independent-steps",
    fires=lambda: _mapped(distances=True),
    silent=lambda: _mapped(distances=False),
)
def independent_steps(s: ScriptSubject) -> Iterator[Finding]:
    """TD336: a loop computes its steps one by one, although they do not depend on each other

    What it finds
        Finds a Scan whose steps read nothing from earlier steps: `theano.map`, or a scan without `outputs_info`. Also finds a Scan that
        returns, beside its states, results that no later step reads, such as a softmax of each state. The finding gives the memory that
        the script needs if all steps are computed at once.

    Why it matters
        A Scan stores copies of its results, and its gradient is another Scan, which reads the sequences in reversed order, computes the
        steps again, and keeps the gradient of each step. Theano cannot compute in place across the border of a Scan, and does not turn what
        is inside it into products of matrices.

    Example
        `h, _ = theano.map(lambda r: T.tanh(T.dot(r, W) + b), sequences=[x])` and its gradient need 41.5 MiB for 200 steps; `h =
        T.tanh(T.dot(x, W) + b)` needs 22.8 MiB.

    What to do
        Write what a step computes for all entries: the sequence has one more axis, in front. Elementwise functions and `dot(x, W)` stay as
        they are, and axes of sums move by one. Squared distances from each entry to all rows of an array become a product of matrices. If
        only some results are independent, compute these after the loop, from all of its states.

    Limits
        The simulation adds an axis to the nodes of the compiled step, and reads sequences in their order. For the six pairs of functions in
        `tests/plans/scripts/mapped.py` the figure was that of the rewritten function, within 512 bytes; for a gradient of distances it was
        14 MiB too high, because Theano simplifies that further. The rule reports nothing if a step contains convolutions, random numbers,
        assignments to parts of arrays, or a condition that ends the loop, and nothing for loops that XLA compiles. A loop that keeps only a
        small result of each step needs less memory than all steps at once; the rule reports nothing then. Source: Theano 1.0.5,
        scan_module/scan_op.py (`Scan.L_op`).
    """
    if not can_pay(s) or s.settings.allocator is AllocatorKind.XLA:
        return
    script, found = s.script, list[AtOnce]()
    for function, profile in s.profiled():
        script, own = all_steps_at_once(script, function.index, profile.call)
        found += own
    if not any(one.forward for one in found):
        return
    after = simulate_figures(script, s.settings)
    with_products = _as_products(script, found)
    product = simulate_figures(with_products, s.settings) if with_products is not None else after
    better = deciding_peak(s, product) < deciding_peak(s, after)
    best = product if better else after
    if is_significant(s, best):
        yield _independent_steps_finding(s, found, best, better)


def _as_products(script: Script, found: Sequence[AtOnce]) -> Script | None:
    """The script with products in place of the sums of broadcasts that computing all steps at once makes; None if there are none."""
    changed: Script | None = None
    for number in dict.fromkeys(one.function for one in found):
        function = (changed or script).functions[number]
        calls = list(script.calls(number))
        for blown in list(find_blown(function.graph, calls[0].shapes, number)) if calls else []:
            changed = as_dot(changed or script, blown) or changed
    return changed


def _independent_steps_finding(s: ScriptSubject, found: Sequence[AtOnce], after: ProcessProfile, product: bool) -> Finding:
    loops = [one for one in found if one.forward]
    largest = max(loops, key=lambda one: one.steps)
    function = s.script.functions[largest.function]
    graph = function.graph
    names = [origin_name(graph, v) for v in largest.sequences]
    shown = ", ".join(n for n in names if n != "...") or "the sequences"
    site = graph.variables[largest.output].site or function.site
    if largest.whole:
        message = f"{function.name}: the {largest.steps} steps of a Scan do not depend on each other"
    else:
        shape = ", ".join(map(str, largest.shape))
        message = f"{function.name}: no later step reads a result ({shape}) of the {largest.steps} steps of a Scan"
    more = f" (and {len(loops) - 1} more)" if loops[1:] else ""
    how = " as products of matrices" if product else ""
    message += f"{more}; computed for all steps at once{how} about {change(s, after)}"
    ranks = [graph.variables[v].type.ndim - 1 for v in largest.sequences]
    others = {v.name: v.type.ndim for v in graph.variables if v.name and v.id not in largest.sequences}
    lines = lines_at_once(s.source, site, ranks, others) if largest.whole and not product else ()
    code = "\n".join(lines) or (BY_HAND.format(names=shown) if largest.whole else AFTER)
    if not lines and s.library == "pytensor" and largest.whole:
        code = VECTORIZED.format(name=shown if shown.isidentifier() else "x")
    code += f"\n{DOT.format('the sum over the broadcast')}{DISTANCES.format(library=s.library)}" if product else ""
    fix = Fix("compute all steps at once", code=code)
    sure = min(confidence(s, False), Confidence.BOUNDED)
    place, done = s.place(site, function.name), figures(after, function.index)
    return Finding("TD336", severity(s), sure, message, place, fix, done, saving(s, after), cost=Cost(Results.ROUNDED))


def _mapped(*, distances: bool) -> ScriptSubject:
    """A loop over ten thousand rows, which sums squared differences from 500 centres, made for all rows before; or applies tanh."""
    rows, every = on_device(10_000, 100), on_device(10_000, 500, 100)
    one, entry = (on_device(500), on_device(500, 100)) if distances else (on_device(100), on_device(100))
    f = GraphBuilder("step")
    total = Op("GpuCAReduceCuda", "sum", params={"scalar_op": "Add", "axis": [1], "pre_scalar_op": "sqr"})
    op = total if distances else Op("GpuElemwise", "tanh", params={"scalar_op": "Tanh"})
    step = f.build(f.apply(op, [f.argument(None, entry)], one), info=scan_counts(n_seqs=1, n_nit_sot=1))
    b = GraphBuilder("predict")
    n, x, c = b.constant(tensor(dtype="int64"), 10_000), b.argument("x", rows), b.shared("C", on_device(500, 100))
    shuffle = {k: Op("GpuDimShuffle", "dimshuffle", params={"new_order": k}, view_map={0: (0,)}) for k in ((0, "x", 1), ("x", 0, 1))}
    left = b.apply(shuffle[0, "x", 1], [x], on_device(10_000, 1, 100))
    right = b.apply(shuffle["x", 0, 1], [c], on_device(1, 500, 100))
    both = b.apply(Op("GpuElemwise", "sub", params={"scalar_text": "sub"}), [left, right], every) if distances else x
    out = b.apply(Op("Scan", "scan_fn", inner=step), [n, both, n], on_device(10_000, 500) if distances else rows)
    return subject(built(b, out), device(4_000_000_000))
