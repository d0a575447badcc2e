"""The frozen graph: who reads what, what inputs are, which kinds live on a device."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis

from tests.ir.graphs import ADD, DOT, looped, random_graphs, step_graph
from theanodiag.ir import Apply, Constant, FunctionGraph, GraphInput, Op, Role, Site, Type, TypeKind, Variable
from theanodiag.ir.builder import tensor
from theanodiag.ir.serial import graph_from_json


def test_clients_have_the_position_at_which_they_read() -> None:
    """x is the first input of nodes 0 and 1, W the second of 0 and the first of 2."""
    assert step_graph().clients == (((0, 0), (1, 0)), ((0, 1), (2, 0)), (), ((2, 1),), ())


def test_a_variable_read_twice_has_two_entries() -> None:
    """`dot(x, x)`: the same node at two positions."""
    graph = step_graph()
    twice = replace(graph, applies=(Apply(0, DOT, (0, 0), (2,)),))
    assert twice.clients[0] == ((0, 0), (0, 1))


@hypothesis(deadline=None)
@given(random_graphs())
def test_clients_are_the_inputs_turned_round(graph: FunctionGraph) -> None:
    """On random graphs: both tell the same pairs."""
    forward = {(v, node.id, k) for node in graph.applies for k, v in enumerate(node.inputs)}
    assert {(v, node, k) for v, row in enumerate(graph.clients) for node, k in row} == forward


def test_roles_are_by_variable() -> None:
    """x is an argument, W shared and updated by the second output."""
    roles = step_graph().roles
    assert (roles[0].role, roles[1].role, roles[1].update) == (Role.ARGUMENT, Role.SHARED, 1)
    assert 2 not in roles


@pytest.mark.parametrize(("returned", "expected"), [(None, 2), (0, 0), (1, 1), (2, 2)])
def test_how_many_outputs_are_returned(returned: int | None, expected: int) -> None:
    """All, where nobody says."""
    assert replace(step_graph(), returned=returned).n_returned == expected


@pytest.mark.parametrize("kind", TypeKind)
def test_only_two_kinds_are_on_the_device(kind: TypeKind) -> None:
    """The arrays of libgpuarray, and those of the back-end before it."""
    assert kind.on_device is (kind.name in ("GPUARRAY", "CUDANDARRAY"))


@pytest.mark.parametrize(("shape", "ndim"), [((), 0), ((None,), 1), ((1, None, 3), 3)])
def test_the_number_of_dimensions_is_that_of_the_static_shape(shape: tuple[int | None, ...], ndim: int) -> None:
    """Whether their lengths are known or not."""
    assert Type(TypeKind.TENSOR, "float32", shape).ndim == ndim


def test_a_site_is_written_as_a_place() -> None:
    """As compilers write it."""
    assert str(Site("model.py", 12, "build", "y = x")) == "model.py:12"


@pytest.mark.parametrize(
    "thing",
    [step_graph(), step_graph().applies[0], step_graph().variables[0], step_graph().inputs[0], DOT, Site("m", 1), tensor(2)],
    ids=lambda t: type(t).__name__,
)
def test_nothing_can_be_changed(thing: object) -> None:
    """A step hands on what the next one may rely on."""
    name = next(iter(vars(thing)))
    with pytest.raises(FrozenInstanceError):
        setattr(thing, name, None)


def test_equal_ops_have_equal_hashes() -> None:
    """Though their parameters are mappings, which have none."""
    same = Op("Elemwise", ADD.text, ADD.module, dict(ADD.params), {}, {0: (0,)})
    assert same == ADD
    assert len({same, ADD, DOT}) == 2


def test_ops_that_only_differ_in_parameters_are_not_equal() -> None:
    """They share a hash, no more."""
    other = replace(ADD, params={"scalar_op": "Mul"})
    assert (hash(other) == hash(ADD), other == ADD) == (True, False)


def test_a_constant_is_a_variable_without_an_owner() -> None:
    """Whatever its value."""
    found = Constant(0, tensor(2), shape=(2,), value=(1.0, 2.0))
    assert isinstance(found, Variable)
    assert found.owner is None


def test_an_input_is_an_argument_unless_it_says_otherwise() -> None:
    """Neither borrowed nor overwritten nor updated."""
    entry = GraphInput(3)
    assert (entry.role, entry.shared, entry.update, entry.borrow, entry.mutable) == (Role.ARGUMENT, None, None, False, False)


def test_inner_graphs_are_part_of_the_op() -> None:
    """Two loops with different insides are different ops."""
    op = looped().applies[0].op
    assert op.inner is not None
    assert replace(op, inner=replace(op.inner, name="other")) != op


class TestShown:
    """A graph as text and as plain values."""

    def test_its_text_has_a_line_for_each_node(self) -> None:
        """With the types of what the node reads and computes."""
        graph = step_graph()
        lines = str(graph).splitlines()
        assert len(lines) == 1 + len(graph.applies)
        assert repr(graph) == f"<FunctionGraph {lines[0]}>"
        assert [graph.applies[k].op.text in line for k, line in enumerate(lines[1:])] == [True] * len(graph.applies)

    def test_a_large_graph_is_cut(self) -> None:
        """The text says how much is left out."""
        graph = step_graph()
        many = tuple(Apply(k, DOT, (0, 1), (2,)) for k in range(1000))
        lines = str(replace(graph, applies=many)).splitlines()
        assert len(lines) == 202
        assert lines[-1] == "and 800 more nodes"

    def test_a_name_cannot_move_the_cursor(self) -> None:
        """It comes from a script or a paste."""
        assert "\x1b" not in str(replace(step_graph(), name="a\x1b[2Jb"))

    @pytest.mark.parametrize("make", [step_graph, looped])
    def test_its_values_are_read_as_the_same_graph(self, make: Callable[[], FunctionGraph]) -> None:
        """`to_json` loses nothing."""
        assert graph_from_json(json.loads(make().to_json())) == make()
        assert json.loads(json.dumps(make().to_dict())) == json.loads(make().to_json())
