"""Every rule on inputs and parameters that make no sense: an answer, never an exception, and linear time."""

from __future__ import annotations

import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from theanodiag.ir import Op, Unknown
from theanodiag.ir.builder import GraphBuilder, tensor
from theanodiag.ir.shape import is_exact
from theanodiag.ops import OpSpec
from theanodiag.ops.node import Node, Shapes
from theanodiag.ops.registry import with_shape_rule
from theanodiag.shapes import infer

from .made import Known, Sized, shapes_of

NAMES = [n.replace("*", "Normal") for n in with_shape_rule()]
SIZED = st.builds(Sized, st.lists(st.integers(0, 4), max_size=5).map(tuple), st.sampled_from(["float32", "bool", "int64"]))
NUMBERS = st.integers(-3, 6)
KNOWN = st.builds(Known, NUMBERS | st.lists(NUMBERS, max_size=4).map(tuple))
READ = (
    "axis", "idx_list", "new_order", "border_mode", "subsample", "ndims_params", "ndim_supp", "signature", "args", "offset", "scalar_op",
    "static_pad_width", "mode", "as_while", "ndim", "outdim", "i", "n", "num_groups", "filter_dilation", "axes", "return_inverse",
)  # fmt: skip
"""Parameters that rules read."""
ENTRIES = NUMBERS | st.just("i") | st.none() | st.lists(NUMBERS | st.none(), max_size=3)
SLICES = st.lists(ENTRIES, min_size=3, max_size=3).map(lambda s: {"slice": s})
WORDS = st.sampled_from(["valid", "half", "(a),()->(a)", "x", "Add", "IntDiv", "Pow", "Composite"])
PARAMETERS = st.dictionaries(
    st.sampled_from(READ),
    st.none() | st.booleans() | NUMBERS | WORDS | st.lists(ENTRIES | SLICES, max_size=4),
    max_size=3,
)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=400, deadline=None)
@given(st.sampled_from(NAMES), st.lists(SIZED | KNOWN, max_size=5), st.lists(st.integers(0, 4), min_size=1, max_size=3), PARAMETERS)
def test_no_rule_fails(name: str, inputs: list[object], ndims: list[int], params: dict[str, object]) -> None:
    """No rule raises anything but NoShape; dimensions are numbers that are not below 0, or Unknown with a reason."""
    found = shapes_of(Op(name, name, params=params), inputs, ndims)
    for shape, ndim in zip(found, ndims):
        assert not isinstance(shape, Unknown)
        assert len(shape) == ndim
        assert all(d.reason if isinstance(d, Unknown) else d >= 0 for d in shape)


class Broken(Exception):
    """What a faulty rule raises."""


@pytest.mark.parametrize("error", [TypeError, IndexError, ZeroDivisionError, Broken])
def test_a_rule_that_fails_would_be_seen(error: type[Exception]) -> None:
    """The net has no hole: what a rule raises comes out here, and a report says Unknown of it."""

    def rule(node: Node) -> Shapes:
        raise error

    def entries(name: str) -> OpSpec:
        return OpSpec(name, shape=rule)

    b = GraphBuilder()
    x = b.argument("x", tensor(None))
    y = b.apply(Op("Faulty", "Faulty"), [x], tensor(None))
    with pytest.raises(error):
        infer(b.build(y), {x: (3,)}, entries=entries, strict=True)
    if error is not Broken:
        assert not is_exact(infer(b.build(y), {x: (3,)}, entries=entries).shape(y))


def calls(length: int) -> int:
    """Calls that a chain of so many nodes takes."""
    b = GraphBuilder()
    x = y = b.argument("x", tensor(None, None))
    for _ in range(length):
        y = b.apply(Op("Elemwise", "Elemwise{add}", params={"scalar_op": "Add"}), [y, x], tensor(None, None))
    graph, found = b.build(y), 0

    def count(frame: object, event: str, arg: object) -> None:
        nonlocal found
        found += 1

    sys.setprofile(count)
    try:
        table = infer(graph, {x: (5, 5)})
    finally:
        sys.setprofile(None)
    assert table.shape(y) == (5, 5)
    return found


@pytest.mark.parametrize("length", [3000])
def test_work_grows_with_the_graph_and_not_faster(length: int) -> None:
    """Ten times the nodes, not more than ten times the work; and no recursion."""
    assert calls(10 * length) <= 10 * calls(length)
