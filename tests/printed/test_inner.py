"""Heads, inner graphs and listed inputs."""

from __future__ import annotations

import pytest

from theanodiag.ir import FunctionGraph
from theanodiag.printed import read_debugprint
from theanodiag.workflows import printed_report

HEADS = """Add [id A]
 ├─ f{1} [id B]
 │  └─ x [id C]
 └─ f{1} [id D]
    └─ y [id E]

Inner graphs:

f{1} [id B, D]
 ← Exp [id F]
    └─ i0 [id G]
"""
NESTED = """outer [id A] ''
 |x [id B]

Inner graphs:

outer [id A] ''
 >inner [id C] ''
 > |*0-<TensorType(float64, (?,))> [id D]

inner [id C] ''
 >Elemwise{exp,no_inplace} [id E] ''
 > |*0-<TensorType(float64, (?,))> [id D]
"""


def only_inner(graph: FunctionGraph) -> FunctionGraph:
    """The inner graph of the one node that has one."""
    (inner,) = {id(a.op.inner): a.op.inner for a in graph.applies if a.op.inner is not None}.values()
    return inner


def test_one_head_for_several_nodes() -> None:
    """A head with several ids gives its inner graph to each of them."""
    found = read_debugprint(HEADS).main
    assert [a.op.inner is not None for a in found.graph.applies] == [True, True, False]
    assert found.n_ids == 4


def test_nested_inner_graphs() -> None:
    """An inner graph may hold a node with an inner graph of its own."""
    result = read_debugprint(NESTED)
    inner = only_inner(result.graph)
    assert [a.op.text for a in only_inner(inner).applies] == ["Elemwise{exp,no_inplace}"]
    assert result.main.n_ids == 3


def test_inner_inputs_by_number() -> None:
    """Inner inputs that carry numbers stand in their order."""
    text = HEADS.replace("    └─ i0 [id G]\n", "    ├─ i1 [id H]\n    └─ i0 [id G]\n")
    inner = only_inner(read_debugprint(text).graph)
    assert [inner.variables[i.variable].name for i in inner.inputs] == ["i0", "i1"]


def test_labels_of_a_scan() -> None:
    """What `print_op_info` says of inner inputs is kept."""
    text = HEADS.replace("i0 [id G]", "i0 [id G] -> [id C] (inner_in_seqs-0)")
    info = only_inner(read_debugprint(text).graph).info
    assert (info["labels"], info["outer_ids"]) == (["inner_in_seqs-0"], ["C"])


def test_listed_inputs_come_first() -> None:
    """Inputs that are listed keep their order, unused ones included."""
    graph = read_debugprint("→ b [id A]\n→ a [id B]\n→ unused [id C]\nAdd [id D]\n ├─ a [id B]\n └─ b [id A]\n").graph
    assert [graph.variables[i.variable].name for i in graph.inputs] == ["b", "a", "unused"]


def test_default_updates_are_left_aside() -> None:
    """What only a shared variable's default update computes is no output."""
    text = "f.1 [id A]\n |rng [id B] <- [id C]\n\nDefault updates:\n\ng [id C]\n |rng [id B]\n"
    assert len(read_debugprint(text).graph.outputs) == 1


def test_a_head_printed_again() -> None:
    """Theano prints a head once a use; the first one counts."""
    again = NESTED + "\ninner [id C] ''\n >Elemwise{exp,no_inplace} [id E] ''\n"
    assert read_debugprint(again).main.n_ids == 3


def test_an_inner_graph_that_holds_itself() -> None:
    """A damaged text in which an inner graph holds its own head ends."""
    text = "f [id A] ''\n |x [id B]\nInner graphs:\n\nf [id A] ''\n >f [id A] ''\n"
    assert read_debugprint(text).main.n_ids == 1


def test_without_ids_heads_go_by_text() -> None:
    """Where no ids are printed, the first node of that text without an inner graph takes it."""
    text = HEADS.replace(" [id B, D]", "")
    for name in "ABCDEFG":
        text = text.replace(f" [id {name}]", "")
    assert [a.op.inner is not None for a in read_debugprint(text).graph.applies] == [True, False, False]


