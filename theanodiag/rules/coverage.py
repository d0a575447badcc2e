"""TD0: what a prediction leaves open: unknown sizes, calls that cannot work, Ops that the engine does not implement."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from ..findings import Confidence, Finding, Fix, Severity
from ..ir import Apply, FunctionGraph, Op, Role, ShapeTable, Unknown
from ..ir.builder import GraphBuilder, on_device
from ..memory.script import Call, CompiledFunction, Uncovered
from ..shapes.consistency import contradictions
from .base import rule
from .examples import built, device, dot_script, subject
from .subject import ScriptSubject


@rule(
    "TD001",
    "unknown-size",
    fires=lambda: subject(dot_script(Unknown("the length depends on data"), 10)),
    silent=lambda: subject(dot_script(5, 10)),
)
def unknown_size(s: ScriptSubject) -> Iterator[Finding]:
    """TD001: a size is not known, so the figures are lower bounds

    What it finds
        Finds arrays whose size theanodiag cannot determine, and functions that the script compiled but never called.

    Why it matters
        theanodiag never counts an unknown size silently as zero. If a size is unknown, the function's figures are lower bounds. A function
        whose input shapes are all unknown has no figures at all.

    Example
        The length of `T.arange(n)` is unknown if the graph computes n from the values of an array.

    What to do
        If a function was not called, give the shapes of its inputs (`--shape NAME:x=128,784`), or let the script call it once. If a size
        depends on data, add what you know about that array to the figures.

    Limits
        The finding names what is unknown, not how large it may become. If theanodiag knows the largest possible size, as for `x[(x >
        0).nonzero()]`, it counts that size, and this rule reports nothing.
    """
    for function, profile in s.profiled():
        if profile.unknown:
            first, more = profile.unknown[0], len(profile.unknown) - 1
            what = f"{first.variable} ({first.reason})" + (f" and {more} more" if more else "")
            message = f"{function.name}: the size of {what} is unknown, so its figures are lower bounds"
            yield Finding("TD001", Severity.INFO, Confidence.DERIVED, message, s.place(function.site, function.name))
    for function in s.script.functions:
        if function.index not in s.process.functions:
            arguments = [i.variable for i in function.graph.inputs if i.role is Role.ARGUMENT]
            names = [function.graph.variables[i].name or f"input{i}" for i in arguments]
            shapes = " ".join(f"--shape {function.name}:{n}=..." for n in names)
            message = f"{function.name} was compiled but never called, so the shapes of {', '.join(names) or 'its inputs'} are unknown"
            yield Finding(
                "TD001",
                Severity.INFO,
                Confidence.DERIVED,
                message,
                s.place(function.site, function.name),
                Fix("give the shapes", code=shapes),
            )


def _misfit() -> ScriptSubject:
    """A product of x, which has 11 columns, with W, which has 10 rows."""
    script = dot_script(4, 10)
    calls = ((e, replace(e.shapes, shapes={**e.shapes.shapes, 0: (4, 11), 2: (4, 11)})) for e in script.events if isinstance(e, Call))
    events = [e for e in script.events if not isinstance(e, Call)]
    return subject(replace(script, events=(*events, *(replace(e, shapes=table) for e, table in calls))))


@rule(
    "TD003",
    "impossible-call",
    fires=_misfit,
    silent=lambda: subject(dot_script(4, 10)),
)
def impossible_call(s: ScriptSubject) -> Iterator[Finding]:
    """TD003: a call fails, because the shapes of its arguments are incompatible

    What it finds
        Finds a call that cannot work because a product, an elementwise operation or a reshape in its graph receives incompatible shapes.

    Why it matters
        The real job raises a ValueError at this call. `theanodiag check` computes nothing, so the script continues after the call. The
        figures of this call and of later ones therefore describe a job that would already have failed.

    Example
        `predict(x)` fails if x has the shape (4, 11) and the shared W has (10, 3): the finding says `Dot22 of (4, 11) and (10, 3)`.

    What to do
        Give the arguments the shapes that the graph requires; the finding names the op and its inputs. Without `--calls real` the results
        of functions are zeros: if the script computes an argument from earlier results, check the script with `--calls real`.

    Limits
        The rule checks products, elementwise operations and reshapes, also in the steps of a Scan and in other inner graphs. In an IfElse
        it checks the branches that are taken or may be taken. If only an upper bound of a length is known, that length is never reported as
        incompatible.
    """
    seen: set[tuple[int, int]] = set()
    reported: set[tuple[int, object]] = set()
    for call in s.script.events:
        if not isinstance(call, Call) or call.assumed or (call.function, id(call.shapes)) in seen:
            continue
        seen.add((call.function, id(call.shapes)))
        function = s.script.functions[call.function]
        reason = next(contradictions(function.graph, call.shapes), None)
        if reason is None or (call.function, call.site) in reported:
            continue
        reported.add((call.function, call.site))
        message = f"this call of {function.name} cannot work, its shapes are incompatible: {reason}"
        place = s.place(call.site or function.site, function.name)
        yield Finding("TD003", Severity.ERROR, Confidence.DERIVED, message, place)


NAMES = {"jax": "JAX", "pytorch": "torch", "numba": "numba"}


def _finding(s: ScriptSubject, function: CompiledFunction, row: Uncovered) -> Finding:
    who = NAMES.get(row.linker, row.linker)
    known = row.variable is not None and row.variable < len(function.graph.variables)
    variable = function.graph.variables[row.variable] if known and row.variable is not None else None
    place = s.place((variable.site if variable else None) or function.site, variable.name if variable else None)
    severity = Severity.WARNING if row.linker == "numba" else Severity.ERROR
    if row.op is not None:
        message = f"{function.name}: {who} has no code for {row.op}: {row.reason}"
    else:
        message = f"{function.name}: {who} does not compile it unchanged: {row.reason}"
    fix = _fix(row, s.library)
    return Finding("TD004", severity, Confidence.DERIVED, message, place, fix)


def _fix(row: Uncovered, library: str) -> Fix:
    """The fix for a node that the compiler does not support: other code that it does support."""
    op = (row.op or "").partition("{")[0]
    if op == "ARange":
        return Fix("give arange numbers, not variables", code=f"{library}.tensor.arange(100)  # your own length")
    if op == "Nonzero":
        return Fix("select with a mask of the same length", code=f"{library}.tensor.where(mask, x, 0).sum()  # instead of x[mask].sum()")
    if row.op is None:
        declared = f'x = {library}.tensor.tensor("x", shape=(128, 784), dtype={library}.config.floatX)  # your own lengths'
        return Fix("give its length as a constant", code=declared)
    if row.linker == "numba":
        return Fix("leave it unchanged, or register code for it: pytensor.link.numba.dispatch.numba_funcify")
    name = "pytorch" if row.linker == "pytorch" else "jax"
    return Fix(f"compute it outside of this function, or register code for it: pytensor.link.{name}.dispatch.{name}_funcify.register")


def _uncovered() -> ScriptSubject:
    script = dot_script(4, 10)
    row = Uncovered("jax", 2, "Strange", "No JAX conversion for the given `Op`: Strange")
    return subject(replace(script, functions=tuple(replace(f, uncovered=(row,)) for f in script.functions)))


@rule(
    "TD004",
    "not-on-engine",
    fires=_uncovered,
    silent=lambda: subject(dot_script(4, 10)),
)
def not_on_engine(s: ScriptSubject) -> Iterator[Finding]:
    """TD004: the engine cannot run an Op, or does not accept a computed length

    What it finds
        Finds nodes that JAX, torch or numba cannot run: ops that PyTensor cannot translate to these libraries, and computed lengths where
        JAX requires constants.

    Why it matters
        In mode JAX or PYTORCH the function raises an error at its first call, however much memory is free. numba runs such an op in Python,
        which is slower.

    Example
        JAX cannot run `x[:n]` if n is an argument: it compiles a function for one fixed length, but n is only known at the call.

    What to do
        If JAX or torch cannot run an op, compute the op before or after the function, replace it by other ops, or register a translation
        (`jax_funcify.register`). If JAX does not accept a length, write the length as a number, give the variable a static shape
        (`pt.tensor("x", shape=(128, 784))`), or use a mask instead of a slice.

    Limits
        Some problems appear only when a function is compiled at its first call. theanodiag compiles the function to find them, so functions
        that are never called are not checked.
    """
    for function in s.script.functions:
        seen: set[tuple[str | None, str]] = set()
        of_nodes = {row.reason for row in function.uncovered if row.op is not None}
        for row in function.uncovered:
            if row.op is None and row.reason in of_nodes:
                continue  # the compiler stopped at a node that is named already
            kind = (row.op, row.reason if row.op is None else "")
            if kind not in seen:
                seen.add(kind)
                yield _finding(s, function, row)


MOST = 2**31 - 1
"""Maximum number of elements of a matrix that libgpuarray passes to cuBLAS."""
PRODUCTS = ("GpuDot22", "GpuGemm", "GpuGemv", "GpuGer", "GpuGemmBatch")
"""Ops that libgpuarray computes with cuBLAS."""


def _wide(rows: int) -> ScriptSubject:
    """A product of so many rows with a matrix of 16 rows and 1048576 columns."""
    b = GraphBuilder("f")
    x, w = b.argument("x", on_device(rows, 16)), b.shared("W", on_device(16, 1 << 20))
    return subject(built(b, b.apply(Op("GpuDot22", "GpuDot22"), [x, w], on_device(rows, 1 << 20))), device(80_000_000_000))


@rule("TD005", "product-too-large", fires=lambda: _wide(2048), silent=lambda: _wide(2047))
def product_too_large(s: ScriptSubject) -> Iterator[Finding]:
    """TD005: a matrix is too large for libgpuarray's calls of cuBLAS

    What it finds
        Finds a matrix product on the GPU with an input or result of 2147483648 or more elements, in a call that the script makes.

    Why it matters
        libgpuarray rejects such a product, however much memory is free: `Passed-in sizes would overflow the ints in the cublas interface`.
        Cards of 16 GiB and more have room for such matrices.

    Example
        `T.dot(x, W)` with x of shape (2048, 16) and W of shape (16, 1048576) has a result of 2147483648 elements, which takes 8 GiB.

    What to do
        Call the function with fewer rows at a time, or split the wide matrix by columns and join the results. In a batch of products
        (`T.batched_dot`) the limit applies to each matrix separately.

    Limits
        The rule checks products of matrices and vectors outside of Scans. It ignores graphs for Theano's older GPU back-end (before 1.0),
        and sizes of which only an upper bound is known. Source: libgpuarray 0.7.6, src/gpuarray_blas_cuda_cublas.c; the limit was tested
        with all products of that file.
    """
    reported: set[int] = set()
    for call in s.script.events:
        if not isinstance(call, Call) or call.assumed or call.function in reported:
            continue
        function = s.script.functions[call.function]
        matrix = next(too_large(function.graph, call.shapes), None)
        if matrix is None:
            continue
        reported.add(call.function)
        node, shape = matrix
        size = " x ".join(map(str, shape))
        message = f"{node.op.name} of {function.name} has a matrix of {size}: libgpuarray refuses one of more than {MOST} entries"
        site = next((v.site for v in map(function.graph.variables.__getitem__, node.outputs) if v.site), None)
        place = s.place(site or call.site or function.site, function.name)
        yield Finding("TD005", Severity.ERROR, Confidence.DERIVED, message, place)


def too_large(graph: FunctionGraph, table: ShapeTable) -> Iterator[tuple[Apply, tuple[int, int]]]:
    """Yields (node, (rows, columns)) for each product with a matrix that is too large for cuBLAS."""
    for node in graph.applies:
        if node.op.name in PRODUCTS:
            known = (table.shapes.get(v) for v in (*node.inputs, *node.outputs) if v not in table.bounded)
            matrices = (shape[-2:] for shape in known if isinstance(shape, tuple) and len(shape) >= 2)
            large = ((m, n) for m, n in matrices if isinstance(m, int) and isinstance(n, int) and m * n > MOST)
            yield from ((node, shape) for shape in itertools.islice(large, 1))
