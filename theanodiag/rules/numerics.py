"""TD4: memory that dtypes cost."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import replace

from ..findings import Change, Cost, DtypeChange, Finding, Fix, FlagChange, Results, Severity, identifier, remark
from ..ir import Constant, Op, Role, Variable
from ..ir.builder import GraphBuilder, on_device
from ..memory.profile import Origin, ProcessProfile
from ..memory.script import CompiledFunction, SharedVariable
from ..memory.simulate import simulate_figures
from ..plans.graphs.edit import origin_name
from ..plans.graphs.precision import Promotion, find_promotions, halve_floats, without
from ..plans.source_changes import value_of
from ..units import MIB, format_bytes
from .base import rule
from .examples import built, device, dot_script, subject
from .impact import confidence, deciding_peak, figures, instead, saved, saving
from .subject import ScriptSubject

FLOAT64_AT_PEAK_SHARE = 0.01
"""Smaller amounts of float64, as a share of the peak, are not reported, such as a single constant."""


@rule(
    "TD401",
    "float64-at-peak",
    fires=lambda: subject(dot_script(10, 100, "float64"), device(10_000_000)),
    silent=lambda: subject(dot_script(10, 100, "float32"), device(10_000_000)),
)
def float64_at_peak(s: ScriptSubject) -> Iterator[Finding]:
    """TD401: float64 on a GPU

    What it finds
        Finds float64 (or complex128) arrays that are live at the peak of a function on the GPU.

    Why it matters
        float64 takes twice the memory of float32, and consumer cards compute float64 at 1/24 to 1/64 of the speed of float32. float64 is
        rarely intended: numpy creates it by default, and float32 times int32 or int64 is float64.

    Example
        `theano.shared(numpy.zeros((1000, 1000)))` takes 8 MB as float64. With `.astype(theano.config.floatX)` and `floatX=float32` it takes
        4 MB.

    What to do
        Set `floatX=float32`, and create arrays with `dtype=theano.config.floatX`. The flag `warn_float64=raise` reports the line that
        creates the first float64 variable.

    Limits
        The figures after the change assume that every float64 becomes float32, and nothing else changes. If a graph also contains float32,
        ops that mix both types may change, so the figures are only bounds. The rule does not report float64 arrays that take less than a
        hundredth of the peak.
    """
    if s.device.is_host:
        return
    for function, profile in s.profiled():
        wide = [v for v in profile.at_peak if v.dtype in ("float64", "complex128")]
        size = sum(v.nbytes for v in wide)
        if not wide or size < FLOAT64_AT_PEAK_SHARE * profile.figures.live_peak_bytes:
            continue
        kinds = " and ".join(sorted({v.dtype or "" for v in wide}, reverse=True))
        halved = halve_floats(s.script, s.settings)
        after = replace(halved.functions[function.index].figures, reserved_bytes=halved.reserved_peak_bytes)
        peak = profile.figures.live_peak_bytes
        if after.live_peak_bytes >= peak:  # an upper bound, beside figures that the compiler gave
            return
        most = "at most " if halved.functions[function.index].origin is Origin.BOUNDED else ""
        message = (
            f"{function.name}: {format_bytes(size)} of {kinds} are live at the peak (the largest: {wide[0].variable}); "
            f"with float32 the live peak is {most}{format_bytes(after.live_peak_bytes)} instead of {format_bytes(peak)}"
        )
        if (after.reserved_bytes, s.process.reserved_peak_bytes) != (after.live_peak_bytes, peak):
            reserved, now = after.reserved_bytes, s.process.reserved_peak_bytes
            message += f", reserved {f'{format_bytes(now)} as before' if reserved == now else most + instead(reserved, now)}"
        fix = Fix("compute in float32", code="\n".join(code(s)), changes=tuple(to_float32(s)))
        place = s.place(wide[0].site or function.site, wide[0].variable)
        sure = confidence(s, not any(map(_mixes, s.script.functions)))
        yield Finding("TD401", Severity.WARNING, sure, message, place, fix, after, saving(s, halved), cost=Cost(Results.LESS_PRECISE))
        return


def code(s: ScriptSubject) -> Iterator[str]:
    """Returns lines to paste: the flag, if it is not set; then the shared variables and arguments that are float64 regardless of
    the flag.
    """
    if s.script.flags.get("floatX") != "float32":
        yield s.flags_variable.line("floatX=float32")
    yield from _shared_lines(s)
    declared: dict[str, dict[str, str]] = {}
    for function in s.script.functions:
        for v in _wide_arguments(s, function):
            name, letter, dtype = identifier(v.name, "x"), *SINGLE[v.type.dtype or ""]
            kind = f"{letter}{KINDS.get(v.type.ndim, f'tensor{v.type.ndim}')}"
            declared.setdefault(f'{name} = {s.library}.tensor.{kind}("{name}")', {})[remark(function.name)] = dtype
    for line, functions in declared.items():
        yield f'{line}  # and call {" and ".join(functions)} with .astype("{next(iter(functions.values()))}")'


def _shared_lines(s: ScriptSubject) -> Iterator[str]:
    """Yields the line that creates the first wide shared variable in half its precision, with the names of the others, if the script shows
    its value; then a comment for each line that creates others.
    """
    shown: dict[str, str] = {}
    hidden: dict[str, dict[str, None]] = {}
    for v in s.script.shared.values():
        if v.type.dtype not in SINGLE or not v.type.ndim or _follows_flag(s, v):
            continue
        name, line = v.expression or v.name or "", (v.site and v.site.code) or ""
        value = _shared_value(s.source, name) or _shared_value(line, name)
        if value is not None:
            shown.setdefault(name, f'{name} = {s.library}.shared(numpy.asarray({value}, dtype="{SINGLE[v.type.dtype][1]}"))')
        else:
            place = f" ({os.path.basename(v.site.path)}:{v.site.line})" if v.site else ""
            hidden.setdefault(place, {})[remark(v.expression or v.label)] = None
    if shown:
        first, *others = shown
        yield shown[first] + (f"  # and likewise {', '.join(others[:OTHERS])}" if others else "")
    for place, names in hidden.items():
        more = f" and {len(names) - OTHERS} more" if len(names) > OTHERS else ""
        yield f"# {', '.join(list(names)[:OTHERS])}{more}{place}: create as float32 too, unless its dtype is floatX"


def _shared_value(source: str, name: str) -> str | None:
    """The expression of the value from which a script creates a shared variable of this name; None if its text does not show it."""
    call = ast.parse(value_of(source, name) or "None", mode="eval").body
    created = isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] == "shared"
    return ast.unparse(call.args[0]) if isinstance(call, ast.Call) and created and call.args else None


OTHERS = 5
"""Maximum number of shared variables named beside the first."""
SINGLE = {"float64": ("f", "float32"), "complex128": ("c", "complex64")}
"""Dtype -> first letter of the constructors of variables with half of its precision, and their dtype."""
KINDS = {1: "vector", 2: "matrix"}
"""Number of dimensions -> the constructor of a variable, after the letter; `tensor3` and so on from 3."""
EXPLICIT = re.compile(r"\b[dz](?:vector|matrix|matrice|row|col|tensor)s?\d?s?\b|float64|complex128|double")
"""In code that declares a variable of float64 whatever floatX is."""


def _wide_arguments(s: ScriptSubject, function: CompiledFunction) -> Iterator[Variable]:
    """Yields the arguments of a function, except numbers, that stay float64 with `floatX=float32`."""
    for entry in function.graph.inputs:
        v = function.graph.variables[entry.variable]
        explicit = s.script.flags.get("floatX") == "float32" or EXPLICIT.search((v.site and v.site.code) or "")
        if explicit and entry.role is Role.ARGUMENT and v.type.ndim and v.type.dtype in ("float64", "complex128"):
            yield v


FOLLOWS_FLAG = re.compile(r"floatX|get_value\([^()]*\)(?!\s*\.\s*(?:shape|size|ndim)\b)")
"""In code whose result is float32 if floatX is: the flag itself, or another variable's value, but not its shape alone."""


