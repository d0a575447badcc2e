"""Whole scripts: what fits, what does not, what is not known, and what remains."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis

from theanodiag.ir import Unknown
from theanodiag.memory.profile import MemoryProfile, Origin
from theanodiag.memory.script import Call, Create, Delete, GetValue, Script, SetValue
from theanodiag.memory.settings import AllocatorKind, MemorySettings
from theanodiag.memory.simulate import simulate, simulate_figures
from theanodiag.ops.arrays import ItemKind
from theanodiag.rules.examples import dot_script, more_rows_script, trained_script

from .graphs import DEVICE, EXACT, HOST, ON_HOST, PLAIN, Sketch, random_sketches

MIB = 1 << 20


def doubled(rows: int) -> Script:
    """A function that makes an array as large as its shared variable of `rows` times 1 KiB."""
    s = Sketch()
    (y,) = s.apply(PLAIN, [s.shared((rows, 256))], (rows, 256))
    return s.script([y])


def with_events(script: Script, *events: object) -> Script:
    """The script with more at its end."""
    return replace(script, events=(*script.events, *events))


def test_it_fits() -> None:
    """Two arrays of 1 MiB on a device of 4 MiB: one block of libgpuarray."""
    profile = simulate(doubled(1024), MemorySettings(total_bytes=4 * MIB))
    assert profile.fits is True
    assert (profile.live_peak_bytes, profile.reserved_peak_bytes, profile.persistent_bytes) == (2 * MIB, 4 * MIB, MIB)


def test_the_first_request_that_does_not_fit_is_named() -> None:
    """The function that made it, its size, and how much was taken; the need is known all the same."""
    profile = simulate(doubled(5 * 1024), MemorySettings(total_bytes=12 * MIB))
    assert profile.fits is False
    assert profile.failed_function == 0
    assert "5242880 bytes" in str(profile.failure)
    assert profile.reserved_peak_bytes == 4 * MIB + 5 * MIB + 5 * MIB


@pytest.mark.parametrize(("gpu", "fits"), [("None", bool), ("dev1", Unknown)])
def test_what_does_not_fit_on_one_gpu_may_fit_on_two(gpu: str, fits: type) -> None:
    """Two arrays of 5 MiB, on one GPU of 8 MiB or each on its own: the need is that of both, and only one GPU makes it a verdict."""
    s = Sketch()
    there = [s.shared((5 * 1024, 256)), s.shared((5 * 1024, 256), kind=replace(DEVICE, text=f"GpuArrayType<{gpu}>(float32, matrix)"))]
    script = s.script(there)
    profile = simulate(script, MemorySettings(total_bytes=8 * MIB))
    assert isinstance(profile.fits, fits)
    assert script.gpus == tuple(sorted({"None", gpu}))
    assert profile.live_peak_bytes == 10 * MIB
    assert simulate(script, MemorySettings(total_bytes=20 * MIB)).fits is True


def test_a_shared_variable_may_be_what_does_not_fit() -> None:
    """Then no function failed."""
    profile = simulate(doubled(5 * 1024), MemorySettings(total_bytes=6 * MIB))
    assert (profile.fits, profile.failed_function) == (False, None)


def test_unknown_sizes_make_a_lower_bound() -> None:
    """They are listed once, and whether it fits is unknown too."""
    script = doubled(1024)
    call = script.events[-1]
    assert isinstance(call, Call)
    table = replace(call.shapes, shapes={**call.shapes.shapes, 1: (Unknown("depends on data"), 256)})
    profile = simulate(replace(script, events=(*script.events[:-1], replace(call, shapes=table))), EXACT)
    assert [u.reason for u in profile.functions[0].unknown] == ["depends on data"]
    assert isinstance(profile.fits, Unknown)
    assert profile.live_peak_bytes == MIB


def test_on_the_host_tensors_count() -> None:
    """Exactly their bytes, arguments included."""
    s = Sketch()
    (y,) = s.apply(PLAIN, [s.argument((10, 4), HOST)], (30, 4), kind=HOST)
    profile = simulate(s.script([y]), ON_HOST)
    assert profile.functions[0].figures.live_peak_bytes == (10 + 30) * 16
    assert [i.kind for i in profile.functions[0].items] == [ItemKind.INPUT, ItemKind.OUTPUT]


@pytest.mark.parametrize(("flag", "reserved"), [(0.0, 4), (0.25, 25), (10.0, 14), (1.0, 99), (-1.0, 2)])
def test_preallocation(flag: float, reserved: int) -> None:
    """A fraction of the device (1 means 95 %), or MB beside the block that any flag of 1 or more primes; without a cache just the peak."""
    profile = simulate(doubled(1024), MemorySettings(preallocate=flag, total_bytes=100 * MIB))
    assert profile.reserved_peak_bytes == reserved * MIB


def test_a_preallocation_that_is_refused() -> None:
    """Theano would go on with the CPU: that is a failure, and says so."""
    profile = simulate(doubled(1), MemorySettings(preallocate=200.0, total_bytes=100 * MIB))
    assert profile.fits is False
    assert "gpuarray.preallocate" in str(profile.failure)


def test_set_value_of_the_same_shape_writes_in_place() -> None:
    """Of another shape it holds both for a moment."""
    script = with_events(doubled(1024), SetValue(0, (1024, 256)))
    assert simulate(script, EXACT).live_peak_bytes == 2 * MIB
    larger = simulate(with_events(script, SetValue(0, (4096, 256))), EXACT)
    assert (larger.live_peak_bytes, larger.persistent_bytes) == (5 * MIB, 4 * MIB)


def test_a_device_copy_of_a_value_is_taken_and_given_back() -> None:
    """`get_value(return_internal_type=True)` copies, unless it borrows."""
    script = with_events(Script(doubled(1024).shared, (), (Create(0, (1024, 256)),)), GetValue(0, internal=True))
    assert simulate(script, EXACT).live_peak_bytes == 2 * MIB
    assert simulate(with_events(script, GetValue(0, internal=True, borrow=True)), EXACT).persistent_bytes == MIB


def test_nothing_remains_of_what_is_deleted() -> None:
    """A function goes with its constants and cells, a shared variable with its value."""
    script = with_events(doubled(1024), Delete(function=0), Delete(shared=0))
    assert simulate(script, MemorySettings(preallocate=-1.0, allow_gc=False)).persistent_bytes == 0


def test_the_call_with_the_highest_peak_is_the_function_s_profile() -> None:
    """Of calls with 1 and 3 MiB the second."""
    script = doubled(1024)
    call = script.events[-1]
    assert isinstance(call, Call)
    larger = replace(call, shapes=replace(call.shapes, shapes={**call.shapes.shapes, 1: (3072, 256)}))
    profile = simulate(replace(script, events=(*script.events, larger, call)), EXACT)
    assert (profile.functions[0].call, profile.functions[0].figures.live_peak_bytes) == (1, 4 * MIB)
    assert len(profile.calls[0]) == 3


def sums_hold(profile: MemoryProfile) -> bool:
    """Whether the lines add up to the live peak, and the timeline never exceeds it."""
    beside = (ItemKind.FRAGMENTATION, ItemKind.CONTEXT)
    peak = profile.figures.live_peak_bytes
    lines = sum(i.bytes for i in profile.items if i.kind not in beside)
    return lines == peak == sum(v.nbytes for v in profile.at_peak) == max(s.live_bytes for s in profile.timeline)


@hypothesis(deadline=None)
@given(random_sketches())
def test_the_account_adds_up(made: tuple[Sketch, list[int]]) -> None:
    """On random graphs, with and without the cache: items, buffers at the peak and the timeline agree to the byte."""
    sketch, outputs = made
    script = sketch.script(outputs, calls=2)
    for settings in (EXACT, MemorySettings(), MemorySettings(allow_gc=False)):
        profile = simulate(script, settings)
        assert sums_hold(profile.functions[0])
        assert profile.reserved_peak_bytes >= profile.live_peak_bytes
        assert profile.functions[0].origin is Origin.DERIVED


@hypothesis(deadline=None)
@given(random_sketches())
def test_brute_force_lifetimes(made: tuple[Sketch, list[int]]) -> None:
    """On random graphs: the live peak is the most that buffers, each from its making to its last reader, add up to."""
    sketch, outputs = made
    profile = simulate(sketch.script(outputs), EXACT).functions[0]
    assert profile.figures.live_peak_bytes == brute_force(sketch, outputs, profile.order)


def brute_force(sketch: Sketch, outputs: list[int], order: tuple[int, ...]) -> int:
    """The peak of one call, from intervals alone."""
    base = {v.id: v.id for v in sketch.variables}
    for node in sketch.applies:
        if node.op is not PLAIN:
            base[node.outputs[0]] = base[node.inputs[0]]
    end = len(order)
    last: dict[int, int] = {}
    for v in sketch.variables:
        readers = [c for c, _ in sketch.graph(outputs).clients[v.id]]
        skipped = v.id in outputs or not readers or any(c not in order for c in readers) or v.owner is None
        until = end if skipped else max(order.index(c) for c in readers)
        if v.owner is None or v.owner in order:
            last[base[v.id]] = max(last.get(base[v.id], 0), until)
    born = {b: -1 if sketch.variables[b].owner is None else order.index(sketch.variables[b].owner) for b in last}
    sizes = {b: sketch.shapes[b][0] * 16 for b in last}
    return max(sum(sizes[b] for b in last if born[b] <= step <= last[b]) for step in range(-1, end))


def test_old_cuda_back_end() -> None:
    """`lib.cnmem` reserves at the start and grows by what is asked."""
    settings = MemorySettings(allocator=AllocatorKind.CNMEM, cnmem=0.5, total_bytes=4 * MIB)
    profile = simulate(doubled(1024), settings)
    assert (profile.reserved_peak_bytes, profile.live_peak_bytes) == (2 * MIB, 2 * MIB)


@pytest.mark.parametrize("script", [dot_script(6000, 1500), trained_script(5000, 1500), more_rows_script(20_000, 15_000)])
def test_figures_without_details_are_the_same(script: Script) -> None:
    """They differ in what is live at the peak and in the steps alone."""
    whole, brief = simulate(script, MemorySettings()), simulate_figures(script, MemorySettings())
    assert brief.reserved_peak_bytes == whole.reserved_peak_bytes
    assert brief.live_peak_bytes == whole.live_peak_bytes
    assert brief.calls == whole.calls
    assert {i: p.figures for i, p in brief.functions.items()} == {i: p.figures for i, p in whole.functions.items()}
    assert brief.simulated == whole.simulated
