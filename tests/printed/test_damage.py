"""What a damaged line costs."""

from __future__ import annotations

import pytest

from theanodiag.printed import read_debugprint

from .texts import THEANO

LINES = THEANO.splitlines()


def test_a_line_without_id_costs_its_sub_tree() -> None:
    """The node above keeps its number of inputs, and the place is listed."""
    text = "\n".join(LINES[:3] + [" | | garbage", *LINES[4:]]).replace(" | | garbage", "   | |garbage")
    result = read_debugprint(text, "p.txt")
    dot = next(a for a in result.graph.applies if a.op.name == "Dot22")
    assert len(dot.inputs) == 2
    assert dot.inputs[0] in result.main.lost
    assert [s.what for s in result.skipped] == ["p.txt:4:7"]


def test_a_missing_line() -> None:
    """A line whose parent is missing does not become a child of another node."""
    text = "\n".join([*LINES[:2], *LINES[3:]])
    result = read_debugprint(text)
    assert [d.line for d in result.damage] == [3]
    assert len(next(a for a in result.graph.applies if a.op.name == "Elemwise").inputs) == 2


def test_something_hangs_on_a_leaf_that_was_met_before() -> None:
    """Then it is no leaf: a line that is out of place is read where it stands."""
    text = """Add [id A] <Matrix(float64, shape=(?, ?))> 2
 ├─ Mul [id B] <Matrix(float64, shape=(?, ?))> 1
 │  ├─ x [id C] <Matrix(float64, shape=(?, ?))>
 │  └─ x [id C] <Matrix(float64, shape=(?, ?))>
 └─ x [id C] <Matrix(float64, shape=(?, ?))>
    └─ y [id D] <Matrix(float64, shape=(?, ?))>
"""
    graph = read_debugprint(text).graph
    assert [(node.op.text, len(node.inputs)) for node in graph.applies] == [("x", 1), ("Mul", 2), ("Add", 2)]
    repeated = read_debugprint("\n".join([*text.splitlines()[:-1], "    └─ ···"])).graph
    assert [(node.op.text, len(node.inputs)) for node in repeated.applies] == [("x", 0), ("Mul", 2), ("Add", 2)]


def test_a_text_that_begins_inside() -> None:
    """What uses the first node is missing, and that is said."""
    result = read_debugprint("\n".join(LINES[2:]))
    assert len(result.graph.outputs) == 2
    assert "begins inside" in result.damage[0].message


def test_contradicting_ids() -> None:
    """An id that stands for two things is not guessed."""
    text = "Join [id A] ''\n |exp [id B] ''\n | |x [id C]\n |log [id B] ''\n"
    result = read_debugprint(text)
    assert "already stands for" in result.damage[0].message
    assert len(result.main.lost) == 1


def test_circles_are_cut() -> None:
    """A node that a damaged text makes its own input loses that input."""
    result = read_debugprint("Add [id A] ''\n |Add [id A] ''\n |x [id B]\n")
    assert len(result.graph.applies) == 1
    assert result.main.lost


def test_no_ids_and_two_candidates() -> None:
    """Without ids a repeated node that could be either of two is not guessed."""
    text = "Add\n ├─ Exp\n │  └─ x\n ├─ Exp\n │  └─ y\n └─ Exp\n    └─ ···\n"
    result = read_debugprint(text)
    assert "2 nodes are called 'Exp'" in result.damage[0].message


@pytest.mark.parametrize("cut", ["", " <Tensor", " <TensorType(float32, row)>"])
def test_an_op_whose_line_is_cut_is_no_input(cut: str) -> None:
    """Where names are printed in quotes, a line without them is an input; but the last one may be cut off in front of them."""
    head = "Elemwise{add,no_inplace} [id A] <TensorType(float32, matrix)> ''   1\n |x [id B] <TensorType(float32, matrix)>\n"
    line = " |InplaceDimShuffle{x,0} [id C]"
    found = read_debugprint(head + line + cut)
    assert [found.graph.variables[i.variable].name for i in found.graph.inputs] == ["x"]
    assert [found.graph.applies[k].op.text for k in found.main.cut] == ["InplaceDimShuffle{x,0}"]
    whole = read_debugprint(f"{head}{line} <TensorType(float32, row)>\n |y [id D] <TensorType(float32, row)>\n")
    assert [whole.graph.variables[i.variable].name for i in whole.graph.inputs] == ["x", "InplaceDimShuffle{x,0}", "y"]
    named = read_debugprint(f"{head} |W [id C] <TensorTy")
    assert [named.graph.variables[i.variable].name for i in named.graph.inputs] == ["x", "W"]
