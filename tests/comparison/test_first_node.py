"""The walk back through two graphs, on graphs written by hand."""

from __future__ import annotations

from collections.abc import Mapping

from theanodiag.comparison.first_node import (
    Agreement,
    FirstDifference,
    ValuedGraph,
    ValuedNode,
    ValuedVariable,
    first,
    lines_that_stand_for_each_other,
    node_text,
)
from theanodiag.ir.graph import Site

Value = float
Step = tuple[str, str, tuple[str, ...], Value, int]
"""What it makes, Op, what it reads, its value, its line."""


def graph(inputs: Mapping[str, Value], steps: list[Step], output: str) -> tuple[ValuedGraph, dict[str, int], dict[int, Value]]:
    """A graph of named Variables, their numbers and their values."""
    ids: dict[str, int] = {}
    values: dict[int, Value] = {}
    variables: list[ValuedVariable] = []
    nodes: list[ValuedNode] = []

    def add(name: str, value: Value) -> int:
        ids[name] = len(variables)
        values[ids[name]] = value
        variables.append(ValuedVariable(name, False, None, (2,), "float64", "a file", None))
        return ids[name]

    roots = tuple(add(name, value) for name, value in inputs.items())
    for name, op, reads, value, line in steps:
        nodes.append(
            ValuedNode(op, f"{op}({', '.join(reads)})", op, tuple(ids[r] for r in reads), (add(name, value),), Site("m.py", line), None)
        )
    made = ValuedGraph(tuple(nodes), tuple(variables), roots, (ids[output],), ("argument",) * len(roots))
    return made, ids, values


def walked(
    old: tuple[ValuedGraph, dict[str, int], dict[int, Value]], new: tuple[ValuedGraph, dict[str, int], dict[int, Value]]
) -> tuple[str | None, str | None]:
    """The texts of what is named on both sides."""
    values = (old[2], new[2])
    pairs = {a: {b for b, y in values[1].items() if y == x} for a, x in values[0].items()}
    weak = tuple(frozenset(n for n, v in side.items() if v == 0) for side in values)

    def judge(a: ValuedGraph, b: ValuedGraph) -> Agreement:
        return Agreement(pairs, (weak[0], weak[1]))

    found: FirstDifference = first(old[0], new[0], (old[0].outputs[0], new[0].outputs[0]), judge, lambda a, b: a is not None and a == b)
    sides = (found.old, found.new)
    texts = [None if v is None else node_text(g, v)[0] for g, v in zip(found.graphs, sides)]
    return texts[0], texts[1]


def test_the_first_of_several_that_differ() -> None:
    """Not the output, and nothing that only passes the difference on."""
    old = graph({"x": 2.5}, [("a", "exp", ("x",), 12.1, 1), ("b", "sum", ("a",), 24.2, 2), ("c", "sqr", ("b",), 585.0, 3)], "c")
    new = graph({"x": 2.5}, [("a", "exp", ("x",), 12.1, 1), ("b", "mean", ("a",), 12.7, 2), ("c", "sqr", ("b",), 146.4, 3)], "c")
    assert walked(old, new) == ("sum(a)", "mean(a)")


def test_another_decomposition_is_no_difference() -> None:
    """Softmax in one node or in three: what follows it is named."""
    old = graph({"x": 2.5}, [("p", "softmax", ("x",), 0.7, 1), ("l", "log", ("p",), -0.35, 2)], "l")
    parts: list[Step] = [("e", "exp", ("x",), 12.1, 1), ("s", "sum", ("e",), 17.3, 1), ("p", "div", ("e", "s"), 0.7, 1)]
    new = graph({"x": 2.5}, [*parts, ("l", "log1p", ("p",), 0.53, 2)], "l")
    assert walked(old, new) == ("log(p)", "log1p(p)")


def test_a_node_that_one_run_lacks() -> None:
    """A bias that is not added is named on the side that has it."""
    old = graph({"x": 2.5, "b": 0.3}, [("z", "add", ("x", "b"), 2.8, 1), ("t", "tanh", ("z",), 0.992, 2)], "t")
    new = graph({"x": 2.5, "b": 0.3}, [("t", "tanh", ("x",), 0.986, 2)], "t")
    assert walked(old, new)[0] == "add(x, b)"


def test_an_argument_that_differs() -> None:
    """It is the first difference itself."""
    old = graph({"x": 2.5}, [("t", "tanh", ("x",), 0.986, 1)], "t")
    new = graph({"x": 2.4}, [("t", "tanh", ("x",), 0.983, 1)], "t")
    assert walked(old, new) == ("argument x", "argument x")


def test_what_the_other_run_computes_elsewhere_agrees() -> None:
    """An update that takes the old velocity for the new one: the new one is there, and the sum is named."""
    old = graph({"x": 2.5, "v": 0.1}, [("m", "mul", ("x", "v"), 0.25, 1), ("w", "add", ("x", "m"), 2.75, 2)], "w")
    new = graph({"x": 2.5, "v": 0.1}, [("m", "times", ("x", "v"), 0.25, 1), ("w", "add", ("x", "v"), 2.6, 2)], "w")
    assert walked(old, new) == ("add(x, m)", "add(x, v)")


def test_zeros_say_little() -> None:
    """A zero that another node makes on another line does not vouch for one that differs."""
    old = graph({"x": 2.5}, [("w", "zeros", ("x",), 0.0, 1), ("z", "diff", ("x",), 0.0, 2), ("t", "cos", ("z",), 1.0, 3)], "t")
    new = graph(
        {"x": 2.5},
        [("w", "zeros", ("x",), 0.0, 1), ("z", "cumsum", ("x",), 2.9, 2), ("s", "add", ("z", "w"), 2.9, 3), ("t", "cos", ("s",), -0.97, 3)],
        "t",
    )
    assert walked(old, new) == ("diff(x)", "cumsum(x)")


def test_lines_that_stand_for_each_other() -> None:
    """Equal ones one by one, those of a replaced block all with all."""
    stand = lines_that_stand_for_each_other([("equal", 0, 2, 0, 2), ("replace", 2, 3, 2, 4), ("equal", 3, 5, 4, 6)])
    assert stand(1, 1)
    assert not stand(1, 2)
    assert stand(3, 4)
    assert stand(5, 6)
    assert not stand(5, 5)


def test_a_sum_that_is_one_of_its_inputs_differs_all_the_same() -> None:
    """An update with a velocity that is still zero: W + vel has the value of W, which the other run has as well."""
    inputs = {"W": 2.5, "vel": 0.0, "g": 0.3}
    old = graph(inputs, [("v", "Sub", ("vel", "g"), -0.3, 1), ("w", "Add", ("W", "v"), 2.2, 2)], "w")
    new = graph(inputs, [("v", "Sub", ("vel", "g"), -0.3, 1), ("w", "Add", ("W", "vel"), 2.5, 2)], "w")
    assert walked(old, new) == ("Add(W, v)", "Add(W, vel)")
    behind: Step = ("z", "clip", ("w",), 2.0, 2)
    old = graph(inputs, [("v", "Sub", ("vel", "g"), -0.3, 1), ("w", "Add", ("W", "v"), 2.2, 2), behind], "z")
    new = graph(inputs, [("v", "Sub", ("vel", "g"), -0.3, 1), ("w", "Add", ("W", "vel"), 2.5, 2), ("z", "clip", ("w",), 2.1, 2)], "z")
    assert walked(old, new) == ("Add(W, v)", "Add(W, vel)")
