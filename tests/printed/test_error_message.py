"""What an error message says beside its printed graph."""

from __future__ import annotations

from theanodiag.devices import HOST
from theanodiag.printed import read_debugprint
from theanodiag.workflows import printed_report

MESSAGE = """Traceback (most recent call last):
MemoryError: alloc failed
Apply node that caused the error: Dot22(x, Elemwise{exp,no_inplace}.0)
Toposort index: 1
Inputs types: [TensorType(float32, matrix), TensorType(float32, matrix)]
Inputs shapes: [(128, 784), 'No shapes']
Inputs strides: [(3136, 4), 'No strides']

Debugprint of the apply node:
Dot22 [id A] <TensorType(float32, matrix)> ''
 |x [id B] <TensorType(float32, matrix)>
 |Elemwise{exp,no_inplace} [id C] <TensorType(float32, matrix)> ''
   |block W [id D] <TensorType(float32, matrix)>

Storage map footprint:
 - block W, Shared Input, Shape: (784, 500), ElemSize: 4 Byte(s), TotalSize: 1568000 Byte(s)
 - Elemwise{exp,no_inplace}.0, Shape: (784, 500), ElemSize: 4 Byte(s), TotalSize: 1568000 Byte(s)
"""


def test_shapes_of_inputs() -> None:
    """The shapes of the failed node's inputs go to its Variables."""
    result = read_debugprint(MESSAGE)
    names = {v.name: result.main.shapes.get(v.id) for v in result.graph.variables}
    assert names["x"] == (128, 784)
    assert names["block W"] == (784, 500)


def test_shapes_of_results() -> None:
    """The list of storages gives the shape of a result that is named once."""
    result = read_debugprint(MESSAGE)
    exp = next(a for a in result.graph.applies if a.op.name == "Elemwise")
    assert result.main.shapes[exp.outputs[0]] == (784, 500)


def test_shared_names() -> None:
    """The list of storages tells shared variables."""
    assert read_debugprint(MESSAGE).shared == {"block W"}


def test_graphs_without_a_message() -> None:
    """Where there is no message there are no shapes."""
    result = read_debugprint("exp [id A] ''\n |x [id B]\n")
    assert result.main.shapes == {}
    assert result.shapes == {}


REAL = """ValueError: operands could not be broadcast together with shapes (7,30) (1,5)
Apply node that caused the error: Elemwise{Composite{tanh((i0 + i1))}}[(0, 0)](Dot22.0, InplaceDimShuffle{x,0}.0)
Toposort index: 2
Inputs types: [TensorType(float32, matrix), TensorType(float32, row)]
Inputs shapes: [(7, 30), (1, 5)]
Inputs strides: [(120, 4), (20, 4)]
Inputs values: ['not shown', array([[1., 1., 1., 1., 1.]], dtype=float32)]
Inputs type_num: [11, 11]
Outputs clients: [['output']]

Debugprint of the apply node:
Elemwise{Composite{tanh((i0 + i1))}}[(0, 0)] [id A] <TensorType(float32, matrix)> ''
 |Dot22 [id B] <TensorType(float32, matrix)> ''
 | |x [id C] <TensorType(float32, matrix)>
 | |W [id D] <TensorType(float32, matrix)>
 |InplaceDimShuffle{x,0} [id E] <TensorType(float32, row)> ''
   |b [id F] <TensorType(float32, vector)>

Storage map footprint:
 - W, Shared Input, Shape: (100, 30), ElemSize: 4 Byte(s), TotalSize: 12000 Byte(s)
 - x, Input, Shape: (7, 100), ElemSize: 4 Byte(s), TotalSize: 2800 Byte(s)
 - Dot22.0, Shape: (7, 30), ElemSize: 4 Byte(s), TotalSize: 840 Byte(s)
 - b, Shared Input, Shape: (5,), ElemSize: 4 Byte(s), TotalSize: 20 Byte(s)
 - InplaceDimShuffle{x,0}.0, Shape: (1, 5), ElemSize: 4 Byte(s), TotalSize: 20 Byte(s)
 TotalSize: 15660 Byte(s) 0.000 GB
 TotalSize inputs: 14820 Byte(s) 0.000 GB

HINT: Re-running with most Theano optimization disabled could give you a back-trace of when this node was created.
"""
"""What Theano 1.0.5 printed of a call that failed, with exception_verbosity=high and its virtual machine in Python."""


def test_a_whole_message_needs_no_shapes_of_the_user() -> None:
    """All that is asked for stands in the list of storages: every byte that it names is in the report."""
    report = printed_report.report(read_debugprint(REAL), "error.txt", {})
    assert [s.what for s in report.skipped] == []
    profile = report.functions[0].profile
    assert profile is not None
    assert profile.unknown == ()
    assert profile.figures.live_before_bytes == 12000 + 20
    assert profile.figures.live_peak_bytes == 15660  # TotalSize, as Theano added it up


def test_without_the_list_the_failed_node_is_sized() -> None:
    """`Inputs shapes` reach what the failed node reads; for the inputs of the function the report asks."""
    found = printed_report.outcome(read_debugprint(REAL.partition("Storage map")[0]), {}, HOST).shaped
    dot, row = (found.graph.applies[k].outputs[0] for k in (0, 1))
    assert {found.table.shape(dot), found.table.shape(row)} == {(7, 30), (1, 5)}
    assert set(found.needed) == {"x", "W", "b"}


INSIDE = """Apply node that caused the error: Dot22(Elemwise{exp,no_inplace}.0, W)
Toposort index: 1
Inputs types: [TensorType(float32, matrix), TensorType(float32, (True, False))]
Inputs shapes: [(128, 784), (784, 500)]

Sum{acc_dtype=float64} [id A] ''   3
 |Dot22 [id B] ''   2
   |Dot22 [id C] ''   1
   | |Elemwise{exp,no_inplace} [id D] ''   0
   | | |x [id E]
   | |W [id F]
   |V [id G]
"""


def test_the_failed_node_is_found_inside_a_graph() -> None:
    """Among nodes with the same Op it is the one whose inputs are called so."""
    result = read_debugprint(INSIDE)
    shapes = result.main.shapes
    assert shapes[result.graph.applies[0].outputs[0]] == (128, 784)
    assert next(v for v in result.graph.variables if v.name == "V").id not in shapes


def test_types_of_inputs() -> None:
    """The message tells types that the graph is printed without; a shape that does not fit its type is not taken."""
    result = read_debugprint(INSIDE)
    w = next(v for v in result.graph.variables if v.name == "W")
    assert w.type.text == "TensorType(float32, (True, False))"
    assert w.type.shape == (1, None)
    assert w.id not in result.main.untyped
    assert w.id not in result.main.shapes


def test_two_nodes_alike_are_told_apart_by_their_number() -> None:
    """Where the message names the inputs shortened the number decides, and nothing is guessed without it."""
    short = INSIDE.replace("Dot22(Elemwise{exp,no_inplace}.0, W)", "Dot22(...)")
    assert read_debugprint(short).main.shapes == read_debugprint(INSIDE).main.shapes
    assert read_debugprint(short.replace("Toposort index: 1\n", "")).main.shapes == {}
