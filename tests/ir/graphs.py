"""Graphs of which each test breaks or reads one thing."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from theanodiag.ir import FunctionGraph, Op, Site
from theanodiag.ir.builder import GraphBuilder, tensor

DOT = Op("Dot22", "Dot22", "theano.tensor.blas")
ADD = Op("Elemwise", "Elemwise{add}[(0, 0)]", "theano.tensor.elemwise", {"scalar_op": "Add"}, {}, {0: (0,)})
VIEW = Op("DimShuffle", "InplaceDimShuffle{1,0}", "theano.tensor.elemwise", {"new_order": [1, 0]}, {0: (0,)})


def step() -> GraphBuilder:
    """`W <- W + x.T` and `dot(x, W)` returned; the update must wait for the dot."""
    b = GraphBuilder("step")
    x, w = b.argument("x", tensor(3, 4)), b.shared("W", tensor(4, 3), id=7)
    product = b.apply(DOT, [x, w], tensor(3, 3), name="y")
    turned = b.apply(VIEW, [x], tensor(4, 3))
    b.update(w, b.apply(ADD, [w, turned], tensor(4, 3), after=[0]))
    b.variables[product] = b.variables[product].__class__(product, tensor(3, 3), "y", 0, Site("model.py", 12, "build", "y = dot(x, W)"))
    return b


def step_graph() -> FunctionGraph:
    """The graph of `step`."""
    return step().build(2)


def looped() -> FunctionGraph:
    """A Scan whose inner graph is `step`."""
    b = GraphBuilder("outer")
    x = b.argument("x", tensor(None, 4))
    two = b.constant(tensor(dtype="int64"), 2)
    inner = step().build(2, info={"kind": "scan", "n_seqs": 1})
    return b.build(b.apply(Op("Scan", "for{cpu,scan_fn}", inner=inner), [two, x], tensor(None, 3, 3)))


@st.composite
def random_graphs(draw: st.DrawFn) -> FunctionGraph:
    """Any DAG of a few dozen nodes with one to three inputs and one or two outputs each."""
    b = GraphBuilder("random")
    known = [b.argument(f"x{i}", tensor(None, 2)) for i in range(draw(st.integers(1, 3)))]
    known.append(b.constant(tensor(2), (1.5, 2.5)))
    for _ in range(draw(st.integers(0, 20))):
        inputs = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3))
        op = draw(st.sampled_from((DOT, ADD, VIEW)))
        known += b.apply_many(op, inputs, [tensor(None, 2)] * draw(st.integers(1, 2)))
    return b.build(*draw(st.lists(st.sampled_from(known), min_size=1, max_size=3)))


def respects_dependencies(graph: FunctionGraph, order: Sequence[int]) -> bool:
    """Whether `order` (Apply ids) runs each node at most once, after what it reads was made and after the nodes of its `after`.

    An `after` that does not run at all binds nothing.
    """
    position = {node: i for i, node in enumerate(order)}
    if len(position) != len(order):
        return False
    for i, id in enumerate(order):
        node = graph.applies[id]
        makers = [owner for v in node.inputs if (owner := graph.variables[v].owner) is not None]
        if any(position.get(maker, len(order)) >= i for maker in makers):
            return False
        if any(position.get(earlier, -1) >= i for earlier in node.after):
            return False
    return True
