"""The small scripts with which the rules about scripts show when they fire and when they stay silent."""

from __future__ import annotations

from ..devices import HOST, Context, DeviceProfile
from ..ir import Apply, FunctionGraph, GraphInput, Op, Role, Shape, ShapeTable, Type, TypeKind, Unknown, Variable
from ..memory.script import Call, CallInput, Compile, CompiledFunction, Create, Script, SharedVariable
from ..memory.settings import AllocatorKind, MemorySettings
from ..memory.simulate import simulate
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


def subject(script: Script, on: DeviceProfile = HOST) -> ScriptSubject:
    """The script simulated on a device."""
    kind = AllocatorKind.DIRECT if on.is_host else AllocatorKind.GPUARRAY
    settings = MemorySettings(allocator=kind, total_bytes=on.total_bytes, free_bytes=on.available_bytes)
    process = simulate(script, settings)
    return ScriptSubject("model.py", script, settings, on, process, preallocate(script, settings, process, on.available_bytes))
