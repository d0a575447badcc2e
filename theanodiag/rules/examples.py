"""The small scripts with which the rules about scripts show when they fire and when they stay silent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..devices import HOST, Context, DeviceProfile
from ..ir import Apply, FunctionGraph, GraphInput, Op, Role, Shape, ShapeTable, Type, TypeKind, Unknown, Variable
from ..ir.builder import GraphBuilder
from ..memory.script import Call, CallInput, Compile, CompiledFunction, Create, Script, SharedVariable
from ..memory.settings import AllocatorKind, MemorySettings
from ..memory.simulate import simulate
from ..plans.advice import advise
from ..plans.preallocate import preallocate
from .subject import ScriptSubject


def device(total_bytes: int) -> DeviceProfile:
    """A device of this size that keeps nothing for itself."""
    return DeviceProfile("example", total_bytes, Context(0, "derived"))


def dot_script(rows: int | Unknown, columns: int, dtype: str = "float32", *, called: bool = True) -> Script:
    """`function([x], dot(x, W))` on a device, with W of `columns` x `columns` and x of `rows` x `columns`."""
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


def growing_script(columns: int, *rows: int) -> Script:
    """`dot_script`, called with so many rows one time after the other."""
    scripts = [dot_script(n, columns) for n in rows]
    calls = tuple(e for s in scripts for e in s.events if isinstance(e, Call))
    return replace(scripts[0], events=(*scripts[0].events[:2], *calls))


def plain(name: str) -> Op:
    """An op of which nothing is known but its name: it makes a new array."""
    return Op(name, name)


def built(b: GraphBuilder, *outputs: int, calls: int = 1, flags: Mapping[str, object] | None = None) -> Script:
    """The script that makes the builder's shared variables, compiles its graph and calls it."""
    graph, table = b.build(*outputs), b.table()
    variables = {i.shared: graph.variables[i.variable] for i in graph.inputs if i.shared is not None}
    shared = {k: SharedVariable(k, v.name, v.type) for k, v in variables.items()}
    arguments = [graph.variables[i.variable] for i in graph.inputs if i.role is not Role.SHARED]
    call = Call(0, tuple(CallInput(v.id, v.name, v.type.dtype, table.shape(v.id)) for v in arguments), table)
    made = tuple(Create(k, table.shape(v.id)) for k, v in variables.items())
    return Script(shared, (CompiledFunction(0, b.name, graph),), (*made, Compile(0), *[call] * calls), flags or {})


def subject(script: Script, on: DeviceProfile = HOST) -> ScriptSubject:
    """The script simulated on a device."""
    kind = AllocatorKind.DIRECT if on.is_host else AllocatorKind.GPUARRAY
    settings = MemorySettings(allocator=kind, total_bytes=on.total_bytes, free_bytes=on.available_bytes)
    process = simulate(script, settings)
    plan = preallocate(script, settings, process, on.available_bytes)
    return ScriptSubject("model.py", script, settings, on, process, plan, advise(script, settings, process))