def _follows_flag(s: ScriptSubject, variable: SharedVariable) -> bool:
    """Whether a shared variable becomes float32 with `floatX=float32` alone, as the line that creates it shows:
    it says floatX, or takes the value of another one."""
    code = (variable.site and variable.site.code) or ""
    return s.script.flags.get("floatX") != "float32" and bool(FOLLOWS_FLAG.search(code))


def to_float32(s: ScriptSubject) -> Iterator[Change]:
    """Returns the change from float64 to float32, as changes of flags and of the script. Empty if an imported module creates float64
    arrays, or arguments are declared as float64.
    """
    sites = [v.site for v in s.script.shared.values() if v.type.dtype == "float64" and v.type.ndim and not _follows_flag(s, v)]
    if any(site is None or os.path.abspath(site.path) != os.path.abspath(s.model) for site in sites):
        return
    if any(True for f in s.script.functions for _ in _wide_arguments(s, f)):
        return
    if s.script.flags.get("floatX") != "float32":
        yield FlagChange("floatX", "float32")
    if sites:
        yield DtypeChange("float32", tuple(sorted({site.line for site in sites if site is not None})))


def _mixes(f: CompiledFunction) -> bool:
    """Whether a function also has float32 arrays."""
    return any(v.type.dtype == "float32" and v.type.ndim for v in f.graph.variables)


