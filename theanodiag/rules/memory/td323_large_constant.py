"""TD323: a large constant is part of the graph

What it finds
    A constant of a MiB or more in a compiled function: an array that was used in an expression without being a shared variable, or the
    result of what was computed while the function was optimised (constant folding).

Why it matters
    A constant is copied to the device once for each function that has it, as soon as the function is compiled, and stays as long as the
    function does. Nobody can replace, shrink or release it; and its bytes are hashed while the function is compiled.

Example
    `theano.function([i], T.dot(data[i], W))` with a numpy array `data`: in `train`, `valid` and `test` it is there three times.

What to do
    Make it a shared variable once, `theano.shared(data, borrow=True)`, and use that in all functions; then it can also be cut into chunks.
    An array that was folded (`T.eye(n)`, `T.arange(n)`) is better computed from a shared or passed size, or passed as an argument.

Limits
    Values of large constants are not compared: those with the same dtype, shape, name and place are taken as equal. One that only one
    function has costs no less as a shared variable; that is said where it is a tenth of the peak.
    Source: Theano 1.0.5, gpuarray/type.py (`GpuArrayConstant`), gof/opt.py (`constant_folding`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...findings import Cost, Finding, Fix, Severity, identifier
from ...ir.builder import GraphBuilder, on_device
from ...memory.profile import ProcessProfile
from ...memory.script import Call, Compile
from ...memory.simulate import simulate
from ...plans.graphs.large_constants import LargeConstant, as_shared, find_constants
from ...units import format_bytes
from ..base import Rule
from ..examples import built, device, plain, subject
from ..impact import LEAST_BYTES, SHARE, confidence, deciding, figures, is_significant, saving, severity
from ..subject import ScriptSubject


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each large constant, with what one shared variable instead of its copies would save."""
    if not s.process.functions:
        return
    found = sorted(find_constants(s.script), key=lambda c: -c.nbytes * len(c.places))
    several = [c for c in found if len(c.places) > 1]
    after = simulate(as_shared(s.script, several), s.settings) if several else s.process
    worth = bool(several) and is_significant(s, after)
    for constant in found:
        heavy = constant.nbytes >= max(LEAST_BYTES, SHARE * deciding(s, s.process))
        if (worth and constant in several) or heavy:
            yield _finding(s, constant, after if worth and constant in several else None)


def _finding(s: ScriptSubject, c: LargeConstant, after: ProcessProfile | None) -> Finding:
    function = s.script.functions[c.places[0][0]]
    constant = function.graph.variables[c.places[0][1]]
    names = dict.fromkeys(s.script.functions[f].name for f, _ in c.places)
    shape = ", ".join(map(str, c.shape))
    message = f"{constant.name or 'a constant'} {c.dtype} ({shape}) of {format_bytes(c.nbytes)} is part of the graph of {', '.join(names)}"
    if after is not None:
        then, now = deciding(s, after), deciding(s, s.process)
        message += f", a copy in each; as one shared variable the script needs {format_bytes(then)} instead of {format_bytes(now)}"
    fix = Fix("make it a shared variable", code=f"{identifier(constant.name, 'data')} = {s.library}.shared(array, borrow=True)")
    place = s.place(constant.site or function.site, constant.name or function.name)
    level = severity(s) if after is not None else Severity.INFO
    first = None if after is None else next((f for f, _ in c.places if f in after.functions), None)
    done = figures(after, first) if after is not None and first is not None else None
    return Finding("TD323", level, confidence(s), message, place, fix, done, saving(s, after) if after else None, cost=Cost())


def _functions(columns: int) -> ScriptSubject:
    """Two functions that use the same array."""
    b = GraphBuilder("train")
    x, data = b.argument("x", on_device(10)), b.constant(on_device(1000, columns), name="data")
    script = built(b, b.apply(plain("GpuDot22"), [x, data], on_device(10)))
    (function,), call = script.functions, script.events[-1]
    assert isinstance(call, Call)
    second = replace(function, index=1, name="valid")
    script = replace(script, functions=(function, second), events=(*script.events, Compile(1), replace(call, function=1)))
    return subject(script, device(10_000_000_000))


RULE = Rule("TD323", "large-constant", check, __doc__, fires=lambda: _functions(10_000), silent=lambda: _functions(100))
