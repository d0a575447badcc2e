"""Texts that nobody printed: no crash, no hang, and what comes out is a sound graph."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theanodiag.errors import TheanodiagError
from theanodiag.ir import FunctionGraph
from theanodiag.printed import read_debugprint

from .texts import ALL, GPU, SCAN

SEEDS = [*ALL.values(), GPU, SCAN]
PIECES = st.sampled_from(
    ["'", "[id A]", "[@B]", "(", ")", "<", ">", "{", "}", "|", " |", "\n", " ├─ ", " └─ ", " ← ", "···", ".1", "d={0: [9]}", "v={0: [0]}",
     " -> [id B]", "\x00", "&lt;", "Inner graphs:\n", "[", "Elemwise{Add}[(0, 1)]", "TensorConstant{[[", "Inputs shapes: [", "\t", "  "]
)  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A printed graph with pieces put in, cut out and lines moved."""
    text = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.one_of(PIECES, st.text(max_size=5))) + text[at + draw(st.integers(0, 12)) :]
    lines = text.split("\n")
    lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(lines)))
    return "\n".join(lines)


def check(graph: FunctionGraph) -> None:
    """Ids fit, nodes stand behind what they use, and maps stay within the node."""
    for node in graph.applies:
        assert all(before < node.id for before in node.after)
        owners = [graph.variables[v].owner for v in node.inputs]
        assert all(o is None or o < node.id for o in owners)
        for table in (node.op.view_map, node.op.destroy_map):
            assert all(out < len(node.outputs) and max(ins) < len(node.inputs) for out, ins in table.items())
    assert all(v.id == i for i, v in enumerate(graph.variables))


def read_soundly(text: str) -> None:
    """Reads `text`; whatever it is, the result is an error with advice, or sound graphs."""
    try:
        result = read_debugprint(text, "fuzz")
    except TheanodiagError as error:
        shown = str(error)
    else:
        shown = ""
    if shown:
        assert "help: " in shown
        return
    for found in result.prints:
        check(found.graph)
    assert all(d.skipped() for d in result.damage[:3])


@settings(max_examples=300, deadline=None)
@given(damaged())
def test_damaged_graphs(text: str) -> None:
    """A damaged graph gives a sound graph or an error."""
    read_soundly(text)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES | st.text(max_size=3), max_size=60).map("".join))
def test_noise(text: str) -> None:
    """Pieces of printed graphs in any order give a sound graph or an error."""
    read_soundly(text)


HOSTILE = {
    "open types": lambda n: "add [id A] " + "<a" * n + "\n |x [id B]",
    "spaces": lambda n: "add [id A]" + " " * n + "x\n |x [id B]",
    "quotes": lambda n: "add [id A] '" + "'a" * n + "\n |x [id B]",
    "braces": lambda n: "Elemwise" + "{a," * n + "}" * n + " [id A]\n |x [id B]",
    "unfinished lines": lambda n: "add [id A] (\n" * n,
    "no ids": lambda n: "f\n" + "".join(f" ├─ add\n │  ├─ x{i}\n ├─ add\n │  └─ ···\n" for i in range(n)),
    "heads": lambda n: "add [id A]\n |x [id B]\nInner graphs:\n" + "add [id A]\n > mul [id C]\n >  |x [id B]\n" * n,
    "nested heads": lambda n: "f [id 0]\n |x [id x]\nInner graphs:\n" + "".join(f"f [id {i}]\n > f [id {i + 1}]\n" for i in range(n)),
    "overwritten": lambda n: "".join(f"Elemwise{{add,inplace}} [id C{i}]\n |x [id B]\n" for i in range(n)),
    "marks only": lambda n: ("│ " * 40 + "\n") * (n // 10) + "f [id A]",
    "many prefixes": lambda n: "".join(f"{p} add [id A]\n{p}  |x [id B]\n" for p in ("p" + "x" * (i % 90) + "pq"[i % 2] for i in range(n))),
    "one long prefix": lambda n: f"{'1 ' * n}add [id A]\n{'1 ' * n} |x [id B]\n" + "1 " * n,
    "numbers": lambda n: ("1 2  3 [9] add [id A]\n1 2  3 [9]  |x [id B]\n" + " " * 50 + "1 " * 50 + "\n") * (n // 10),
    "broken lines": lambda n: ("add(" * 20 + "\n") * n + "f [id A]",
    "one long broken line": lambda n: "add(" * n + "\n" + "(" * n + "\nf [id A]\n" + "(" * 4 * n + "\n)",
    "ends of labels": lambda n: "add [id A]".ljust(4 * n) + "\n" + " " * n + "<" + "'" * n + "<" * n + "\n |x [id B]",
    "sentences with ids": lambda n: "see [id Q]\n" + "f\n |a\n |b\n\n" * n,
    "contradictions": lambda n: "add [id A]\n" + "".join(f" |x{i} [id B]\n" for i in range(n)),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_texts_take_linear_time(kind: str) -> None:
    """Eight times the text takes at most some twenty times the time."""
    spent = []
    for n in (1000, 8000):
        begin = time.process_time()
        read_soundly(HOSTILE[kind](n))
        spent.append(time.process_time() - begin)
    assert spent[1] < 20 * max(spent[0], 0.02)
