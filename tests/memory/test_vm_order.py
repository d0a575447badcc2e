"""The order of evaluation."""

from __future__ import annotations

from hypothesis import given, settings

from theanodiag.ir import Op, Type, TypeKind
from theanodiag.memory.execution_plan import execution_order

from .graphs import HOST, PLAIN, Sketch, random_sketches

IF = Op("IfElse", "if{}")
CONDITION = Type(TypeKind.TENSOR, "int8", ())


def test_depth_first_from_the_outputs() -> None:
    """The second output's nodes run after those of the first, wherever they stand in toposort order."""
    s = Sketch()
    x = s.shared((1, 1))
    (late,) = s.apply(PLAIN, [x], (1, 1))
    (early,) = s.apply(PLAIN, [x], (1, 1))
    assert execution_order(s.graph([early, late])) == (1, 0)
    assert execution_order(s.graph([early, late]), "py") == (0, 1)


def test_inputs_run_in_their_order() -> None:
    """A node's inputs are evaluated from the first to the last."""
    s = Sketch()
    x = s.shared((1, 1))
    (a,), (b,) = s.apply(PLAIN, [x], (1, 1)), s.apply(PLAIN, [x], (1, 1))
    (c,) = s.apply(PLAIN, [b, a], (1, 1))
    assert execution_order(s.graph([c])) == (1, 0, 2)


def test_what_reads_an_overwritten_value_runs_first() -> None:
    """Prerequisites come even before a node's own inputs."""
    s = Sketch()
    x = s.shared((1, 1))
    (reader,), (other,) = s.apply(PLAIN, [x], (1, 1)), s.apply(PLAIN, [x], (1, 1))
    (overwriter,) = s.apply(PLAIN, [other], (1, 1), after=(0,))
    assert execution_order(s.graph([overwriter, reader])) == (0, 1, 2)


def test_only_the_branch_that_is_taken_runs() -> None:
    """A lazy op runs the owner of its condition, then one branch."""
    s = Sketch()
    x = s.shared((1, 1))
    (condition,) = s.apply(PLAIN, [x], (), kind=CONDITION)
    (yes,), (no,) = s.apply(PLAIN, [x], (1, 1)), s.apply(PLAIN, [x], (1, 1))
    (out,) = s.apply(IF, [condition, yes, no], (1, 1))
    assert execution_order(s.graph([out]), choose=lambda node: True) == (0, 1, 3)
    assert execution_order(s.graph([out]), choose=lambda node: False) == (0, 2, 3)


def test_a_graph_may_be_as_deep_as_it_is_long() -> None:
    """A hundred thousand nodes in a row are no recursion."""
    s = Sketch()
    last = s.argument((1, 1), HOST)
    for _ in range(100_000):
        (last,) = s.apply(PLAIN, [last], (1, 1))
    assert execution_order(s.graph([last])) == tuple(range(100_000))


@settings(deadline=None)
@given(random_sketches())
def test_every_needed_node_runs_once_after_its_inputs(made: tuple[Sketch, list[int]]) -> None:
    """On random graphs: no node before the owners of its inputs, none twice, all that the outputs need."""
    sketch, outputs = made
    order = execution_order(sketch.graph(outputs))
    ready = set()
    for apply_id in order:
        owners = {sketch.variables[v].owner for v in sketch.applies[apply_id].inputs} - {None}
        assert owners <= ready
        assert apply_id not in ready
        ready.add(apply_id)
    assert {sketch.variables[v].owner for v in outputs} - {None} <= ready


def test_nobody_waits_for_a_branch_that_was_passed_over() -> None:
    """With garbage collection the machine marks what an IfElse did not want: not even a node that overwrites its input waits for it."""
    s = Sketch()
    x = s.shared((1, 1))
    (condition,) = s.apply(PLAIN, [x], (), kind=CONDITION)
    (yes,), (no,) = s.apply(PLAIN, [x], (1, 1)), s.apply(PLAIN, [x], (1, 1))
    (chosen,) = s.apply(IF, [condition, yes, no], (1, 1))
    (out,) = s.apply(PLAIN, [chosen], (1, 1), after=(2,))
    graph = s.graph([chosen, out])
    assert execution_order(graph) == (0, 1, 3, 4)
    assert execution_order(graph, allow_gc=False) == (0, 1, 3, 2, 4)
