"""Further small scripts with which the rules about plans show when they fire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..ir import Op, Shape, TypeKind
from ..ir.builder import GraphBuilder, on_device, tensor
from ..ir.shape import Value
from ..memory.script import Call, CallInput, Compile, CompiledFunction, Create, Event, Script, SetValue, SharedVariable
from ..shapes import infer

MATRIX = on_device(None, None)
HOST_MATRIX = tensor(None, None)
SCALAR = tensor(dtype="int64", kind=TypeKind.SCALAR)
Values = Mapping[int, Value]
NUMBER = tensor(dtype="int64")
TO_DEVICE = Op("GpuFromHost", "GpuFromHost<None>")
TO_HOST = Op("HostFromGpu", "HostFromGpu(gpuarray)")
DOT = Op("GpuDot22", "GpuDot22")


def _script(b: GraphBuilder, output: int, shapes: Mapping[int, Shape], values: Values | None = None, gc: bool = True) -> Script:
    """The script that makes the shared variables of a graph, compiles it and calls it once."""
    graph = b.build(output)
    table = infer(graph, shapes, values)
    shared = {i.shared: i.variable for i in graph.inputs if i.shared is not None}
    arguments = [graph.variables[i.variable] for i in graph.inputs if i.shared is None]
    inputs = tuple(CallInput(v.id, v.name, v.type.dtype, table.shape(v.id), (values or {}).get(v.id)) for v in arguments)
    made: list[Event] = [Create(s, table.shape(v)) for s, v in shared.items()]
    variables = {s: SharedVariable(s, graph.variables[v].name, graph.variables[v].type) for s, v in shared.items()}
    function = CompiledFunction(0, b.name, graph, allow_gc=None if gc else False)
    return Script(variables, (function,), (*made, Compile(0), Call(0, inputs, table)))


def data_script(rows: int, batch: int) -> Script:
    """`function([start, stop], dot(data[start:stop], W))`, with `rows` rows of 400 bytes on the device."""
    b = GraphBuilder("train")
    start, stop = b.argument("start", NUMBER), b.argument("stop", NUMBER)
    data, w = b.shared("data", MATRIX), b.shared("W", MATRIX)
    ends = [b.apply(Op("ScalarFromTensor", "ScalarFromTensor"), [v], SCALAR) for v in (start, stop)]
    cut = Op("GpuSubtensor", "GpuSubtensor{int64:int64:}", params={"idx_list": [{"slice": ["i", "i", None]}]}, view_map={0: (0,)})
    part = b.apply(cut, [data, *ends], MATRIX)
    out = b.apply(TO_HOST, [b.apply(DOT, [part, w], MATRIX)], HOST_MATRIX)
    return _script(b, out, {start: (), stop: (), data: (rows, 100), w: (100, 10)}, {start: 0, stop: batch})


def trained_script(rows: int, columns: int) -> Script:
    """`function([x], h, updates=[(W, W - dot(x.T, h))])` with `h = dot(x, W)`, in place."""
    b = GraphBuilder("train")
    x, w = b.argument("x", HOST_MATRIX), b.shared("W", MATRIX)
    on = b.apply(TO_DEVICE, [x], MATRIX)
    h = b.apply(DOT, [on, w], MATRIX)
    turned = b.apply(Op("GpuDimShuffle", "GpuDimShuffle{1,0}", params={"new_order": [1, 0]}, view_map={0: (0,)}), [on], MATRIX)
    one = b.constant(tensor(), 1.0)
    gemm = Op("GpuGemm", "GpuGemm{inplace=True}", params={"inplace": True}, destroy_map={0: (0,)})
    host = b.apply(TO_HOST, [h], HOST_MATRIX)
    b.update(w, b.apply(gemm, [w, one, turned, h, one], MATRIX))
    return _script(b, host, {x: (rows, columns), w: (columns, columns)})


def kept_script(rows: int, columns: int) -> Script:
    """Products one after the other, whose results a function keeps that was compiled with allow_gc=False."""
    b = GraphBuilder("predict")
    x, w = b.argument("x", HOST_MATRIX), b.shared("W", MATRIX)
    last = b.apply(TO_DEVICE, [x], MATRIX)
    for _ in range(6):
        last = b.apply(DOT, [last, w], MATRIX)
    return _script(b, b.apply(TO_HOST, [last], HOST_MATRIX), {x: (rows, columns), w: (columns, columns)}, gc=False)


def growing_script(old: int, new: int) -> Script:
    """W, `old` x `old`, is set to a value of `new` x `new` after a call."""
    b = GraphBuilder("predict")
    x, w = b.argument("x", HOST_MATRIX), b.shared("W", MATRIX)
    out = b.apply(TO_HOST, [b.apply(DOT, [b.apply(TO_DEVICE, [x], MATRIX), w], MATRIX)], HOST_MATRIX)
    script = _script(b, out, {x: (10, old), w: (old, old)})
    return replace(script, events=(*script.events, SetValue(w, (new, new))))
