"""Graph -> text -> graph."""

from __future__ import annotations

import pytest

from theanodiag.errors import UsageError
from theanodiag.ir import Constant, FunctionGraph
from theanodiag.printed import read_debugprint

from .printer import FORMS, letters, print_graph
from .texts import ALL, GPU, SCAN


def shown(graph: FunctionGraph) -> object:
    """All of a graph that a text can carry."""
    rows = [(v.name, v.type if v.type.text else None, v.value if isinstance(v, Constant) else "") for v in graph.variables]
    nodes = [(a.op.text, a.inputs, a.outputs, a.op.inner and shown(a.op.inner)) for a in graph.applies]
    return rows, nodes, graph.outputs


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", [*ALL.values(), GPU, SCAN])
def test_round_trip(form: str, text: str) -> None:
    """A graph that is printed in any form is read as the same graph."""
    graph = read_debugprint(text).graph
    again = read_debugprint(print_graph(graph, form))
    assert shown(again.graph) == shown(graph)
    assert again.damage == ()


def test_own_text_is_the_frameworks() -> None:
    """Our printer gives the text that was read, letter by letter, where that has all fields."""
    text = ALL["theano"]
    assert print_graph(read_debugprint(text).graph, "theano") == text


def test_unknown_form() -> None:
    """An unknown generation is a usage error that names the known ones."""
    with pytest.raises(UsageError, match=r"theano-0\.5, theano-0\.7"):
        print_graph(read_debugprint(SCAN).graph, "keras")


def test_letters() -> None:
    """Ids count in base 26 with A as zero."""
    assert [letters(i) for i in (0, 25, 26, 27, 26 * 26)] == ["A", "Z", "BA", "BB", "BAA"]
