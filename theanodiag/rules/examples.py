"""Small scripts for the rules' examples, which fire or stay silent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..devices import HOST, Context, DeviceProfile
from ..ir import Apply, FunctionGraph, GraphInput, Op, Role, Shape, ShapeTable, Type, TypeKind, Unknown, Variable
from ..ir.builder import GraphBuilder, on_device, tensor
from ..ir.shape import Value
from ..memory.script import Call, CallInput, Compile, CompiledFunction, Create, Script, SetValue, SharedVariable, created_for
from ..memory.settings import AllocatorKind, MemorySettings
from ..memory.simulate import simulate
from ..plans.advice import advise
from ..plans.memory_flags import preallocate
from ..shapes import infer
from .subject import ScriptSubject

MATRIX = on_device(None, None)
"""A device matrix of unknown lengths."""
HOST_MATRIX = tensor(None, None)
"""A host matrix of unknown lengths."""
SCALAR = tensor(dtype="int64", kind=TypeKind.SCALAR)
"""An int64 scalar outside of an array."""
Values = Mapping[int, Value]
"""Small values of Variables, by id."""
NUMBER = tensor(dtype="int64")
"""An int64 array without dimensions."""
TO_DEVICE = Op("GpuFromHost", "GpuFromHost<None>")
"""The Op that copies a host array to the device."""
TO_HOST = Op("HostFromGpu", "HostFromGpu(gpuarray)")
"""The Op that copies a device array to the host."""
DOT = Op("GpuDot22", "GpuDot22")
"""A matrix product on the device."""


def device(total_bytes: int) -> DeviceProfile:
    """Returns a device of `total_bytes` whose context takes nothing."""
    return DeviceProfile("example", total_bytes, Context(0, "derived"))


def dot_script(rows: int | Unknown, columns: int, dtype: str = "float32", *, called: bool = True) -> Script:
    """Makes the script `function([x], dot(x, W))` on a device, with W of `columns` x `columns` and x of `rows` x `columns`."""
    kind = Type(TypeKind.GPUARRAY, dtype, (None, None))
    host = Type(TypeKind.TENSOR, dtype, (None, None))
    names: tuple[tuple[str | None, Type, int | None], ...] = (
        ("x", host, None),
        ("W", kind, None),
        (None, kind, 0),
        (None, kind, 1),
        (None, host, 2),
    )
    variables = tuple(Variable(i, t, n, owner) for i, (n, t, owner) in enumerate(names))
    applies = (
        Apply(0, Op("GpuFromHost", "GpuFromHost<None>"), (0,), (2,)),
        Apply(1, Op("GpuDot22", "GpuDot22"), (2, 1), (3,)),
        Apply(2, Op("HostFromGpu", "HostFromGpu(gpuarray)"), (3,), (4,)),
    )
    inputs = (GraphInput(0), GraphInput(1, Role.SHARED, shared=0))
    graph = FunctionGraph("predict", inputs, (4,), variables, applies)
    x: Shape = (rows, columns)
    shapes = ShapeTable({0: x, 1: (columns, columns), 2: x, 3: x, 4: x})
    call = Call(0, (CallInput(0, "x", dtype, x),), shapes)
    events = (Create(0, (columns, columns)), Compile(0), *((call,) if called else ()))
    return Script({0: SharedVariable(0, "W", kind)}, (CompiledFunction(0, "predict", graph),), events)


def more_rows_script(*rows: int) -> Script:
    """Makes the script of `dot_script`, called once with each of these numbers of rows."""
    scripts = [dot_script(n, 1000) for n in rows]
    calls = tuple(e for s in scripts for e in s.events if isinstance(e, Call))
    return replace(scripts[0], events=(*scripts[0].events[:2], *calls))


def plain(name: str) -> Op:
    """Makes an Op of which only the name is known, so that it is assumed to allocate its output."""
    return Op(name, name)


def built(b: GraphBuilder, *outputs: int, calls: int = 1, flags: Mapping[str, object] | None = None) -> Script:
    """Makes a script that creates the builder's shared variables, compiles its graph and calls it `calls` times."""
    graph, table = b.build(*outputs), b.table()
    shared, creations = created_for(graph, table)
    arguments = [graph.variables[i.variable] for i in graph.inputs if i.role is not Role.SHARED]
    call = Call(0, tuple(CallInput(v.id, v.name, v.type.dtype, table.shape(v.id)) for v in arguments), table)
    return Script(shared, (CompiledFunction(0, b.name, graph),), (*creations, Compile(0), *[call] * calls), flags or {})


def _script(b: GraphBuilder, output: int, shapes: Mapping[int, Shape], values: Values | None = None, gc: bool = True) -> Script:
    """The script that creates the graph's shared variables, compiles it and calls it once."""
    graph = b.build(output)
    table = infer(graph, shapes, values)
    variables, creations = created_for(graph, table)
    arguments = [graph.variables[i.variable] for i in graph.inputs if i.shared is None]
    inputs = tuple(CallInput(v.id, v.name, v.type.dtype, table.shape(v.id), (values or {}).get(v.id)) for v in arguments)
    function = CompiledFunction(0, b.name, graph, allow_gc=None if gc else False)
    return Script(variables, (function,), (*creations, Compile(0), Call(0, inputs, table)))


