"""When storage cells are emptied."""

from __future__ import annotations

from hypothesis import given, settings

from theanodiag.ir import Op
from theanodiag.memory.execution_plan import dropped_after, dropped_at_end, execution_order

from .graphs import PLAIN, Sketch, random_sketches


def test_after_the_last_client() -> None:
    """An intermediate goes right after the step in which its last client ran (case 1)."""
    s = Sketch()
    x = s.shared((1, 1))
    (a,) = s.apply(PLAIN, [x], (1, 1))
    (b,) = s.apply(PLAIN, [a], (1, 1))
    (c,) = s.apply(PLAIN, [a, b], (1, 1))
    graph = s.graph([c])
    assert dropped_after(graph, execution_order(graph)) == ((), (), (a, b))


def test_outputs_that_nobody_uses_stay_until_the_end() -> None:
    """The second output of a node, without clients, is emptied when the call ends (case 2)."""
    s = Sketch()
    x = s.shared((1, 1))
    used, unused = s.apply(PLAIN, [x], (1, 1), (1, 1))
    (out,) = s.apply(PLAIN, [used], (1, 1))
    graph = s.graph([out])
    assert dropped_at_end(graph, execution_order(graph)) == (unused,)


def test_a_client_that_does_not_run_keeps_its_input() -> None:
    """What a branch that was not taken would have used stays until the end of the call (case 2)."""
    s = Sketch()
    x = s.shared((1, 1))
    (a,) = s.apply(PLAIN, [x], (1, 1))
    s.apply(PLAIN, [a], (1, 1))
    (out,) = s.apply(PLAIN, [a], (1, 1))
    graph = s.graph([out])
    assert dropped_after(graph, (0, 2)) == ((), ())
    assert dropped_at_end(graph, (0, 2)) == (a,)


def test_inputs_and_outputs_are_never_dropped_early() -> None:
    """Shared values and results keep their cells (cases 3 and 5)."""
    s = Sketch()
    x = s.shared((1, 1))
    (a,) = s.apply(PLAIN, [x], (1, 1))
    (b,) = s.apply(PLAIN, [a], (1, 1))
    graph = s.graph([a, b])
    assert dropped_after(graph, execution_order(graph)) == ((), ())


@settings(deadline=None)
@given(random_sketches())
def test_brute_force(made: tuple[Sketch, list[int]]) -> None:
    """On random graphs: dropped after a step exactly if a client ran there and no later step reads it."""
    sketch, outputs = made
    graph = sketch.graph(outputs)
    order = execution_order(graph)
    for step, dropped in enumerate(dropped_after(graph, order)):
        later = {v for apply_id in order[step + 1 :] for v in graph.applies[apply_id].inputs}
        skipped = {v for node in graph.applies if node.id not in order for v in node.inputs}
        mine = {v for v in graph.applies[order[step]].inputs if graph.variables[v].owner is not None}
        assert set(dropped) == mine - later - skipped - set(outputs)


def test_what_is_made_after_its_last_client_ran_stays_until_the_end() -> None:
    """A lazy op that did not want a value may run before another node makes that value as a side product (case 2)."""
    s = Sketch()
    x = s.shared((1, 1))
    wanted, beside = s.apply(PLAIN, [x], (1, 1), (1, 1))
    (lazy,) = s.apply(PLAIN, [x, beside], (1, 1))
    (out,) = s.apply(PLAIN, [lazy, wanted], (1, 1))
    graph = s.graph([out])
    order = (1, 0, 2)
    assert dropped_after(graph, order) == ((), (), (lazy, wanted))
    assert dropped_at_end(graph, order) == (beside,)


def test_a_branch_that_was_passed_over_counts_as_done() -> None:
    """Its maker's input goes when its next client ran after the lazy node, not only at the end."""
    s = Sketch()
    x = s.shared((1, 1))
    (value,) = s.apply(PLAIN, [x], (1, 1))
    (yes,), (no,) = s.apply(PLAIN, [x], (1, 1)), s.apply(PLAIN, [value], (1, 1))
    (chosen,) = s.apply(Op("IfElse", "if{}"), [x, yes, no], (1, 1))
    (out,) = s.apply(PLAIN, [chosen, value], (1, 1))
    graph = s.graph([out])
    assert dropped_after(graph, (1, 3, 0, 4)) == ((), (yes,), (), (chosen, value))
