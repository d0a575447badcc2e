"""The life of a process on XLA's pool, call by call, against sums by hand; and how the environment sets that pool."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theanodiag.capture.model import Capture, FrameworkInfo, ScriptEnd
from theanodiag.devices import Context, DeviceProfile
from theanodiag.engines import Client, client, effects
from theanodiag.ir import Apply, FunctionGraph, GraphInput, Op, Role, ShapeTable, Type, TypeKind, Variable
from theanodiag.memory.profile import Origin, ProcessProfile
from theanodiag.memory.script import (
    Call,
    CallInput,
    Compile,
    CompiledFunction,
    Create,
    Delete,
    Script,
    SetValue,
    SharedVariable,
    XlaFigures,
)
from theanodiag.memory.settings import AllocatorKind, MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.report.model import Report
from theanodiag.workflows import compose

VECTOR = Type(TypeKind.TENSOR, "float32", (None,))
MIB = 1 << 20
N = MIB // 4
GRAPH = FunctionGraph(
    "train",
    (GraphInput(0), GraphInput(1, Role.SHARED, shared=7, update=1)),
    (2, 3),
    (Variable(0, VECTOR, "x"), Variable(1, VECTOR, "W"), Variable(2, VECTOR, None, 0), Variable(3, VECTOR, None, 1)),
    (Apply(0, Op("Elemwise", "add"), (0, 1), (2,)), Apply(1, Op("Elemwise", "sub"), (1, 0), (3,))),
    returned=1,
)
SHAPES = ShapeTable(dict.fromkeys(range(4), (N,)))


def figures(temporary: int, backend: str = "cuda") -> XlaFigures:
    """What XLA would say: x and W in, two results and their table out."""
    return XlaFigures(2 * MIB, 2 * MIB + 16, temporary, backend, "card", ((0, MIB), (1, MIB)), (MIB, MIB), of=(GRAPH, SHAPES))


def call(temporary: int = 3 * MIB, dropped: bool = False, backend: str = "cuda") -> Call:
    """One call of the function."""
    given = CallInput(0, "x", "float32", (N,))
    return Call(0, (given,), SHAPES, dropped=dropped, xla=figures(temporary, backend))


def script(*events: Call | SetValue | Delete, environment: dict[str, str] | None = None) -> Script:
    """W is made, the function compiled, then the events."""
    function = CompiledFunction(0, "train", GRAPH, "jax")
    made = (Create(7, (N,)), Compile(0), *events)
    return Script({7: SharedVariable(7, "W", VECTOR)}, (function,), made, {"floatX": "float32"}, "pytensor", environment or {})


def run(of: Script, limit: int | None = 1 << 30, **more: object) -> ProcessProfile:
    """On a pool of so many bytes."""
    settings = MemorySettings(AllocatorKind.XLA, total_bytes=limit and 2 * limit, free_bytes=limit)
    return simulate(of, replace(settings, **more))  # type: ignore[arg-type]


def test_the_first_call_copies_the_shared_variable() -> None:
    """x, W, the two results, their table of 16 bytes in a block of 256, and the temporaries."""
    found = run(script(call()))
    (row,) = found.calls[0]
    assert (row.live_before_bytes, row.live_peak_bytes, row.live_after_bytes) == (0, 7 * MIB + 256, 2 * MIB)
    assert found.functions[0].origin is Origin.DERIVED
    items = found.functions[0].items
    assert sum(i.bytes for i in items if i.kind.value not in ("fragmentation", "context")) == row.live_peak_bytes


def test_later_calls_have_it_on_the_device() -> None:
    """Its old and its new value are both there, and the last result until there is another."""
    rows = run(script(call(), call(), call())).calls[0]
    assert [r.live_before_bytes for r in rows] == [0, 2 * MIB, 2 * MIB]
    assert [r.live_peak_bytes for r in rows] == [7 * MIB + 256, 8 * MIB + 256, 8 * MIB + 256]


def test_results_that_the_script_throws_away_are_gone() -> None:
    """Only the new value stays."""
    rows = run(script(call(dropped=True), call(dropped=True))).calls[0]
    assert [(r.live_before_bytes, r.live_after_bytes) for r in rows] == [(0, MIB), (MIB, MIB)]


def test_a_value_that_is_set_is_on_the_host_again() -> None:
    """And one that ends is nowhere."""
    assert run(script(call(), SetValue(7, (N,)), call())).calls[0][1].live_before_bytes == MIB
    assert run(script(call(dropped=True), Delete(shared=7))).persistent_bytes == 0


def test_what_was_compiled_for_something_else_is_not_believed() -> None:
    """Other shapes, another graph, another device: a bound."""
    other = replace(call(), shapes=ShapeTable(dict.fromkeys(range(4), (2 * N,))))
    assert run(script(other)).functions[0].origin is Origin.BOUNDED
    assert run(script(call(backend="cpu"))).functions[0].origin is Origin.BOUNDED
    assert run(script(call(backend="cpu")), None).functions[0].origin is Origin.DERIVED


def test_on_the_host_nothing_is_copied_or_rounded() -> None:
    """W is there from the start."""
    (row,) = run(script(call(backend="cpu")), None).calls[0]
    assert (row.live_before_bytes, row.live_peak_bytes) == (MIB, 7 * MIB + 16)


@pytest.mark.parametrize("pooled", [True, False])
def test_a_pool_that_is_too_small(pooled: bool) -> None:
    """The call fails, and the need is known."""
    found = run(script(call()), 6 * MIB, xla_pool=pooled)
    assert (found.fits, found.failed_function) == (False, 0)
    assert found.live_peak_bytes > 6 * MIB
    assert "does not fit" in str(found.failure)


def test_the_environment_sets_the_pool() -> None:
    """By the names that JAX reads."""
    assert client({}).pool(4 << 30) == 3 << 30
    assert client({}).pool(85017493504) == 63763906560  # bytes_limit on an H100: whole pages of 2 MiB
    assert client({"XLA_PYTHON_CLIENT_MEM_FRACTION": ".5"}).pool(4 << 30) == 2 << 30
    assert client({"XLA_CLIENT_MEM_FRACTION": ".9", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}) == Client(0.9, False, True)
    assert client({"XLA_PYTHON_CLIENT_ALLOCATOR": "platform"}).pool(1000) is None
    assert client({"XLA_CLIENT_MEM_FRACTION": "all of it"}).pool(4 << 30) == 3 << 30


def test_each_variable_has_its_effect() -> None:
    """Also those that do nothing here."""
    environment = {
        "XLA_CLIENT_MEM_FRACTION": ".5", "XLA_PYTHON_CLIENT_PREALLOCATE": "false", "XLA_PYTHON_CLIENT_ALLOCATOR": "platform",
        "XLA_FLAGS": "--x", "TF_GPU_ALLOCATOR": "cuda_malloc_async", "PYTORCH_CUDA_ALLOC_CONF": "y",
    }  # fmt: skip
    told = {name: effect for name, _, effect in effects(environment)}
    assert tuple(told) == tuple(environment)
    assert "there is no share" in told["XLA_CLIENT_MEM_FRACTION"]
    assert told["XLA_PYTHON_CLIENT_PREALLOCATE"] == "XLA's pool starts empty and grows"
    both = {"XLA_CLIENT_MEM_FRACTION": ".5", "XLA_PYTHON_CLIENT_MEM_FRACTION": ".5"}
    assert all("JAX does not start" in effect for _, _, effect in effects(both))


def test_a_larger_share_is_recommended_where_it_would_do() -> None:
    """16 MiB of a device: what needs 14 MiB does not fit in three quarters of it."""
    card = DeviceProfile("card", 16 * MIB, Context(MIB, "default"))
    of = script(call(temporary=10 * MIB))
    seen = Capture("model.py", "python", "3.13", of, ScriptEnd("finished", 0), FrameworkInfo("pytensor", "3.3.7", "/"))
    found = compose.report(seen, card)
    assert found.process.fits is False
    assert found.engine is not None
    assert found.engine.pool_bytes == 12 * MIB
    (advice,) = (f for f in found.findings if f.code == "TD313")
    assert advice.fix is not None
    assert "XLA_CLIENT_MEM_FRACTION=0.88" in str(advice.fix.code)
    larger = replace(of, environment={"XLA_CLIENT_MEM_FRACTION": "0.88"})
    assert compose.report(replace(seen, script=larger), card).process.fits is True


def test_the_recommended_share_serves_every_request() -> None:
    """A free chunk whose rest is below 128 MiB is not split, so a pool of the size of the peak can be too small for the same requests."""
    later = XlaFigures(2 * MIB, 201 * MIB, 60 * MIB, "cuda", "card", ((0, MIB), (1, MIB)), (MIB, 200 * MIB), of=(GRAPH, SHAPES))
    of = script(call(temporary=200 * MIB), replace(call(), xla=later))
    card = DeviceProfile("card", 2000 * MIB, Context(MIB, "default"))
    seen = Capture("model.py", "python", "3.13", of, ScriptEnd("finished", 0), FrameworkInfo("pytensor", "3.3.7", "/"))

    def report(fraction: float) -> Report:
        return compose.report(replace(seen, script=replace(of, environment={"XLA_CLIENT_MEM_FRACTION": f"{fraction:g}"})), card)

    small = report(0.14)
    (advice,) = (f for f in small.findings if f.code == "TD313")
    assert advice.fix is not None
    assert (small.process.reserved_peak_bytes < 0.14 * 2000 * MIB, small.process.fits, advice.cures) == (True, False, True)
    share = float(str(advice.fix.code).split("=")[1].split()[0])
    assert [report(f).process.fits for f in (share - 0.01, share)] == [False, True]


def test_what_a_small_pool_lacks_is_told_as_a_large_one_would_need_it() -> None:
    """Pieces that are free in a pool which is too small are no part of the need, whatever the size of that pool."""
    events = (call(temporary=MIB), call(temporary=7 * MIB), call(temporary=7 * MIB))
    need = run(script(*events)).reserved_peak_bytes
    for limit in range(4 * MIB, need, MIB):
        found = run(script(*events), limit)
        assert (found.fits, found.reserved_peak_bytes) == (False, need)
        assert found.failure is not None
        assert f"of {limit // MIB}.0 MiB are in use" in found.failure
    assert run(script(*events), need).fits is True