def test_a_graph_that_many_nodes_share() -> None:
    """Its head lists them all, however long that gets."""
    n = 2_000
    rows = "".join(f" ├─ f{{1}} [id N{k}]\n │  └─ x{k} [id X{k}]\n" for k in range(n))
    ids = ", ".join(f"N{k}" for k in range(n))
    found = read_debugprint(f"Join [id A]\n{rows}\nInner graphs:\n\nf{{1}} [id {ids}]\n ← Exp [id F]\n    └─ i0 [id G]\n")
    assert not found.damage
    assert sum(a.op.inner is not None for a in found.graph.applies) == n


def test_what_looks_like_an_endless_list_takes_no_time() -> None:
    """A bracket that nothing closes, and spaces behind it."""
    start = "Dot [id A]\n |x [id B]\n"
    for end in ("[id" + " " * 300_000, "[id " + "A" * 300_000, "[id A, " * 50_000):
        assert len(read_debugprint(start + end).graph.applies) == 1


ALONE = """for{cpu,scan_fn}.1 [id B] ''
 >Elemwise{mul,no_inplace} [id I] <TensorType(float64, vector)> ''
 > |<TensorType(float64, vector)> [id J] <TensorType(float64, vector)> -> [id D]
 > |A_copy [id K] <TensorType(float64, vector)> -> [id F]
"""


@pytest.mark.parametrize("title", ["", "Inner graphs of the scan ops:\n\n"])
def test_an_inner_graph_alone_is_a_printed_graph(title: str) -> None:
    """It is read as what one step computes, and the report says that all else is missing."""
    found = read_debugprint(title + ALONE)
    assert [(a.op.text, len(a.inputs)) for a in found.graph.applies] == [("Elemwise{mul,no_inplace}", 2)]
    assert [found.graph.variables[i.variable].name for i in found.graph.inputs] == ["id J", "A_copy"]
    assert found.main.inside == "for{cpu,scan_fn}"
    assert not found.damage
    report = printed_report.report(found, "paste.txt", {"A_copy": (5,)})
    assert report.functions[0].profile is not None
    assert report.functions[0].profile.figures.live_peak_bytes == 3 * 5 * 8  # two inputs and a result
    assert any("for{cpu,scan_fn}" in s.what for s in report.skipped)
    asked = {s.what: s.reason for s in printed_report.report(found, "paste.txt", {}).skipped}
    assert asked["the shape of id J"].endswith("give --shape 'id J=N'")  # as its type says, though it has no name


def test_of_inner_graphs_alone_those_count_that_stand_in_no_other() -> None:
    """What is inside of one of their nodes stays there; heads of their own are graphs of their own."""
    alone = read_debugprint(NESTED.partition("Inner graphs:\n")[2])
    assert len(alone.prints) == 1
    assert [a.op.text for a in alone.graph.applies] == ["inner"]
    assert [a.op.text for a in only_inner(alone.graph).applies] == ["Elemwise{exp,no_inplace}"]
    two = read_debugprint(HEADS.partition("Inner graphs:\n")[2] + "\ng [id H]\n ← Add [id I]\n    ├─ i0 [id J]\n    └─ i0 [id J]\n")
    assert [(p.inside, [a.op.text for a in p.graph.applies]) for p in two.prints] == [("f{1}", ["Exp"]), ("g", ["Add"])]
    assert read_debugprint(HEADS).main.inside == ""


def test_types_are_assumed_for_an_inner_graph_alone_too() -> None:
    """It is read again as what it was."""
    found = read_debugprint(HEADS.partition("Inner graphs:\n")[2])
    report = printed_report.report(found, "paste.txt", {"i0": (6,)}, dtypes=printed_report.dtypes_of("float32", None))
    assert report.functions[0].profile is not None
    assert report.functions[0].profile.figures.live_peak_bytes == 2 * 6 * 4
