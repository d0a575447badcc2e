"""Reading graph JSON checks more than the form."""

from __future__ import annotations

from typing import cast

import pytest

from tests.ir.graphs import step, step_graph
from theanodiag.errors import UnreadableError
from theanodiag.ir import FunctionGraph, Op
from theanodiag.ir.builder import GraphBuilder, tensor
from theanodiag.ir.scan import scan_counts
from theanodiag.ir.serial import site_from_json, table_from_json, type_from_json
from theanodiag.readers import graph_from_document


def test_a_graph_is_verified_when_it_is_read() -> None:
    """A document of the right form may still be no graph."""
    document = step_graph().to_dict() | {"outputs": [40, 4]}
    with pytest.raises(UnreadableError, match="step: output 0 is Variable 40, which does not exist"):
        graph_from_document(document)


def test_the_name_of_the_document_is_in_the_message() -> None:
    """A reader of many functions says which one is broken."""
    with pytest.raises(UnreadableError, match=r"function 3\.variables: expected a list, found 7"):
        graph_from_document({"variables": 7}, "function 3")


def test_shapes_types_and_sites_are_read_alone() -> None:
    """Events carry them outside of graphs."""
    assert table_from_json({"shapes": {"0": [2, 3]}, "bounded": [0]}).bounded == {0}
    assert type_from_json({"kind": "scalar", "dtype": "int64"}).ndim == 0
    assert site_from_json(None) is None


@pytest.mark.parametrize("taps", [{"n_seqs": 9}, {"mit_mot_out_slices": [[0], [0]]}, {"mit_mot_out_slices": [[0] * 9]}], ids=str)
def test_parts_of_a_scan_that_its_inner_graph_does_not_have(taps: dict[str, object]) -> None:
    """A damaged document may count more than there is: the graph is then read as it stands."""
    info = scan_counts(**{"mit_mot_in_slices": [[0]], "mit_mot_out_slices": [[0]], **taps})
    b = GraphBuilder("outer")
    made = b.apply(Op("Scan", "scan", inner=step().build(2, info={"kind": "scan", **info})), [b.argument("x", tensor(2))], tensor(2))
    graph = graph_from_document(b.build(made).to_dict())
    assert [i.update for i in cast(FunctionGraph, graph.applies[0].op.inner).inputs] == [None, 1]
