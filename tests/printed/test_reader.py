"""The reader on small texts of every generation."""

from __future__ import annotations

import re

import pytest

from theanodiag.errors import UnreadableError
from theanodiag.ir import Constant, TypeKind
from theanodiag.printed import read_debugprint

from .texts import AESARA, ALL, GPU, PYTENSOR, SCAN, THEANO


@pytest.mark.parametrize("form", ALL)
def test_same_structure_in_every_form(form: str) -> None:
    """Four generations print one function, and it is read as one graph."""
    graph = read_debugprint(ALL[form]).graph
    assert [len(a.inputs) for a in graph.applies] == [1, 2, 2, 1]
    assert [graph.variables[i.variable].name for i in graph.inputs] == ["x", "W", "b"] or form
    assert {v.name for v in graph.variables if v.owner is None} == {"x", "W", "b"}


@pytest.mark.parametrize("form", ALL)
def test_order_is_the_printed_one(form: str) -> None:
    """Nodes stand at the position that debugprint prints."""
    names = [a.op.name for a in read_debugprint(ALL[form]).graph.applies]
    assert names == ["DimShuffle", "Dot22", "Elemwise", "Sum"]


def test_names_and_types() -> None:
    """The name in quotes and the type belong to the output of the node."""
    graph = read_debugprint(THEANO).graph
    h = next(v for v in graph.variables if v.name == "h")
    assert (h.type.dtype, h.type.shape, h.type.kind) == ("float32", (None, None), TypeKind.TENSOR)


def test_device_types() -> None:
    """A GpuArrayType is on the device."""
    graph = read_debugprint(GPU).graph
    kinds = {a.op.name: graph.variables[a.outputs[0]].type.kind for a in graph.applies}
    assert kinds["GpuGemm"] == TypeKind.GPUARRAY
    assert kinds["HostFromGpu"] == TypeKind.TENSOR


def test_constants_have_values() -> None:
    """Scalar constants keep their value."""
    graph = read_debugprint(GPU).graph
    assert sorted(v.value for v in graph.variables if isinstance(v, Constant)) == [0.0, 1.0, 3, 4]


def test_printed_maps_rule() -> None:
    """Where maps are printed, they are taken as they are."""
    graph = read_debugprint(AESARA).graph
    assert graph.applies[2].op.destroy_map == {0: (0,)}
    assert graph.applies[0].op.view_map == {0: (0,)}


def test_inner_graph_of_a_composite() -> None:
    """What stands below `Inner graphs:` belongs to the Op of its head."""
    inner = read_debugprint(PYTENSOR).graph.applies[2].op.inner
    assert inner is not None
    assert [a.op.name for a in inner.applies] == ["Add", "Tanh"]


def test_inner_graph_of_a_scan() -> None:
    """Inner inputs know the outer id that they stand for."""
    result = read_debugprint(SCAN)
    scan = next(a for a in result.graph.applies if a.op.name == "Scan")
    assert scan.op.inner is not None
    assert scan.op.inner.info["outer_ids"] == ["D", "F"]
    assert result.main.n_ids == 5


def test_overwritten_inputs_are_read_before() -> None:
    """A node that overwrites an input waits for the others that read it."""
    text = "Join [id A] '' 2\n |Elemwise{Add}[(0, 0)] [id B] '' 1\n | |x [id C]\n |exp [id D] '' 0\n   |x [id C]\n"
    graph = read_debugprint(text).graph
    assert [a.after for a in graph.applies if a.op.destroy_map] == [(0,)]


def test_a_repeated_output_is_one_node() -> None:
    """Several outputs of one Apply are printed with one id."""
    text = "f.0 [id A]\n ├─ x [id B]\nf.1 [id A]\n └─ ···\n"
    graph = read_debugprint(text).graph
    assert len(graph.applies) == 1
    assert len(graph.outputs) == 2
    assert graph.outputs[0] != graph.outputs[1]


def test_two_prints_in_one_text() -> None:
    """Where ids begin anew, a second graph begins."""
    result = read_debugprint(f"before:\n{THEANO}\nafter:\n{THEANO.replace('Dot22', 'Dot')}")
    assert [len(p.graph.applies) for p in result.prints] == [4, 4]


def test_cut_trees_say_so() -> None:
    """Nodes whose inputs a depth limit hides are marked."""
    found = read_debugprint("Sum [id A] '' 1\n |Dot22 [id B] '' 0\n").main
    assert found.cut == {0}
    assert len(found.graph.applies) == 2


def test_untyped_variables_are_listed() -> None:
    """Variables without a printed type are known to be so."""
    found = read_debugprint("exp [id A] ''\n |x [id B]\n").main
    assert found.untyped == {0, 1}


def test_nothing_to_read() -> None:
    """A text without a graph is an error with a place and advice."""
    with pytest.raises(UnreadableError) as caught:
        read_debugprint("hello\nworld", "paste.txt")
    assert str(caught.value).startswith("paste.txt:1:1: no printed graph")
    assert "help: " in str(caught.value)


def test_named_stop_is_cut() -> None:
    """A node that is not expanded since it has a name is marked as cut."""
    found = read_debugprint("Add [id A]\n ├─ Log [id B] 'y'\n │  └─ ···\n └─ x [id C]\n").main
    assert [found.graph.applies[i].op.text for i in found.cut] == ["Log"]


def test_old_ids_of_outputs() -> None:
    """Up to Theano 0.5 every output had an id of its own; one Apply remains one node."""
    text = "f.0 [@140001] '' 0\n |x [@140002]\nf.1 [@140003] '' 0\n"
    graph = read_debugprint(text).graph
    assert len(graph.applies) == 1
    assert len(graph.outputs) == 2


def test_trees_of_rich() -> None:
    """`file="rich"` draws wider marks."""
    text = "Add [id A]\n├── Exp [id B]\n│   └── x [id C]\n└── Exp [id B]\n    └── ···\n"
    graph = read_debugprint(text).graph
    assert [len(a.inputs) for a in graph.applies] == [1, 2]
    assert graph.applies[1].inputs == (1, 1)


def _untyped(text: str) -> str:
    return re.sub(r" <[^>]*>", "", text)


OTHERS = (_untyped(THEANO), "\n".join(THEANO.split("\n")[:-2]), "\n".join(line for line in THEANO.split("\n") if " |W [" not in line))
"""The same graph without types, cut at its end, and with a line that is missing."""


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("first", [True, False])
def test_of_equal_graphs_the_complete_and_typed_one_is_taken(other: str, first: bool) -> None:
    """A graph may be printed several times, whichever stands first."""
    whole = read_debugprint(THEANO).main
    found = read_debugprint(f"{other}\n\n{THEANO}" if first else f"{THEANO}\n\n{other}\n")
    assert len(found.prints) == 2
    assert found.main == whole
