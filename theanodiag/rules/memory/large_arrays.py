"""TD3: individual arrays that are larger than necessary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...findings import Confidence, Cost, Finding, Fix, Results, Severity, identifier
from ...ir import Op, Variable
from ...ir.builder import GraphBuilder, on_device
from ...memory.profile import ProcessProfile
from ...memory.script import Call, Compile, Script
from ...memory.simulate import simulate_figures
from ...plans.cells import line_of
from ...plans.constant_code import lines_with_shared
from ...plans.contraction_code import expression, names_of, shows
from ...plans.graphs.contractions import reductions, squares, terms_of
from ...plans.graphs.edit import origin
from ...plans.graphs.large_arrays import (
    Blown,
    ByteData,
    LargeConstant,
    as_bytes,
    as_dot,
    as_shared,
    find_blown,
    find_byte_data,
    find_constants,
    in_blocks,
)
from ...units import format_bytes
from ..base import rule
from ..examples import built, data_script, device, plain, subject
from ..impact import LEAST_BYTES, SHARE, after_all, can_pay, change, confidence, deciding_peak, figures, is_significant, saving, severity
from ..subject import ScriptSubject

BLOCKS = """B = {rows}  # divides {total}, as the results of all blocks must have one shape
part = lambda i: expression({0}[i * B:(i + 1) * B])  # the same expression, of a block of rows{meant}
blocks, _ = {library}.map(part, {library}.tensor.arange({0}.shape[0] // B))  # blocks[i]: the result for block i"""


@rule(
    "TD320",
    "blown-broadcast",
    fires=lambda: _distances(),
    silent=lambda: _distances(kept=True),
)
def blown_broadcast(s: ScriptSubject) -> Iterator[Finding]:
    """TD320: a broadcast makes a large array only to reduce it

    What it finds
        Finds an elementwise op whose inputs are broadcast to an array at least eight times as large as each input, and an array that is
        repeated to such a size (`alloc`, `ones`), if the graph only sums or otherwise reduces that array. A typical case is an N x M x D
        array from inputs of N x 1 x D and 1 x M x D. Arrays with two axes are reported only if products of
        matrices or vectors can replace them.

    Why it matters
        Theano creates the whole array: it fuses some elementwise ops with reductions, but never a broadcast. With 10 000 rows, 1 000
        centres and 100 columns the array takes 4 GB of float32, for a result of 40 MB.

    Example
        `((x[:, None, :] - C[None, :, :]) ** 2).sum(axis=2)` computes the squared distances from all rows to all centres.

    What to do
        Replace a sum of products by `dot`, `tensordot` or `batched_dot`: `(x[:, None] * C).sum(2)` is `T.dot(x, C.T)`. Squared distances
        are `(x ** 2).sum(1)[:, None] + (C ** 2).sum(1)[None, :] - 2 * T.dot(x, C.T)`. The squares of a layer's Jacobian (a contractive
        penalty) are `T.dot((h * (1 - h)) ** 2, (W ** 2).sum(0))`. The finding writes the product in the names of the script. For other
        operations, loop over blocks of rows with `theano.map`; the finding suggests a block size that needs little additional memory.

    Limits
        The figure for blocks assumes that a Scan over the blocks keeps one block at a time, also in the gradient. The figure for a
        product includes its temporaries; if the function trains, the figure is approximate, because Theano takes the gradient of the
        product then. Products are found for sums and differences of products, if no term has three factors with different axes. PyTensor's
        numba mode fuses a broadcast with its sum into a single node, so the rule reports nothing there. The dot form of
        distances loses precision if the distances are small compared with the rows themselves. Source: Theano 1.0.5, tensor/elemwise.py
        (`Elemwise.perform`), gpuarray/elemwise.py (`GpuCAReduceCuda`, pre_scalar_op).
    """
    blown = (b for f, profile in s.profiled() for b in find_blown(f.graph, s.shapes_at_peak(f, profile), f.index))
    broadcasts = sorted(blown, key=lambda b: -b.row_bytes * b.shape[b.axis])
    rows = {b: _rows(s, b) for b in broadcasts}
    after = after_all(s, broadcasts, lambda script, b: as_dot(script, b) or in_blocks(script, b, rows[b]))
    if after is not None:
        forms = {b: _form(s, b) for b in broadcasts}
        named = [b for b in broadcasts if forms[b].known or not b.dot]  # the gradient of a product follows from the product
        shown = {forms[b].code or b.root: b for b in reversed(named or [b for b in broadcasts if forms[b].code] or broadcasts[:1])}
        yield from (_blown_broadcast_finding(s, b, rows[b], after, len(broadcasts), forms[b]) for b in reversed(list(shown.values())))


@dataclass(frozen=True)
class _Form:
    """The sum of a broadcast as products of matrices."""

    code: str | None = None
    known: bool = False
    """Returns whether all names in the code are those of the script."""
    operands: tuple[str, ...] = ()
    """What is broadcast."""


def _form(s: ScriptSubject, blown: Blown) -> _Form:
    function = s.script.functions[blown.function]
    graph, table = function.graph, s.shapes_at_peak(function, s.process.functions[blown.function])
    found = list(reductions(graph, table, blown.arrays))
    terms = terms_of(graph, table, blown.arrays, found[0]) if found and blown.dot else None
    if not terms:
        return _Form()
    kept, title = tuple(k for k in range(len(blown.shape)) if k not in found[0].summed), "the sum"
    site = graph.variables[blown.root].site
    shared = {i.variable: s.script.shared[i.shared] for i in graph.inputs if i.shared is not None}
    if s.source and not (site and shows(s.source, site, len(blown.shape))):  # where the gradient is taken
        axes = {a for g in terms[0].groups if not any(origin(graph, v) in shared for v, _ in g.powers) for a in g.axes}
        own = squares(terms, tuple(a for a in sorted(axes) if sum(a in g.axes for g in terms[0].groups) == 1)[:1])  # that of the rows
        if own is not None:
            kept, terms, title = tuple(a for a in range(len(blown.shape)) if a not in own.summed), (own,), "the sum of the squares"
    called = {v: variable.expression or variable.name or "" for v, variable in shared.items()}
    names = names_of(s.source, graph, blown.root, [v for t in terms for g in t.groups for v, _ in g.powers], called)
    text = expression(terms, names, kept, s.library, blown.shape)
    over = [str(a) for a in range(len(blown.shape)) if a not in kept]
    where = f"{title} over ax{'e' if over[1:] else 'i'}s {', '.join(over)} of what is broadcast"
    known = all(n.known for n in names.values())
    where += "".join(f"; {n.text}: an array of the script" for n in names.values() if not n.known)
    return _Form(text and f"{text}  # {where}", known, tuple(n.text for n in names.values() if n.axes) if known else ())


def _rows(s: ScriptSubject, blown: Blown) -> int:
    """Rows of a block: the largest divisor of all rows for which the block takes a tenth of the other memory, or up to 16 MiB if that is
    more, as far as there is room.
    """
    without: Script = in_blocks(s.script, blown, 1)
    rest = simulate_figures(without, s.settings).functions[blown.function].figures.live_peak_bytes
    whole, available = blown.row_bytes * blown.shape[blown.axis], s.device.available_bytes
    room = max(rest // 10, min(LEAST_BYTES, whole // 8))
    room = room if available is None else min(room, (available - rest) // 2)
    most = max(1, room // max(1, blown.row_bytes))
    total = blown.shape[blown.axis]
    return next((rows for rows in range(min(most, total), 0, -1) if total % rows == 0), 1)


def _blown_broadcast_finding(s: ScriptSubject, blown: Blown, rows: int, after: ProcessProfile, of: int, form: _Form) -> Finding:
    function = s.script.functions[blown.function]
    now, then = (p.functions[blown.function].figures.live_peak_bytes for p in (s.process, after))
    size = format_bytes(blown.row_bytes * blown.shape[blown.axis])
    sizes = " x ".join(map(str, blown.shape))
    names = tuple(dict.fromkeys(form.operands or blown.operands))
    message = f"{function.name}: {' and '.join(names)} {'are' if names[1:] else 'is'} broadcast to {sizes} ({size}) and then only reduced"
    cure = "as a product of matrices" if blown.dot else f"in blocks of {rows}"
    about = blown.dot and any(i.update is not None for i in function.graph.inputs)  # then its gradient is another too
    message += f"; {cure} the peak is {'about ' * about}{format_bytes(then)} instead of {format_bytes(now)}"
    message += f" (all {of} such broadcasts changed)" if of > 1 else ""
    total = blown.shape[blown.axis]
    operands = [identifier(name, "x" if k == 0 else "c") for k, name in enumerate(blown.operands)]
    meant = "" if blown.operands[0] == operands[0] else f"; {operands[0]}: the array of {total} rows"
    fix = Fix(cure, code=form.code or BLOCKS.format(*operands, rows=rows, total=total, library=s.library, meant=meant))
    node = function.graph.variables[blown.root]
    site = next((v.site for v in (node, *_next(s, blown)) if v.site), function.site)
    place = s.place(site, function.name)
    done = figures(after, blown.function)
    cost = Cost(Results.ROUNDED, work="" if blown.dot else "a loop over blocks")
    sure = min(confidence(s, False), Confidence.GUESSED if about else Confidence.BOUNDED)
    return Finding("TD320", severity(s), sure, message, place, fix, done, saving(s, after), cost=cost)


def _next(s: ScriptSubject, blown: Blown) -> list[Variable]:
    graph = s.script.functions[blown.function].graph
    return [graph.variables[o] for client, _ in graph.clients[blown.root] for o in graph.applies[client].outputs]


def _distances(*, kept: bool = False) -> ScriptSubject:
    """Squared distances from all rows to 500 centres, of 100 columns each; `kept` where the array itself is returned."""
    b, rows = GraphBuilder("distances"), 10_000
    x, c = b.argument("x", on_device(rows, 100)), b.shared("C", on_device(500, 100))
    shuffle = {k: Op("GpuDimShuffle", "dimshuffle", params={"new_order": k}, view_map={0: (0,)}) for k in ((0, "x", 1), ("x", 0, 1))}
    left = b.apply(shuffle[0, "x", 1], [x], on_device(rows, 1, 100))
    right = b.apply(shuffle["x", 0, 1], [c], on_device(1, 500, 100))
    both = b.apply(Op("GpuElemwise", "sub", params={"scalar_text": "sub"}), [left, right], on_device(rows, 500, 100))
    reduce = {"scalar_op": "Add", "axis": [2], "pre_scalar_op": "sqr"}
    out = b.apply(Op("GpuCAReduceCuda", "sum", params=reduce), [both], on_device(rows, 500))
    return subject(built(b, out, *([both] if kept else [])), device(4_000_000_000))


@rule(
    "TD323",
    "large-constant",
    fires=lambda: _functions(10_000),
    silent=lambda: _functions(100),
)
def large_constant(s: ScriptSubject) -> Iterator[Finding]:
    """TD323: a large constant is part of the graph

    What it finds
        Finds a constant of at least 1 MiB in a compiled function. Such a constant is an array used in an expression without being a shared
        variable, or the result of constant folding.

    Why it matters
        A constant is copied to the device once for each function that contains it, when the function is compiled, and stays there as long
        as the function exists. You cannot replace, shrink or release a constant, and hashing its bytes slows the compilation.

    Example
        The array becomes a constant in `theano.function([i], T.dot(data[i], W))` if `data` is a numpy array. If `train`, `valid` and `test`
        all use the array, the device holds it three times.

    What to do
        Make the array a shared variable once, `theano.shared(data, borrow=True)`, and use this variable in all functions. You can also load
        a shared variable in chunks. If the constant is the result of constant folding (`T.eye(n)`, `T.arange(n)`), make `n` a shared
        variable or an argument, or pass the array itself as an argument.

    Limits
        theanodiag does not compare the values of large constants: it treats constants with the same dtype, shape, name and source line as
        equal. If only one function contains the constant, a shared variable would need the same memory; the rule reports such a constant
        only if it is at least a tenth of the peak. Source: Theano 1.0.5, gpuarray/type.py (`GpuArrayConstant`), gof/opt.py
        (`constant_folding`).
    """
    if not s.process.functions:
        return
    constants = sorted(find_constants(s.script), key=lambda c: -c.nbytes * len(c.places))
    several = [c for c in constants if len(c.places) > 1]
    after = simulate_figures(as_shared(s.script, several), s.settings) if several else s.process
    worth = bool(several) and is_significant(s, after)
    for constant in constants:
        heavy = constant.nbytes >= max(LEAST_BYTES, SHARE * deciding_peak(s, s.process))
        if (worth and constant in several) or heavy:
            yield _large_constant_finding(s, constant, after if worth and constant in several else None)


def _large_constant_finding(s: ScriptSubject, c: LargeConstant, after: ProcessProfile | None) -> Finding:
    function = s.script.functions[c.places[0][0]]
    constant = function.graph.variables[c.places[0][1]]
    names = dict.fromkeys(s.script.functions[f].name for f, _ in c.places)
    shape = ", ".join(map(str, c.shape))
    message = f"{constant.name or 'a constant'} {c.dtype} ({shape}) of {format_bytes(c.nbytes)} is part of the graph of {', '.join(names)}"
    if after is not None:
        then, now = deciding_peak(s, after), deciding_peak(s, s.process)
        message += f", a copy in each; as one shared variable the script needs {format_bytes(then)} instead of {format_bytes(now)}"
    line = line_of(s.source, constant.site) if constant.site else None
    shown = lines_with_shared(s.source, line, s.library) if line is not None else ()
    general = f"{identifier(constant.name, 'data')} = {s.library}.shared(array, borrow=True)"
    fix = Fix("make it a shared variable", code="\n".join(shown) or general)
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


@rule(
    "TD329",
    "bytes-as-floats",
    fires=lambda: _pictures(255),
    silent=lambda: _pictures(None),
)
def bytes_as_floats(s: ScriptSubject) -> Iterator[Finding]:
    """TD329: byte values are stored as floats

    What it finds
        Finds a data set in a float shared variable whose values are bytes: integers from 0 to 255, such as pixels, possibly divided by 255
        or 256. The finding gives the memory that the script needs if the data is stored as uint8 and only the rows that a call reads are
        converted to floats.

    Why it matters
        A float32 takes four bytes for a one-byte value. A data set of pictures is four times as large as necessary, on the device and in
        each copy to the device.

    Example
        The finding says `data_x holds bytes as float32; as uint8, with a cast of the rows that are read: at most 89.7 MiB instead of 209.4
        MiB`.

    What to do
        Keep the array as uint8, and cast the rows in the graph, before the division.

    Limits
        In large arrays theanodiag checks 65536 evenly spaced elements. The rule reports nothing if a function reads all rows at once,
        because it would convert all of them to floats. The figure is an upper bound: it includes the result of the cast, although Theano
        does not create that array if an elementwise op follows.
    """
    data_sets = list(find_byte_data(s.script)) if can_pay(s) else []
    after = after_all(s, data_sets, as_bytes)
    if after is not None:
        yield _bytes_as_floats_finding(s, data_sets, after)


def _bytes_as_floats_finding(s: ScriptSubject, data_sets: list[ByteData], after: ProcessProfile) -> Finding:
    names = " and ".join(s.script.shared[d.shared].label for d in data_sets)
    first = s.script.shared[data_sets[0].shared]
    message = f"{names} holds bytes as {first.type.dtype}; as uint8, with a cast of the rows that are read: at most {change(s, after)}"
    fix = Fix(
        "store bytes, and cast the rows that are read", code="\n".join(line for d in data_sets for line in _bytes_as_floats_code(s, d))
    )
    same = all(d.levels == 1 for d in data_sets)
    cost = Cost(Results.SAME if same else Results.ROUNDED, work="a cast of each batch")
    sure = min(confidence(s, False), Confidence.BOUNDED)
    return Finding("TD329", severity(s), sure, message, s.place(first.site, first.name), fix, figures(after), saving(s, after), cost=cost)


def _bytes_as_floats_code(s: ScriptSubject, d: ByteData) -> Iterator[str]:
    """Lines to paste, with the name of the variable."""
    variable = s.script.shared[d.shared]
    name, dtype = identifier(variable.expression or variable.name, "data"), variable.type.dtype
    times, divided = ("", "") if d.levels == 1 else (f" * {d.levels}", f" / numpy.{dtype}({d.levels})")
    rounded = f"(host_{name}{times}).round()" if times else f"host_{name}"
    yield f'{name} = {s.library}.shared({rounded}.astype("uint8"), name="{name}", borrow=True)  # host_{name}: all of it'
    yield f'{s.library}.tensor.cast({name}[rows], "{dtype}"){divided}  # where {name}[rows] was read'


def _pictures(levels: int | None) -> ScriptSubject:
    """A function that reads slices of 500 000 rows, whose values are bytes or not."""
    script = data_script(500_000, 500)
    shared = {k: replace(v, levels=levels if v.name == "data" else None) for k, v in script.shared.items()}
    return subject(replace(script, shared=shared), device(80_000_000))
