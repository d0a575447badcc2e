"""Graphs of the host, placed on a device."""

from __future__ import annotations

from dataclasses import replace

from theanodiag.ir import Op, Type, TypeKind
from theanodiag.memory.gpu_lowering import lift
from theanodiag.memory.profile import Origin
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate

from ..graphs import HOST, PLAIN, Sketch

LIFTED = MemorySettings(preallocate=-1.0, lift=True)
INDEX = Type(TypeKind.TENSOR, "int64", ())
SHAPE = Op("Shape_i", "Shape_i{0}")


def layer() -> tuple[Sketch, int]:
    """tanh(dot(x, W)) of an argument and a shared variable, all on the host."""
    s = Sketch()
    x, w = s.argument((10, 20)), s.shared((20, 30), kind=HOST)
    (product,) = s.apply(Op("Dot22", "Dot22"), [x, w], (10, 30), kind=HOST)
    (out,) = s.apply(Op("Elemwise", "Elemwise{tanh}", destroy_map={0: (0,)}), [product], (10, 30), kind=HOST)
    return s, out


def test_arguments_are_copied_and_results_come_back() -> None:
    """GpuFromHost in front of the product, HostFromGpu behind the last op."""
    s, out = layer()
    graph = lift(s.script([out])).functions[0].graph
    assert [n.op.name for n in graph.applies] == ["GpuFromHost", "GpuDot22", "GpuElemwise", "HostFromGpu"]
    assert not graph.variables[graph.outputs[0]].type.kind.on_device


def test_shared_variables_live_on_the_device() -> None:
    """The weights count before the call; argument and product come in addition, and the result is in the product's memory.

    Each of the two nodes may hold a constant that was fused into it.
    """
    s, out = layer()
    profile = simulate(s.script([out]), LIFTED).functions[0]
    sizes = {"x": 10 * 20 * 4, "w": 20 * 30 * 4, "product": 10 * 30 * 4}
    fused = 2 * 4
    assert profile.figures.live_before_bytes == sizes["w"] + fused
    assert profile.figures.live_peak_bytes == sum(sizes.values()) + fused
    assert profile.origin is Origin.BOUNDED


def test_sizes_stay_on_the_host() -> None:
    """Arithmetic on shapes needs no device."""
    s = Sketch()
    (n,) = s.apply(SHAPE, [s.shared((10, 20), kind=HOST)], (), kind=INDEX)
    graph = lift(s.script([n])).functions[0].graph
    assert not graph.variables[graph.outputs[0]].type.kind.on_device
    assert simulate(s.script([n]), LIFTED).functions[0].figures.live_peak_bytes == 10 * 20 * 4


def test_updates_stay_on_the_device() -> None:
    """The new value of a shared variable is not brought back."""
    s = Sketch()
    w = s.shared((20, 30), update=0, kind=HOST)
    (new,) = s.apply(PLAIN, [w], (20, 30), kind=HOST)
    graph = lift(s.script([new], returned=0)).functions[0].graph
    assert [n.op.name for n in graph.applies] == ["Plain"]
    assert graph.variables[graph.outputs[0]].type.kind.on_device


def test_a_script_that_is_on_a_device_already_stays_as_it_is() -> None:
    """Nothing is placed twice."""
    s = Sketch()
    (y,) = s.apply(PLAIN, [s.shared((2, 2))], (2, 2))
    script = s.script([y])
    assert lift(script) is script


def test_the_shapes_of_copies_are_those_of_their_sources() -> None:
    """The table of a call knows the new Variables too."""
    s, out = layer()
    lifted = lift(s.script([out]))
    call = lifted.events[-1]
    graph = lifted.functions[0].graph
    copy = graph.applies[0]
    assert call == replace(call, shapes=call.shapes)  # type: ignore[union-attr, type-var]
    assert call.shapes.shape(copy.outputs[0]) == (10, 20)  # type: ignore[union-attr]


def test_scale_factors_of_blas_stay_on_the_host() -> None:
    """GpuGemm takes alpha and beta from the host: they are no constants of the device."""
    s = Sketch()
    z, x, w = s.shared((10, 30), kind=HOST), s.argument((10, 20)), s.shared((20, 30), kind=HOST)
    scalar = s.constant(())
    s.variables[scalar] = replace(s.variables[scalar], type=Type(TypeKind.TENSOR, "float32", ()))
    (out,) = s.apply(Op("Gemm", "Gemm{no_inplace}"), [z, scalar, x, w, scalar], (10, 30), kind=HOST)
    held = 3 * 4
    assert simulate(s.script([out]), LIFTED).functions[0].figures.live_before_bytes == (10 * 30 + 20 * 30) * 4 + held
