"""Untouched lines are taken apart as the clean-up and the full search take them."""

from __future__ import annotations

import pytest

from tests.interpreters import corpus
from theanodiag.printed import read_debugprint
from theanodiag.printed.cleaning import MARKS, clean, marks_of
from theanodiag.printed.lexer import FastLines
from theanodiag.printed.model import Line, LineRole
from theanodiag.printed.nodes import parse_label

from .texts import ALL, GPU, SCAN

UNTOUCHED = """Scan{scan_fn, while_loop=False, inplace=all}.1 [id A] <Matrix(float64, shape=(?, 3))> 'h' 12 (outer_out_sit_sot-0)
 ├─ -1.5e-07 [id B] <Scalar(float64, shape=())>
 │  ├─ [[1. 2.] [3. nan]] [id C]
 │  └─ 1 [id D] <int64>
 ├─ AllocEmpty{dtype='float64'} [id E] 3
 |uniform_rv{"(),()->()"}.1 [id F] ''   7
 | |TensorConstant{(1,) of 1.0} [id G] <TensorType(float32, (True,))>
 └─ *0-<Vector(float64, shape=(?,))> [id H] -> [id E] (inner_in_seqs-0)
 > |x [id I] -> [id B]
 → x [id J]
 │  └─ ···
 ← Add [id K] (inner_out_nit_sot-0)"""
TOUCHED = """>>> Dot [id A]
[2015-03-01 10:00:00] Dot [id A]
12: |Dot [id A]
 12) |Dot [id A]
# Dot [id A]
+Dot [id A]
'Dot [id A]\\n'
r'Dot [id A]'
Dot [id A] \"\"\"
Dot &lt;x&gt; [id A]
\tDot [id A]
Dot [id A] d={0: [0]}"""


def by_search(raw: str) -> Line:
    """What the line is if it is read without haste."""
    line = clean(raw)
    column = len(line) - len(line.lstrip(MARKS))
    at, kind, single = marks_of(line[:column])
    label = line[column:] + raw[len(raw.rstrip()) :]
    if label == "···":
        return Line(LineRole.DOTS, column, at, label, 1, 0, len(raw), single)
    return Line(kind, column, at, label, 1, 0, len(raw), single, parse_label(label))


def check(text: str) -> None:
    """Each line of `text` that is taken is what the search finds."""
    for raw in text.split("\n"):
        found = FastLines(raw).line(raw, 1, 0)
        assert found is None or found == by_search(raw), raw


@pytest.mark.parametrize("text", [*ALL.values(), GPU, SCAN, UNTOUCHED, TOUCHED])
def test_as_by_search(text: str) -> None:
    """A line that is taken is taken right."""
    check(text)


def test_real_lines_as_by_search() -> None:
    """... also where people pasted it."""
    for path in sorted((corpus() / "debugprint").iterdir()):
        check("\n".join(path.read_text(encoding="utf-8", errors="replace").split("\n")[2:]))


@pytest.mark.parametrize("raw", UNTOUCHED.split("\n"))
def test_taken(raw: str) -> None:
    """Constants, names with quotes, and what inner inputs stand for are taken too."""
    assert FastLines(raw).line(raw, 1, 0) is not None


@pytest.mark.parametrize("raw", TOUCHED.split("\n"))
def test_left(raw: str) -> None:
    """Whatever a prompt, a log, source code or a web page put into a line is left to the search."""
    assert FastLines(raw).line(raw, 1, 0) is None


def test_links_are_said_anew() -> None:
    """The same line stands for another outer Variable in each inner graph: both are noted."""
    head = "for{{cpu,{0}}} [id {1}]\n >exp [id {1}E]\n > |x [id X] -> [id {2}]\n"
    text = "add [id A]\n |for{cpu,f} [id S]\n | |b [id B]\n |for{cpu,g} [id T]\n | |c [id C]\n |for{cpu,h} [id U]\n   |c [id C]\n"
    text += "Inner graphs:\n" + head.format("f", "S", "B") + head.format("g", "T", "C") + head.format("h", "U", "C")
    graph = read_debugprint(text).graph
    assert [a.op.inner.info["outer_ids"] for a in graph.applies if a.op.inner] == [["B"], ["C"], ["C"]]
