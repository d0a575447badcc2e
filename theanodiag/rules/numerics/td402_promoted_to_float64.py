"""TD402: integers with float32 make float64

What it finds
    Where `floatX` is float32: an elementwise op whose result is float64 although no array among its inputs is, since one of them is int32,
    uint32, int64 or uint64, or a float64 constant; and what the peak would be with float32.

Why it matters
    float32 holds no 32-bit integer exactly, so numpy's rules, which Theano follows, make float64 of the two. Everything computed from it
    is float64 too: twice the memory, a fraction of the speed on a GPU, and ops that then have no GPU version (a dot of float64 with float32
    runs on the host).

Example
    `x * T.neq(y, 0)` is float32, since a comparison gives bool; `x * mask` with `mask = T.imatrix()` is float64.

What to do
    Cast the integers where they enter: `T.cast(mask, theano.config.floatX)`, or declare them int8 or int16. Constants are written
    `numpy.float32(0.1)`. `warn_float64=raise` names the line while the graph is made.

Limits
    Looks at the optimised graph: an op that was fused with others has the place of its result. Silent below 1024 elements. The figures
    after assume that all that is float64 only because of these ops becomes float32. Source: Theano 1.0.5, scalar/basic.py, `upcast`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Cost, Finding, Fix, Results, Severity, identifier
from ...ir import Constant, Op
from ...ir.builder import GraphBuilder, on_device
from ...memory.profile import ProcessProfile
from ...memory.simulate import simulate
from ...plans.graphs.edit import origin_name
from ...plans.graphs.promotions import Promotion, find_promotions, without
from ...units import MIB, format_bytes
from ..base import Rule
from ..examples import built, device, subject
from ..impact import confidence, deciding, figures, saved, saving
from ..subject import ScriptSubject

SHARE = 0.05
"""Smaller savings, as a share of the peak, are not reported."""


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each promotion, largest first, where avoiding all of them lowers the peak."""
    if s.script.flags.get("floatX") != "float32":
        return
    found = sorted(_all(s), key=lambda p: -p.elements)
    after = simulate(without(s.script, found), s.settings) if found else s.process
    if saved(s, after) <= max(MIB, SHARE * deciding(s, s.process)) and not _halves_a_function(s, after):
        return
    for promotion in found:
        yield _finding(s, promotion, after, len(found))


def _all(s: ScriptSubject) -> Iterator[Promotion]:
    for function, profile in s.profiled():
        yield from find_promotions(function, s.shapes_at_peak(function, profile))


def _halves_a_function(s: ScriptSubject, after: ProcessProfile) -> bool:
    """Whether any function needs at least a quarter and a MiB less."""
    pairs = [(p.figures.live_peak_bytes, after.functions[i].figures.live_peak_bytes) for i, p in s.process.functions.items()]
    return any(4 * then <= 3 * now and now - then >= MIB for now, then in pairs)


def _finding(s: ScriptSubject, p: Promotion, after: ProcessProfile, of: int) -> Finding:
    function = s.script.functions[p.function]
    made, cause = function.graph.variables[p.variable], function.graph.variables[p.cause]
    name = "a constant" if isinstance(cause, Constant) else origin_name(function.graph, p.cause)
    now, then = (x.functions[p.function].figures.live_peak_bytes for x in (s.process, after))
    wide, half = format_bytes(8 * p.elements), format_bytes(4 * p.elements)
    message = f"{function.name}: {name} of {cause.type.dtype} makes {wide} of float64, {half} as float32"
    message += f"; the peak is then {format_bytes(then)} instead of {format_bytes(now)}"
    message += f" (all {of} such places changed)" if of > 1 else ""
    code = "numpy.float32(...)" if isinstance(cause, Constant) else f"T.cast({identifier(name, '...')}, theano.config.floatX)"
    place = s.place(made.site or function.site, function.name)
    level = Severity.INFO if s.device.is_host and s.process.fits is not False else Severity.WARNING
    fix = Fix("keep it float32", code=code)
    done, cost = figures(after, p.function), Cost(Results.LESS_PRECISE)
    return Finding("TD402", level, confidence(s), message, place, fix, done, saving(s, after), cost=cost)


def _masked(dtype: str) -> ScriptSubject:
    """`x * mask`, for a mask of that dtype."""
    b = GraphBuilder("masked")
    x, mask = b.argument("x", on_device(2000, 1000)), b.argument("mask", on_device(2000, 1000, dtype=dtype))
    result = "float64" if dtype == "int32" else "float32"
    y = b.apply(Op("GpuElemwise", "mul"), [x, mask], on_device(2000, 1000, dtype=result))
    return subject(built(b, y, flags={"floatX": "float32"}), device(1_000_000_000))


RULE = Rule(
    "TD402",
    "promoted-to-float64",
    check,
    __doc__,
    fires=lambda: _masked("int32"),
    silent=lambda: _masked("int16"),
)
