"""What the walker writes about functions of the real frameworks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.interpreters import ROOT, first
from tests.ir.graphs import respects_dependencies
from tests.loaded_by_path import FRAMEWORKS, answer
from theanodiag.ir import Apply, Constant, FunctionGraph, GraphInput, Role
from theanodiag.readers import graph_from_document

SCRIPT = "agent/walk/scripts/walk_functions.py"
SOURCE = (ROOT / "tests" / SCRIPT).read_text(encoding="utf-8").splitlines()


def graph_of(name: str, which: str) -> FunctionGraph:
    """A graph, read back; reading verifies it."""
    functions: Any = answer(name, SCRIPT)
    if which not in functions:
        pytest.skip(f"{FRAMEWORKS[name]} cannot make it")
    return graph_from_document(functions[which]["graph"])


def entry(graph: FunctionGraph, name: str) -> GraphInput:
    """The input called `name`."""
    return next(i for i in graph.inputs if graph.variables[i.variable].name == name)


def scans(graph: FunctionGraph) -> list[Apply]:
    """The Scan nodes."""
    return [node for node in graph.applies if node.op.name == "Scan"]


@pytest.mark.parametrize("name", first(("theano", "theano27", "aesara", "pytensor", "pytensor_new"), FRAMEWORKS))
class TestGraphs:
    """Every framework's graph in one form."""

    def test_nodes_are_in_the_order_of_the_framework(self, name: str) -> None:
        """The numbers are those that debugprint prints, and `after` agrees with them."""
        functions: Any = answer(name, SCRIPT)
        for row in functions.values():
            graph = graph_from_document(row["graph"])
            assert [node.op.name for node in graph.applies] == row["order"]
            assert respects_dependencies(graph, range(len(graph.applies)))

    def test_updates_come_after_what_is_returned(self, name: str) -> None:
        """Two outputs are returned; each shared variable's new value has a position of its own behind them."""
        graph = graph_of(name, "train")
        assert graph.name == "train"
        assert graph.n_returned == 2
        assert sorted(i.update for i in graph.inputs if i.update is not None) == [2, 3]

    def test_shared_variables_have_one_id_in_all_functions(self, name: str) -> None:
        """The same container is the same id, another one another."""
        train, predict, given = (graph_of(name, which) for which in ("train", "predict", "given"))
        assert entry(train, "w").shared == entry(predict, "w").shared
        assert len({entry(train, "w").shared, entry(train, "b").shared, entry(given, "data").shared}) == 3

    def test_roles_tell_who_gives_a_value(self, name: str) -> None:
        """Arguments are the caller's; the value of a shared variable is not."""
        graph = graph_of(name, "given")
        assert entry(graph, "i").role is Role.ARGUMENT
        assert entry(graph, "data").role is Role.SHARED

    def test_a_default_value_is_told(self, name: str) -> None:
        """An argument that may be left out is no plain argument."""
        assert entry(graph_of(name, "default"), "i").role is Role.DEFAULT

    def test_a_destroyer_waits_for_the_readers(self, name: str) -> None:
        """`w + x` is written over w, so it comes after `dot(w, w)`."""
        graph = graph_of(name, "after")
        destroyer = next((node for node in graph.applies if node.op.destroy_map), None)
        if destroyer is None:
            pytest.skip("this back-end computes beside the old value")
        assert [graph.applies[a].op.name for a in destroyer.after] == ["Dot22" if "Dot22" in {n.op.name for n in graph.applies} else "Dot"]

    def test_small_constants_have_values(self, name: str) -> None:
        """Up to 64 elements, finite; larger ones have a shape only."""
        constants = [v for v in graph_of(name, "constant").variables if isinstance(v, Constant)]
        assert {v.value for v in constants if v.shape in ((4,), (1, 4))} in ({(0, 1, 2, 3)}, {((0, 1, 2, 3),)})
        assert {v.value for v in constants if 100 in v.shape} == {None}

    def test_infinity_is_no_json_value(self, name: str) -> None:
        """A constant without a JSON form keeps its shape."""
        assert not any(v.value == float("inf") for v in graph_of(name, "constant").variables if isinstance(v, Constant))

    def test_sites_are_lines_of_the_script(self, name: str) -> None:
        """The input is where it was written."""
        graph = graph_of(name, "train")
        site = graph.variables[entry(graph, "x").variable].site
        assert site is not None
        assert site.path.endswith("walk_functions.py")
        assert 'T.matrix("x")' in SOURCE[site.line - 1]
        assert site.function == "functions"

    def test_index_patterns_are_said_in_one_way(self, name: str) -> None:
        """A slice with two inputs, whether the framework writes Types or positions."""
        node = next(n for n in graph_of(name, "given").applies if n.op.name == "Subtensor")
        assert node.op.params["idx_list"] == [{"slice": ["i", "i", None]}]
        assert node.op.view_map == {0: (0,)}

    def test_scans_have_an_inner_graph_and_say_how_they_use_it(self, name: str) -> None:
        """Forward: a sequence and a recurrence. Backward: the gradient's accumulator."""
        forward, backward = scans(graph_of(name, "scan"))
        assert forward.op.inner is not None
        assert backward.op.inner is not None
        assert forward.op.inner.info["n_sit_sot"] == 1
        assert forward.op.inner.info["sit_sot_in_slices"] == [[-1]]
        assert backward.op.inner.info["n_mit_mot"] == 1

    def test_inner_inputs_are_counted_by_the_info(self, name: str) -> None:
        """Sequences, taps, shared values and the rest add up to the inner inputs, and with n_steps to the outer ones."""
        for node in scans(graph_of(name, "scan")):
            inner: Any = node.op.inner
            info = inner.info
            taps = [t for k in ("mit_mot_in_slices", "mit_sot_in_slices", "sit_sot_in_slices") for t in info[k]]
            assert len(inner.inputs) == info["n_seqs"] + sum(map(len, taps)) + info["n_shared_outs"] + info["n_non_seqs"]
            assert len(node.inputs) == 1 + info["n_seqs"] + len(taps) + info["n_shared_outs"] + info["n_nit_sot"] + info["n_non_seqs"]

    def test_preallocated_accumulators_are_updates_inside(self, name: str) -> None:
        """What is written in place to the outer buffer is no output of the inner function but an update."""
        inner: Any = scans(graph_of(name, "scan"))[1].op.inner
        n_updates = len(inner.outputs) - inner.n_returned
        assert n_updates == sum(inner.info["mitmots_preallocated"])

    def test_an_inner_function_has_its_graph(self, name: str) -> None:
        """OpFromGraph is opened like a Scan (or was inlined)."""
        graph = graph_of(name, "inner function")
        inner = [n.op.inner for n in graph.applies if n.op.name == "OpFromGraph"]
        assert inner == [] or (inner[0] is not None and len(inner[0].inputs) == 1)
