"""What an error message says beside its printed graph."""

from __future__ import annotations

from theanodiag.readers.debugprint import read_debugprint

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
