"""Functions without one of their outputs, and constants as shared variables: what is left, on random graphs and by hand."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.memory.graphs import EXACT, PLAIN, VIEW, Sketch, random_sketches
from theanodiag.ir import ShapeTable
from theanodiag.ir.graph import verify
from theanodiag.memory.script import Call, Compile, Script
from theanodiag.memory.simulate import simulate
from theanodiag.plans.graphs.edit import pruned, with_graph
from theanodiag.plans.graphs.large_arrays import as_shared, find_constants
from theanodiag.plans.graphs.lifetimes import Alone, alone, without_output

Made = tuple[Sketch, list[int]]


@settings(deadline=None, max_examples=40)
@given(random_sketches(), st.data())
def test_one_output_less_is_the_graph_of_the_others(made: Made, data: st.DataObject) -> None:
    """On random graphs: the same figures as if the function had been made without it."""
    sketch, outputs = made
    position = data.draw(st.integers(0, len(outputs) - 1))
    fewer = without_output(sketch.script(outputs), 0, position)
    verify(fewer.functions[0].graph)
    plain = sketch.script([*outputs[:position], *outputs[position + 1 :]])
    plain = with_graph(plain, 0, pruned(plain.functions[0].graph))
    assert simulate(fewer, EXACT).functions[0].figures == simulate(plain, EXACT).functions[0].figures


def test_updates_stay_where_they_were() -> None:
    """The new value of a shared variable is a later output: it moves up by one."""
    s = Sketch()
    w = s.shared((1, 4), update=2)
    (a,), (b,), (c,) = (s.apply(PLAIN, [w], (1, 4)) for _ in range(3))
    graph = without_output(s.script([a, b, c], returned=2), 0, 0).functions[0].graph
    assert (graph.outputs, graph.n_returned, graph.inputs[0].update) == ((b, c), 1, 1)


def test_work_for_one_output_alone() -> None:
    """What others need too does not count, nor does a view."""
    s = Sketch()
    x = s.shared((1, 4))
    (a,) = s.apply(PLAIN, [x], (10, 4))
    (b,) = s.apply(PLAIN, [a], (5, 4))
    (c,) = s.apply(VIEW, [a], (10, 4))
    graph = s.graph([b, c])
    assert alone(graph, s.table(), (0, 1)) == {0: Alone(5 * 4 * 4, 15 * 4 * 4), 1: Alone(0, 10 * 4 * 4)}


def twice(name: str | None) -> Script:
    """Two functions with a constant of 4 MB each."""
    s = Sketch()
    x = s.argument((1, 4))
    k = s.constant((250_000, 4))
    s.variables[k] = replace(s.variables[k], name=name)
    (y,) = s.apply(PLAIN, [x, k], (1, 4))
    script = s.script([y])
    both = (script.functions[0], replace(script.functions[0], index=1))
    return replace(script, functions=both, events=(*script.events, Compile(1), replace(script.events[-1], function=1)))


def test_equal_constants_become_one_shared_variable() -> None:
    """One copy instead of two, once each function is compiled."""
    script = twice("data")
    (found,) = find_constants(script)
    assert (found.nbytes, found.places) == (4_000_000, ((0, 1), (1, 1)))
    before, after = simulate(script, EXACT), simulate(as_shared(script, [found]), EXACT)
    assert before.live_peak_bytes - after.live_peak_bytes == 4_000_000
    assert before.persistent_bytes - after.persistent_bytes == 4_000_000


def test_constants_of_which_nothing_is_known_are_not_taken_as_equal() -> None:
    """No name and no place: each is its own."""
    assert [len(c.places) for c in find_constants(twice(None))] == [1, 1]


def test_tables_of_inner_graphs_go_with_their_nodes() -> None:
    """Where nodes are numbered anew, the graph inside of a node keeps its own shapes."""
    s = Sketch()
    x = s.argument((1, 4))
    inner = Sketch()
    loop = replace(PLAIN, inner=inner.graph([inner.argument((1, 4))]))
    (a,) = s.apply(PLAIN, [x], (1, 4))
    (b,), (c,) = s.apply(loop, [x], (1, 4)), s.apply(loop, [x], (2, 4))
    script = s.script([a, b, c])
    tables = {1: ShapeTable({0: (1, 4)}), 2: ShapeTable({0: (2, 4)})}
    events = tuple(replace(e, shapes=replace(e.shapes, inner=tables)) if isinstance(e, Call) else e for e in script.events)
    fewer = without_output(replace(script, events=events), 0, 1)
    (call,) = (e for e in fewer.events if isinstance(e, Call))
    (left,) = (n for n in fewer.functions[0].graph.applies if n.op.inner is not None)
    assert call.shapes.inner == {left.id: tables[2]}
