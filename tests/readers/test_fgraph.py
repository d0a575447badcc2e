"""Reading graph JSON checks more than the form."""

from __future__ import annotations

import pytest

from tests.ir.graphs import step_graph
from theanodiag.errors import UnreadableError
from theanodiag.ir.serial import graph_to_json
from theanodiag.readers.fgraph import read_graph, read_shapes, read_site, read_type


def test_a_graph_is_verified_when_it_is_read() -> None:
    """A document of the right form may still be no graph."""
    document = graph_to_json(step_graph()) | {"outputs": [40, 4]}
    with pytest.raises(UnreadableError, match="step: output 0 is Variable 40, which does not exist"):
        read_graph(document)


def test_the_name_of_the_document_is_in_the_message() -> None:
    """A reader of many functions says which one is broken."""
    with pytest.raises(UnreadableError, match=r"function 3\.variables: expected a list, found 7"):
        read_graph({"variables": 7}, "function 3")


def test_shapes_types_and_sites_are_read_alone() -> None:
    """Events carry them outside of graphs."""
    assert read_shapes({"shapes": {"0": [2, 3]}, "bounded": [0]}).bounded == {0}
    assert read_type({"kind": "scalar", "dtype": "int64"}).ndim == 0
    assert read_site(None) is None