PROMOTED_TO_FLOAT64_SHARE = 0.05
"""Smaller savings, as a share of the peak, are not reported."""


@rule(
    "TD402",
    "promoted-to-float64",
    fires=lambda: _masked("int32"),
    silent=lambda: _masked("int16"),
)
def promoted_to_float64(s: ScriptSubject) -> Iterator[Finding]:
    """TD402: integers with float32 make float64

    What it finds
        Finds an elementwise op whose result is float64 although none of its input arrays is, if `floatX` is float32. The cause is an input
        of int32, uint32, int64 or uint64, or a float64 constant. The finding also gives the peak with float32 in place of float64.

    Why it matters
        float32 cannot represent all 32-bit integers exactly, so numpy's rules, which Theano follows, make the result float64. Everything
        computed from the result is float64 too. float64 takes twice the memory and is much slower on a GPU. Some ops have no GPU version
        for mixed types: a dot of float64 with float32 runs on the host.

    Example
        With `mask = T.imatrix()`, `x * mask` is float64. `x * T.neq(y, 0)` is float32, since a comparison gives bool.

    What to do
        Cast the integers where they enter the graph, `T.cast(mask, theano.config.floatX)`, or declare them int8 or int16. Write constants
        as `numpy.float32(0.1)`. The flag `warn_float64=raise` reports the line while the graph is built.

    Limits
        The rule checks the optimised graph, where a fused op has the source line of its result. The rule reports no array of fewer than
        1024 elements. The figures after the change assume that all values that are float64 only because of these ops become float32.
        Source: Theano 1.0.5, scalar/basic.py, `upcast`.
    """
    if s.script.flags.get("floatX") != "float32":
        return
    promotions = sorted(_all(s), key=lambda p: -p.elements)
    after = simulate_figures(without(s.script, promotions), s.settings) if promotions else s.process
    if saved(s, after) <= max(MIB, PROMOTED_TO_FLOAT64_SHARE * deciding_peak(s, s.process)) and not _halves_a_function(s, after):
        return
    for promotion in promotions:
        yield _finding(s, promotion, after, len(promotions))


def _all(s: ScriptSubject) -> Iterator[Promotion]:
    for function, profile in s.profiled():
        yield from find_promotions(function, s.shapes_at_peak(function, profile))


def _halves_a_function(s: ScriptSubject, after: ProcessProfile) -> bool:
    """Whether the peak of any function falls by at least a quarter and 1 MiB."""
    pairs = [(p.figures.live_peak_bytes, after.functions[i].figures.live_peak_bytes) for i, p in s.process.functions.items()]
    return any(4 * then <= 3 * now and now - then >= MIB for now, then in pairs)


def _finding(s: ScriptSubject, p: Promotion, after: ProcessProfile, of: int) -> Finding:
    function = s.script.functions[p.function]
    result, cause = function.graph.variables[p.variable], function.graph.variables[p.cause]
    name = "a constant" if isinstance(cause, Constant) else origin_name(function.graph, p.cause)
    now, then = (x.functions[p.function].figures.live_peak_bytes for x in (s.process, after))
    wide, half = format_bytes(8 * p.elements), format_bytes(4 * p.elements)
    message = f"{function.name}: {name} of {cause.type.dtype} makes {wide} of float64, {half} as float32"
    message += f"; the peak is then {format_bytes(then)} instead of {format_bytes(now)}"
    message += f" (all {of} such places changed)" if of > 1 else ""
    code = (
        "numpy.float32(...)"
        if isinstance(cause, Constant)
        else f"{s.library}.tensor.cast({identifier(name, '...')}, {s.library}.config.floatX)"
    )
    place = s.place(result.site or function.site, function.name)
    level = Severity.INFO if s.device.is_host and s.process.fits is not False else Severity.WARNING
    fix = Fix("keep it float32", code=code)
    done, cost = figures(after, p.function), Cost(Results.LESS_PRECISE)
    return Finding("TD402", level, confidence(s), message, place, fix, done, saving(s, after), cost=cost)


def _masked(dtype: str) -> ScriptSubject:
    """`x * mask`, with a mask of this dtype."""
    b = GraphBuilder("masked")
    x, mask = b.argument("x", on_device(2000, 1000)), b.argument("mask", on_device(2000, 1000, dtype=dtype))
    result = "float64" if dtype == "int32" else "float32"
    y = b.apply(Op("GpuElemwise", "mul"), [x, mask], on_device(2000, 1000, dtype=result))
    return subject(built(b, y, flags={"floatX": "float32"}), device(1_000_000_000))
