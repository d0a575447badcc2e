"""Outputs that nothing reads and no text shows."""

from __future__ import annotations

from tests.printed.texts import MATRIX, VECTOR, mapped
from theanodiag.ir import Op
from theanodiag.ir.builder import GraphBuilder, on_device, tensor
from theanodiag.ir.graph import verify
from theanodiag.printed import read_debugprint
from theanodiag.shapes import infer
from theanodiag.shapes.untyped import with_unprinted


def test_likelihoods_without_their_classes() -> None:
    """The Op makes all three, on its device."""
    b = GraphBuilder()
    x, bias, y = b.argument("x", on_device(None, None)), b.argument("b", on_device(None)), b.argument("y", on_device(None, dtype="int32"))
    nll = b.apply(Op("GpuCrossentropySoftmaxArgmax1HotWithBias", ""), [x, bias, y], on_device(None))
    graph = with_unprinted(b.build(nll))
    verify(graph)
    table = infer(graph, {x: (5, 3), bias: (3,), y: (5,)})
    made = [graph.variables[v] for v in graph.applies[0].outputs]
    assert [table.shape(v.id) for v in made] == [(5,), (5, 3), (5,)]
    assert [v.type.dtype for v in made] == ["float32", "float32", "int32"]
    assert all(v.type.kind.on_device for v in made)


def test_a_maximum_without_its_position() -> None:
    """Both have the dimensions that are left."""
    b = GraphBuilder()
    x = b.argument("x", tensor(None, None))
    most = b.apply(Op("MaxAndArgmax", "MaxAndArgmax{axis=(1,)}", params={"axis": [1]}), [x], tensor(None))
    graph = with_unprinted(b.build(most))
    position = graph.variables[graph.applies[0].outputs[1]]
    assert (position.type.dtype, position.type.ndim) == ("int64", 1)


def test_results_of_a_composite_that_nothing_reads() -> None:
    """The graph inside of it shows how many there are, and of what dtype."""
    text = """Exp [id A] <Vector(float32, shape=(?,))> 1
 └─ Composite{...}.1 [id B] <Vector(float32, shape=(?,))> 0
    └─ x [id C] <Vector(float32, shape=(?,))>

Inner graphs:

Composite{...} [id B]
 ← Cast{int64} [id D] <int64>
    └─ i0 [id E] <float32>
 ← sqr [id F] <float32>
    └─ i0 [id E] <float32>
 ← GT [id G] <bool>
    ├─ i0 [id E] <float32>
    └─ 1 [id H] <int8>
"""
    graph = with_unprinted(read_debugprint(text).graph)
    verify(graph)
    composite = next(n for n in graph.applies if len(n.outputs) == 3)
    assert [graph.variables[v].type.dtype for v in composite.outputs] == ["int64", "float32", "bool"]
    table = infer(graph, {graph.inputs[0].variable: (7,)})
    assert [table.shape(v) for v in composite.outputs] == [(7,)] * 3


def test_a_live_graph_is_left_alone() -> None:
    """It shows all of its outputs."""
    b = GraphBuilder()
    x = b.argument("x", tensor(None, None))
    most = b.apply(Op("MaxAndArgmax", "", module="theano.tensor.basic", params={"axis": [1]}), [x], tensor(None))
    graph = b.build(most)
    assert with_unprinted(graph) == graph


def test_the_running_sum_of_the_first_gpu_back_end() -> None:
    """`GpuCumsum{1}`, of Theano 0.9's sandbox/cuda/extra_ops.py, names the axis along which it goes."""
    text = "GpuCumsum{1} [id A] <CudaNdarrayType(float32, matrix)> ''\n |x [id B] <CudaNdarrayType(float32, matrix)>\n"
    graph = read_debugprint(text).graph
    assert infer(graph, {graph.inputs[0].variable: (3, 4)}).shape(graph.outputs[0]) == (3, 4)


def test_parts_inside_of_a_scan() -> None:
    """A Split in a step makes all of them, though one is read only."""
    step = f""" ← Split{{3}}.1 [id D] {VECTOR}
    ├─ i0 [id E] {VECTOR} -> [id C]
    ├─ 0 [id F] <Scalar(int8, shape=())>
    └─ [1 2 3] [id G] <Vector(int64, shape=(3,))>
"""
    graph = with_unprinted(read_debugprint(mapped(MATRIX, step)).graph)
    inner = graph.applies[1].op.inner
    assert inner is not None
    assert [inner.variables[v].type.dtype for v in inner.applies[0].outputs] == ["float32"] * 3
    assert with_unprinted(graph) is graph
