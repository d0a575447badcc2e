"""What compiling a function does to memory: its constants go to the device, and those of its inner functions after them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..ir import Constant, FunctionGraph, Role, TypeKind, Unknown, itemsize
from .frame import Frame
from .machine import run_inner
from .profile import ItemKind
from .program import Program, prepare
from .store import Store, Tag
from .values import exact, size_of
from .workspace.scan import borrowed_outputs, is_scan


def compile_graph(
    graph: FunctionGraph, linker: str, allow_gc: bool, store: Store, watched: frozenset[TypeKind], otherwise: bool = True
) -> Frame:
    """A frame for the graph of a function, with its constants and those of its inner functions in place."""
    program = prepare(graph, linker, watched, allow_gc=allow_gc)
    return _with_constants(Frame(program, store, allow_gc, runner=run_inner, otherwise=otherwise), linker)


def compile_inner(outer: Frame, graph: FunctionGraph, linker: str, allow_gc: bool) -> Frame:
    """A frame for an inner graph of `outer`."""
    borrowed = borrowed_outputs(graph.info) if is_scan(graph.info) else 0
    program: Program = prepare(graph, linker, outer.program.watched, allow_gc=allow_gc, borrowed=borrowed)
    inner = Frame(program, outer.store, allow_gc, inside=True, runner=run_inner, unknown=outer.unknown, otherwise=outer.otherwise)
    return _with_constants(inner, linker)


def _with_constants(frame: Frame, linker: str) -> Frame:
    place_constants(frame)
    for node in frame.program.graph.applies:
        inner = node.op.inner
        if inner is not None:
            frame.frames[node.id] = compile_inner(frame, inner, linker, bool(inner.info.get("allow_gc", False)))
    return frame


def place_constants(frame: Frame) -> None:
    """Device constants of the graph, those that only the function's memory of shapes holds, and defaults of inner inputs.

    On the host a constant is part of the graph itself, which is there before the function is: nothing more is taken.
    """
    for variable in frame.program.graph.variables:
        if isinstance(variable, Constant) and variable.type.kind.on_device and frame.program.watches(variable.id):
            shape = exact(variable.shape)
            if not isinstance(shape, Unknown):
                array = frame.new(variable.id, shape, ItemKind.CONSTANT)
                frame.put(variable.id, array)
                frame.store.drop(array.buffer)
    for name, dtype, shape in _held_beside(frame):
        tag = Tag(ItemKind.CONSTANT, name, None, dtype, shape)
        frame.kept.append(frame.store.take(size_of(shape) * itemsize(dtype), tag))


def _held_beside(frame: Frame) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Name, dtype and shape of what the function holds on the device outside of its cells."""
    if not any(kind.on_device for kind in frame.program.watched):
        return
    rows: Any = frame.program.graph.info.get("kept_constants") or ()
    for row in rows:
        yield "constant that was fused into an op", row["type"]["dtype"], tuple(row["constant"]["shape"])
    for argument in frame.program.graph.inputs if frame.inside else ():
        kind = frame.program.graph.variables[argument.variable].type
        if argument.role is Role.DEFAULT and argument.update is not None and frame.program.watches(argument.variable):
            yield "initial value of an inner input", kind.dtype or "int8", tuple(1 if d == 1 else 0 for d in kind.shape)


