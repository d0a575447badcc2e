"""The problem that a graph is turned into, beside the simulation: same peaks, and the best order runs with the peak it promises."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.memory.graphs import EXACT, ON_HOST, PLAIN, UPLOAD, Sketch, random_sketches
from theanodiag.ir import Unknown
from theanodiag.ir.traverse import respects_dependencies
from theanodiag.memory.order import depth_first_order
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.plans.graphs.edit import pruned
from theanodiag.plans.graphs.order import best_for, in_order, ways, whole_order, with_function
from theanodiag.plans.graphs.order_problem import problem_of

Made = tuple[Sketch, list[int]]
CACHE = MemorySettings()


@settings(deadline=None, max_examples=40)
@given(random_sketches(), st.sampled_from([EXACT, CACHE]))
def test_model_and_simulation_agree(made: Made, on: MemorySettings) -> None:
    """On random graphs: the peak of the machine's own order, buffer by buffer, is that of the simulation."""
    sketch, outputs = made
    script = sketch.script(outputs)
    graph = pruned(script.functions[0].graph)
    profile = simulate(with_function(script, replace(script.functions[0], graph=graph)), on).functions[0]
    asked = problem_of(graph, sketch.table(), True, 1 if on is EXACT else 64)
    assert not isinstance(asked, Unknown)
    task = {node: k for k, node in enumerate(asked.nodes)}
    order = [task[node] for node in depth_first_order(graph) if node in task]
    assert profile.figures.live_before_bytes + asked.problem.peak(order) == profile.figures.live_peak_bytes


@settings(deadline=None, max_examples=40)
@given(random_sketches())
def test_best_order_runs_with_the_promised_peak(made: Made) -> None:
    """On random graphs: simulated, it is what the search said, not above what was there, not below the bound."""
    sketch, outputs = made
    script = sketch.script(outputs)
    script = with_function(script, replace(script.functions[0], graph=pruned(script.functions[0].graph)))
    before = simulate(script, CACHE).functions[0]
    best = best_for(script, CACHE, 0, before)
    assert not isinstance(best, Unknown)
    peak = best.profile.figures.live_peak_bytes
    assert peak == before.figures.live_before_bytes + best.found.peak
    assert best.bound_bytes <= peak
    assert not best.found.exact or peak <= before.figures.live_peak_bytes


@settings(deadline=None, max_examples=40)
@given(random_sketches())
def test_listing_in_another_order_keeps_the_graph(made: Made) -> None:
    """Every node once, after what it reads; the simulation of the listed order is that of the original."""
    sketch, outputs = made
    function = sketch.script(outputs).functions[0]
    order = whole_order(function.graph, [n.id for n in function.graph.applies if n.op is PLAIN])
    assert respects_dependencies(function.graph, order)
    assert sorted(order) == list(range(len(function.graph.applies)))
    assert [n.op for n in in_order(function, order).graph.applies] == [function.graph.applies[k].op for k in order]


def wide_and_narrow() -> tuple[Sketch, list[int]]:
    """A narrow output that is made of a wide array, and a second one; the wide ones are asked for at once."""
    s = Sketch()
    x = s.shared((1, 4))
    (a,), (b,) = s.apply(PLAIN, [x], (100, 4)), s.apply(PLAIN, [x], (100, 4))
    (c,), (d,) = s.apply(PLAIN, [a], (1, 4)), s.apply(PLAIN, [b], (1, 4))
    (e,) = s.apply(PLAIN, [b], (1, 4))
    (f,) = s.apply(PLAIN, [c, d], (1, 4))
    return s, [e, f]


def test_order_of_outputs_is_a_way() -> None:
    """With the output that reads only one wide array at the end the other one is gone before... or not: each way is simulated."""
    s, outputs = wide_and_narrow()
    found = list(ways(s.script(outputs), EXACT, 0))
    assert [w.words for w in found] == [
        "linker=c|py runs the nodes as they are listed",
        "output 0 as the last one",
    ]
    peaks = [w.process.functions[0].figures.live_peak_bytes for w in found]
    assert len(set(peaks)) > 1


@pytest.mark.parametrize("changed", [{"allow_gc": False}, {"lift": True}])
def test_where_no_order_helps_none_is_looked_for(changed: dict[str, bool]) -> None:
    """Without garbage collection everything stays; a graph of the host is not the one that runs on a device."""
    s, outputs = wide_and_narrow()
    script = s.script(outputs)
    assert isinstance(best_for(script, replace(EXACT, **changed), 0, simulate(script, EXACT).functions[0]), Unknown)


def test_unknown_size_is_no_problem_to_solve() -> None:
    """It is said which."""
    s = Sketch()
    x = s.argument((1, 4))
    (y,) = s.apply(UPLOAD, [x], (1, 4))
    table = replace(s.table(), shapes={x: (1, 4), y: (Unknown("data"), 4)})
    found = problem_of(s.graph([y]), table, True)
    assert isinstance(found, Unknown)
    assert found.reason == "data"
    assert ON_HOST.allocator is not EXACT.allocator
