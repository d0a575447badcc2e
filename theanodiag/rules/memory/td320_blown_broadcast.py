"""TD320: a broadcast makes a large array only to reduce it

What it finds
    An elementwise op whose inputs are broadcast against each other to an array at least eight times as large as each, which is then summed
    (or reduced otherwise) and used for nothing else: N x M x D made of N x 1 x D and 1 x M x D.

Why it matters
    Theano makes the whole array: elementwise ops and reductions are fused in part, the broadcast never is. With 10 000 rows, 1 000 centres
    and 100 columns it is 4 GB of float32 for a result of 40 MB.

Example
    `((x[:, None, :] - C[None, :, :]) ** 2).sum(axis=2)` (the distances from all rows to all centres).

What to do
    A sum of products is a dot: `T.dot(x, C.T)`; squared distances are
    `(x ** 2).sum(1)[:, None] + (C ** 2).sum(1)[None, :] - 2 * T.dot(x, C.T)`. For anything else loop over blocks of rows with `theano.map`;
    the finding names a block size with which a block takes little beside the rest.

Limits
    Figures for blocks assume that a Scan over them keeps one block at a time, also in the gradient; those for a dot count what it needs
    beside its result. PyTensor's numba mode fuses a broadcast with its sum: there the graph shows one node, and nothing is found. The dot
    form of distances loses digits where distances are small beside the rows themselves.
    Source: Theano 1.0.5, tensor/elemwise.py (`Elemwise.perform`), gpuarray/elemwise.py (`GpuCAReduceCuda`, pre_scalar_op).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Cost, Finding, Fix, Results, identifier
from ...ir import Op, Variable
from ...ir.builder import GraphBuilder, on_device
from ...memory.profile import ProcessProfile
from ...memory.script import Script
from ...memory.simulate import simulate
from ...plans.graphs.broadcast import Blown, as_dot, find_blown, in_blocks
from ...units import format_bytes
from ..base import Rule
from ..examples import built, device, subject
from ..impact import LEAST_BYTES, after_all, confidence, figures, saving, severity
from ..subject import ScriptSubject

PRODUCT = "T.dot({0}, {1}.T)"
DISTANCE = "({0} ** 2).sum(1)[:, None] + ({1} ** 2).sum(1)[None, :] - 2 * T.dot({0}, {1}.T)"
BLOCKS = """B = {rows}  # of {total}
part = lambda i: f({0}[i * B:(i + 1) * B])  # f: the same expression for a block of rows
blocks, _ = theano.map(part, T.arange(({0}.shape[0] + B - 1) // B))"""


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each broadcast, largest first, where avoiding all of them saves enough."""
    blown = (b for f, profile in s.profiled() for b in find_blown(f.graph, s.shapes_at_peak(f, profile), f.index))
    found = sorted(blown, key=lambda b: -b.row_bytes * b.shape[b.axis])
    rows = {b: _rows(s, b) for b in found}
    after = after_all(s, found, lambda script, b: as_dot(script, b) or in_blocks(script, b, rows[b]))
    if after is not None:
        yield from (_finding(s, b, rows[b], after, len(found)) for b in found)


def _rows(s: ScriptSubject, blown: Blown) -> int:
    """Rows of a block: a power of two with which it takes a tenth of the other memory or 16 MiB, if there is room for that."""
    without: Script = in_blocks(s.script, blown, 1)
    rest = simulate(without, s.settings).functions[blown.function].figures.live_peak_bytes
    whole, available = blown.row_bytes * blown.shape[blown.axis], s.device.available_bytes
    room = max(rest // 10, min(LEAST_BYTES, whole // 8))
    room = room if available is None else min(room, (available - rest) // 2)
    most = max(1, room // max(1, blown.row_bytes))
    return min(1 << (most.bit_length() - 1), blown.shape[blown.axis])


def _finding(s: ScriptSubject, blown: Blown, rows: int, after: ProcessProfile, of: int) -> Finding:
    function = s.script.functions[blown.function]
    now, then = (p.functions[blown.function].figures.live_peak_bytes for p in (s.process, after))
    size = format_bytes(blown.row_bytes * blown.shape[blown.axis])
    sizes = " x ".join(map(str, blown.shape))
    message = f"{function.name}: {' and '.join(blown.operands)} are broadcast to {sizes} ({size}), only to be reduced"
    cure = "as a dot" if blown.dot else f"in blocks of {rows}"
    message += f"; {cure} the peak is {format_bytes(then)} instead of {format_bytes(now)}"
    message += f" (all {of} such broadcasts changed)" if of > 1 else ""
    template = {"product": PRODUCT, "distance": DISTANCE, None: BLOCKS}[blown.dot]
    fix = Fix(cure, code=template.format(*(identifier(name, "...") for name in blown.operands), rows=rows, total=blown.shape[blown.axis]))
    node = function.graph.variables[blown.root]
    site = next((v.site for v in (node, *_next(s, blown)) if v.site), function.site)
    place = s.place(site, function.name)
    done = figures(after, blown.function)
    cost = Cost(Results.ROUNDED, work="" if blown.dot else "a loop over blocks")
    return Finding("TD320", severity(s), confidence(s, False), message, place, fix, done, saving(s, after), cost=cost)


def _next(s: ScriptSubject, blown: Blown) -> list[Variable]:
    graph = s.script.functions[blown.function].graph
    return [graph.variables[o] for client, _ in graph.clients[blown.root] for o in graph.applies[client].outputs]


def _distances(rows: int, *, kept: bool = False) -> ScriptSubject:
    """Squared distances from all rows to 500 centres, of 100 columns each; `kept` where the array itself is returned."""
    b = GraphBuilder("distances")
    x, c = b.argument("x", on_device(rows, 100)), b.shared("C", on_device(500, 100))
    shuffle = {k: Op("GpuDimShuffle", "dimshuffle", params={"new_order": k}, view_map={0: (0,)}) for k in ((0, "x", 1), ("x", 0, 1))}
    left = b.apply(shuffle[0, "x", 1], [x], on_device(rows, 1, 100))
    right = b.apply(shuffle["x", 0, 1], [c], on_device(1, 500, 100))
    both = b.apply(Op("GpuElemwise", "sub", params={"scalar_text": "sub"}), [left, right], on_device(rows, 500, 100))
    reduce = {"scalar_op": "Add", "axis": [2], "pre_scalar_op": "sqr"}
    out = b.apply(Op("GpuCAReduceCuda", "sum", params=reduce), [both], on_device(rows, 500))
    return subject(built(b, out, *([both] if kept else [])), device(4_000_000_000))


RULE = Rule(
    "TD320",
    "blown-broadcast",
    check,
    __doc__,
    fires=lambda: _distances(10_000),
    silent=lambda: _distances(10_000, kept=True),
)
