"""Runs compiled functions as the CVM does, at the level of memory: which cell holds which buffer when."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Optional

from ..ir import Constant, FunctionGraph, Role, ShapeTable, TypeKind, Unknown, itemsize
from ..ir.scan import scan_info
from ..ops import op_info
from ..ops.arrays import Array, Buffer, ItemKind, Tag, c_strides, exact, size_of
from ..ops.memory_effects import Work
from .call_frame import BranchAssumptions, CallFrame
from .execution_plan import HOST, ExecutionPlan, prepare
from .heap import Heap
from .inner_functions import INNER_FUNCTIONS, borrowed_outputs
from .inner_functions import KIND as FROM_GRAPH
from .script import CompiledFunction

OnStep = Callable[[int, int], None]
"""Called after each node with the number of the step, counted from 1, and the Apply id."""
Results = tuple[Optional[Array], ...]
"""Values of the outputs of a call, None for those not watched; the caller holds them."""


def run(frame: CallFrame, table: ShapeTable, on_step: OnStep | None = None) -> Results:
    """Runs all nodes of one call, then the updates; returns the outputs as they were before the updates, held by the caller.

    The outputs also stay in their cells until `hand_over`.
    Source: Theano 1.0.5, gof/c_code/lazylinker_c.c, `CLazyLinker_call`.
    """
    frame.table = table
    frame.take_branches()
    if frame.has_run:
        frame.empty(frame.program.fresh)
    frame.has_run = True
    if on_step is not None:
        frame.store.mark()  # the peak starts with what is live when the first node runs
    program, allow_gc = frame.program, frame.allow_gc
    applies, drops, acts = program.graph.applies, program.drops, program.acts
    for step, apply_id in enumerate(program.order):
        if acts[apply_id]:
            node = applies[apply_id]
            inside = INNER_FUNCTIONS.get(node.op.name)
            if inside is None:
                op_info(node.op.name).memory(Work(frame, node))
            else:
                inside(frame, Work(frame, node))
        if allow_gc and drops[step]:
            frame.empty(drops[step])
        if on_step is not None:
            on_step(step + 1, apply_id)
    results = _hold_outputs(frame)
    _update(frame, results)
    if frame.allow_gc:
        frame.empty(frame.program.last)
    return results


def _hold_outputs(frame: CallFrame) -> Results:
    results = tuple(frame.value(variable) for variable in frame.program.graph.outputs)
    for value in results:
        if value is not None:
            frame.store.hold(value.buffer)
    return results


def _update(frame: CallFrame, results: Results) -> None:
    """Puts the new values of updated inputs into their cells."""
    for argument in frame.program.graph.inputs:
        if argument.update is not None and frame.program.watches(argument.variable):
            frame.put(argument.variable, results[argument.update])


def let_go(store: Heap, results: Results) -> None:
    """Removes the caller as a holder of the results."""
    for value in results:
        if value is not None:
            store.drop(value.buffer)


def run_inner(frame: CallFrame, table: ShapeTable) -> None:
    """Simulates one run of an inner function; its output cells keep the results."""
    let_go(frame.store, run(frame, table))


def hand_over(frame: CallFrame) -> None:
    """Empties the output cells after a call, as the caller of a function does once it has the results; with `allow_gc` only.

    Source: Theano 1.0.5, compile/function_module.py, `Function.__call__`.
    """
    if frame.allow_gc:
        for variable in frame.program.graph.outputs:
            if frame.program.graph.variables[variable].owner is not None:
                frame.put(variable, None)


def compile_graph(
    function: CompiledFunction,
    allow_gc: bool,
    store: Heap,
    watched: frozenset[TypeKind],
    guesses: BranchAssumptions | None = None,
    shared_frames: dict[int, CallFrame] | None = None,
) -> CallFrame:
    """A frame for `function`, with its constants and those of its inner functions in their cells.

    `guesses` and `shared_frames` are shared with the frames of other functions.
    """
    program = prepare(function.graph, function.linker, watched, allow_gc=allow_gc, borrowed=function.borrowed)
    shared = {} if shared_frames is None else shared_frames
    frame = CallFrame(program, store, allow_gc, runner=run_inner, guesses=guesses or BranchAssumptions(), shared_frames=shared)
    return _with_constants(frame, function.linker)


def compile_inner(outer: CallFrame, graph: FunctionGraph, linker: str, allow_gc: bool) -> CallFrame:
    """A frame for the inner function of a node of `outer`, with its constants in their cells."""
    info = scan_info(graph.info)
    borrowed = borrowed_outputs(info) if info is not None else 0
    program: ExecutionPlan = prepare(graph, linker, outer.program.watched, allow_gc=allow_gc, borrowed=frozenset(range(borrowed)))
    inner = CallFrame(program, outer.store, allow_gc, inside=True, runner=run_inner, unknown=outer.unknown, guesses=outer.guesses)
    inner.shared_frames = outer.shared_frames
    return _with_constants(inner, linker)


def _with_constants(frame: CallFrame, linker: str) -> CallFrame:
    place_constants(frame)
    for node in frame.program.graph.applies:
        inner = node.op.inner
        if inner is None or ("kind" not in inner.info and frame.program.watched == HOST):
            continue  # a fused loop, or an inner graph of unknown use: it is not run, and host constants take nothing
        if inner.info.get("kind") == FROM_GRAPH:
            frame.frames[node.id] = _shared(frame, inner, linker)
        else:
            frame.frames[node.id] = compile_inner(frame, inner, linker, bool(inner.info.get("allow_gc", False)))
    return frame


def _shared(outer: CallFrame, graph: FunctionGraph, linker: str) -> CallFrame:
    """The frame of an OpFromGraph; nodes with the same Op share one."""
    number = graph.info.get("number")
    if not isinstance(number, int):
        return compile_inner(outer, graph, linker, outer.allow_gc)
    if number not in outer.shared_frames:
        outer.shared_frames[number] = compile_inner(outer, graph, linker, outer.allow_gc)
    return outer.shared_frames[number]


def place_constants(frame: CallFrame) -> None:
    """Takes device memory for a graph's constants, for constants that were fused into Ops, and for default values of inner inputs.

    On the host it takes nothing: a host constant is part of the graph, which exists before the function does.
    """
    for variable in frame.program.graph.variables:
        if isinstance(variable, Constant) and variable.type.kind.on_device and frame.program.watches(variable.id):
            shape = exact(variable.shape)
            if not isinstance(shape, Unknown):
                size = itemsize(variable.type.dtype or "int8")
                buffer = in_memory(frame.store, variable.memory, size_of(shape) * size, frame.tag(variable.id, ItemKind.CONSTANT))
                frame.put(variable.id, Array(buffer, shape, c_strides(shape, size), size))
                frame.store.drop(buffer)
    frame.kept += [(memory, in_memory(frame.store, memory, nbytes, tag)) for memory, nbytes, tag in _held_beside(frame)]


def in_memory(store: Heap, number: int | None, nbytes: int, tag: Tag) -> Buffer:
    """A buffer of `nbytes` for the constant with memory number `number`; the caller becomes a holder.

    The buffer that already has this number is reused if it is large enough: a copy of a function shares the first one's constants, and one
    constant may be a view of another. Otherwise it is a new one. Source: Theano 1.0.5, gof/graph.py, `Constant.clone`;
    compile/function_module.py, `Function.copy`.
    """
    known = None if number is None else store.constants.get(number)
    if known is not None and known.holders and nbytes <= known.requested:
        store.hold(known)
        return known
    buffer = store.take(nbytes, tag)
    if number is not None:
        store.constants[number] = buffer
    return buffer


def _held_beside(frame: CallFrame) -> Iterator[tuple[int | None, int, Tag]]:
    """Yields (memory number, bytes, label) of each device array that the function holds outside of its cells."""
    if not any(kind.on_device for kind in frame.program.watched):
        return
    rows: Any = frame.program.graph.info.get("kept_constants") or ()
    for row in rows:
        dtype, constant = row["type"]["dtype"], row["constant"]
        yield constant.get("memory"), *_labelled("constant that was fused into an op", dtype, tuple(constant["shape"]))
    for argument in frame.program.graph.inputs if frame.inside else ():
        kind = frame.program.graph.variables[argument.variable].type
        if argument.role is Role.DEFAULT and argument.update is not None and frame.program.watches(argument.variable):
            shape = tuple(1 if d == 1 else 0 for d in kind.shape)
            yield None, *_labelled("initial value of an inner input", kind.dtype or "int8", shape)


def _labelled(name: str, dtype: str, shape: tuple[int, ...]) -> tuple[int, Tag]:
    return size_of(shape) * itemsize(dtype), Tag(ItemKind.CONSTANT, name, None, dtype, shape)
