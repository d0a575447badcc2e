"""Real pastes."""

from __future__ import annotations

import re

from tests.interpreters import corpus, listed
from theanodiag.ir import FunctionGraph
from theanodiag.printed import read_debugprint

_ID = re.compile(r"\[(?:id |@)([\w, ]+)\]")
_MARKS = re.compile(r"[# ]*[ |│├└─>←]*")


def apply_ids(text: str) -> set[str]:
    """Ids of the lines that have a line below them, a name in quotes or an order number: by other means than the reader's."""
    rows = [(len(match[0]) if (match := _MARKS.match(line)) else 0, line) for line in text.split("\n")[2:]]
    found = set()
    for (column, line), (below, next_line) in zip(rows, [*rows[1:], (0, "")]):
        ident = _ID.search(line)
        rest = line[ident.end() :] if ident else ""
        if ident and ((below > column and next_line.strip()) or "'" in rest or re.match(r" *(<.*>)? \d+( |$)", rest)):
            found.add(ident[1])
    return found


def count(graph: FunctionGraph) -> int:
    """Nodes of a graph and of its inner graphs, each once."""
    inner = {id(a.op.inner): a.op.inner for a in graph.applies if a.op.inner is not None}
    return len(graph.applies) + sum(count(g) for g in inner.values())


def test_every_paste_is_read() -> None:
    """Every printed graph of the corpus gives one node for each Apply id of its text."""
    wrong = {}
    for path in listed(corpus() / "debugprint", "*.txt"):
        text = path.read_text(encoding="utf-8", errors="replace")
        result = read_debugprint(text, path.name)
        if not count(result.graph) == result.main.n_ids == len(apply_ids(text)):
            wrong[path.name] = (count(result.graph), result.main.n_ids, len(apply_ids(text)))
    assert wrong == {}


def test_messages_give_shapes() -> None:
    """The messages with a printed graph give shapes for its inputs."""
    for path in listed(corpus() / "errors", "gen_*high.txt"):
        text = path.read_text(encoding="utf-8")
        if "[id A]" in text:
            assert read_debugprint(text, path.name).main.shapes