def data_script(rows: int, batch: int) -> Script:
    """Makes the script `function([start, stop], dot(data[start:stop], W))`, with `rows` rows of 400 bytes on the device."""
    b = GraphBuilder("train")
    start, stop = b.argument("start", NUMBER), b.argument("stop", NUMBER)
    data, w = b.shared("data", MATRIX), b.shared("W", MATRIX)
    ends = [b.apply(Op("ScalarFromTensor", "ScalarFromTensor"), [v], SCALAR) for v in (start, stop)]
    cut = Op("GpuSubtensor", "GpuSubtensor{int64:int64:}", params={"idx_list": [{"slice": ["i", "i", None]}]}, view_map={0: (0,)})
    part = b.apply(cut, [data, *ends], MATRIX)
    out = b.apply(TO_HOST, [b.apply(DOT, [part, w], MATRIX)], HOST_MATRIX)
    return _script(b, out, {start: (), stop: (), data: (rows, 100), w: (100, 10)}, {start: 0, stop: batch})


def picture_script(side: int, pictures: int = 1) -> Script:
    """Makes the script `function([x], conv2d(x, W).sum())`, for pictures of `side` x `side` with three channels, and sixteen kernels of 1 x
    1.
    """
    b, images = GraphBuilder("features"), on_device(None, None, None, None)
    x, w = b.argument("x", images), b.shared("W", images)
    params = {"border_mode": "valid", "subsample": [1, 1], "filter_dilation": [1, 1]}
    h = b.apply(Op("GpuCorrMM", "GpuCorrMM", params=params), [x, w], images)
    out = b.apply(Op("GpuCAReduceCuda", "GpuCAReduceCuda{add}", params={"axis": [0, 1, 2, 3]}), [h], on_device())
    return _script(b, out, {x: (pictures, 3, side, side), w: (16, 3, 1, 1)})


def trained_script(rows: int, columns: int, units: int | None = None, momentum: bool = False) -> Script:
    """Makes the script `function([x], h, updates=[(W, W - dot(x.T, h))])` with `h = dot(x, W)`, in place; `units`: the columns of W;
    `momentum`: W is changed by a velocity of its size.
    """
    b = GraphBuilder("train")
    x, w = b.argument("x", HOST_MATRIX), b.shared("W", MATRIX)
    on = b.apply(TO_DEVICE, [x], MATRIX)
    h = b.apply(DOT, [on, w], MATRIX)
    turned = b.apply(Op("GpuDimShuffle", "GpuDimShuffle{1,0}", params={"new_order": [1, 0]}, view_map={0: (0,)}), [on], MATRIX)
    one = b.constant(tensor(), 1.0)
    gemm = Op("GpuGemm", "GpuGemm{inplace=True}", params={"inplace": True}, destroy_map={0: (0,)})
    host = b.apply(TO_HOST, [h], HOST_MATRIX)
    shape = (columns, units or columns)
    if not momentum:
        b.update(w, b.apply(gemm, [w, one, turned, h, one], MATRIX))
        return _script(b, host, {x: (rows, columns), w: shape})
    v, faster = b.shared("v", MATRIX), Op("GpuElemwise", "GpuElemwise{Composite{(i0 + (0.9 * i1))}}[(0, 1)]", destroy_map={0: (1,)})
    velocity = b.apply(faster, [b.apply(DOT, [turned, h], MATRIX), v], MATRIX)
    b.update(v, velocity)
    b.update(w, b.apply(Op("GpuElemwise", "GpuElemwise{sub}[(0, 0)]", destroy_map={0: (0,)}), [w, velocity], MATRIX))
    return _script(b, host, {x: (rows, columns), w: shape, v: shape})


def kept_script(rows: int) -> Script:
    """Makes a script with six products in a row, in a function compiled with allow_gc=False, which keeps their results."""
    b = GraphBuilder("predict")
    x, w = b.argument("x", HOST_MATRIX), b.shared("W", MATRIX)
    last = b.apply(TO_DEVICE, [x], MATRIX)
    for _ in range(6):
        last = b.apply(DOT, [last, w], MATRIX)
    return _script(b, b.apply(TO_HOST, [last], HOST_MATRIX), {x: (rows, 1000), w: (1000, 1000)}, gc=False)


def larger_value_script(old: int, new: int) -> Script:
    """Makes a script with a call, after which W, `old` x `old`, is set to a value of `new` x `new`."""
    b = GraphBuilder("predict")
    x, w = b.argument("x", HOST_MATRIX), b.shared("W", MATRIX)
    out = b.apply(TO_HOST, [b.apply(DOT, [b.apply(TO_DEVICE, [x], MATRIX), w], MATRIX)], HOST_MATRIX)
    script = _script(b, out, {x: (10, old), w: (old, old)})
    return replace(script, events=(*script.events, SetValue(w, (new, new))))


def subject(script: Script, on: DeviceProfile = HOST) -> ScriptSubject:
    """Returns the script simulated on the device `on`, with all plans."""
    kind = AllocatorKind.DIRECT if on.is_host else AllocatorKind.GPUARRAY
    settings = MemorySettings(allocator=kind, total_bytes=on.total_bytes, free_bytes=on.available_bytes)
    process = simulate(script, settings)
    plan = preallocate(script, settings, process, on.available_bytes)
    return ScriptSubject("model.py", script, settings, on, process, plan, advise(script, settings, process, reserving=plan))
