"""The builder numbers what it makes as every reader does."""

from __future__ import annotations

import pytest

from tests.ir.graphs import step, step_graph
from theanodiag.errors import UnreadableError
from theanodiag.ir import Role, TypeKind, Unknown
from theanodiag.ir.builder import GraphBuilder, on_device, tensor


def test_updates_follow_what_is_returned() -> None:
    """An update is an output after the returned ones, and its input says which."""
    graph = step_graph()
    assert graph.n_returned == 1
    assert graph.outputs[graph.roles[1].update or 0] == graph.applies[2].outputs[0]


def test_an_input_without_an_update_says_none() -> None:
    """Only targets of updates have a position."""
    assert step_graph().roles[0].update is None


def test_owners_are_the_nodes_that_make_a_variable() -> None:
    """Inputs have no owner; each output has its node."""
    graph = step_graph()
    assert [v.owner for v in graph.variables] == [None, None, 0, 1, 2]


def test_a_shared_variable_has_the_id_it_was_given() -> None:
    """The id of the shared variable is not the id of the Variable."""
    entry = step_graph().roles[1]
    assert (entry.role, entry.shared) == (Role.SHARED, 7)


def test_the_table_holds_static_shapes() -> None:
    """A complete static shape is a shape; a missing dimension stays unknown."""
    b = GraphBuilder()
    known, open_ = b.argument("x", tensor(2, 3)), b.argument("y", tensor(2, None))
    shape = b.table().shape(open_)
    assert b.table().shape(known) == (2, 3)
    assert isinstance(shape, tuple)
    assert isinstance(shape[1], Unknown)


def test_device_types_are_on_the_device() -> None:
    """`on_device` gives a GpuArrayType."""
    kind = on_device(None, 3)
    assert kind.kind is TypeKind.GPUARRAY
    assert kind.text == "GpuArrayType<None>(float32, matrix)"


def test_a_broken_graph_is_not_handed_out() -> None:
    """A node that reads what comes later is refused when the graph is built."""
    b = step()
    b.applies.reverse()
    with pytest.raises(UnreadableError, match="Apply at position 0"):
        b.build(2)
