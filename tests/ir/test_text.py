"""The text form of a graph."""

from __future__ import annotations

from tests.ir.graphs import looped, step, step_graph
from theanodiag.ir import ShapeTable, Unknown
from theanodiag.ir.builder import GraphBuilder, tensor
from theanodiag.ir.text import describe, names_of

STEP = """\
step(x: float32[3, 4], shared W: float32[4, 3])
  0  y = Dot22(x, W)  float32[3, 3]
  1  v3 = InplaceDimShuffle{1,0}(x)  float32[4, 3]  views x
  2  v4 = Elemwise{add}[(0, 0)](W, v3)  float32[4, 3]  destroys W, after 0
return y
update W <- v4
"""


def test_a_graph_as_text() -> None:
    """Inputs with roles, nodes with sizes and notes, outputs and updates."""
    assert describe(step_graph()) == STEP


def test_inner_graphs_stand_below() -> None:
    """An inner graph has a heading with the way to it."""
    text = describe(looped())
    assert text.startswith("outer(x: float32[?, 4])\n  0  v2 = for{cpu,scan_fn}(2, x)  float32[?, 3, 3]\nreturn v2\n")
    assert text.endswith("inside of 0\n" + STEP)


def test_sizes_come_from_the_table_where_there_is_one() -> None:
    """Known shapes replace static ones, unknown dimensions are `?`, upper bounds have a star."""
    table = ShapeTable({0: (5, 4), 2: (Unknown("data"), 3), 3: Unknown("no rule")}, bounded=frozenset({0}))
    lines = describe(step_graph(), table).splitlines()
    assert lines[0].startswith("step(x: float32[5, 4]*, ")
    assert lines[1].endswith("float32[?, 3]")
    assert "float32[?]" in lines[2]


def test_inner_tables_are_used_for_inner_graphs() -> None:
    """The table of one step belongs to the graph inside."""
    table = ShapeTable({}, inner={0: ShapeTable({0: (1, 1)})})
    assert "step(x: float32[1, 1]," in describe(looped(), table)


def test_names_that_are_not_unique_carry_the_id() -> None:
    """Sixteen layers may all call their weights W."""
    b = GraphBuilder()
    for _ in range(2):
        b.shared("W", tensor(2))
    b.argument("x", tensor(2))
    assert names_of(b.build()) == ("W#0", "W#1", "x")


def test_the_text_is_the_same_every_time() -> None:
    """Two equal graphs print alike."""
    assert describe(step().build(2)) == describe(step().build(2))
