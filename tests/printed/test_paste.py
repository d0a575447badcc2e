"""Texts that a terminal, a log, a mail or a web page has been at."""

from __future__ import annotations

import html
from collections.abc import Callable

import pytest

from theanodiag.printed import read_debugprint
from theanodiag.printed.cleaning import clean

from .texts import PYTENSOR, THEANO

EXPECTED = [(a.op.text, a.inputs) for a in read_debugprint(THEANO).graph.applies]


def _each(prefix: str) -> str:
    return "".join(prefix + line + "\n" for line in THEANO.splitlines())


@pytest.mark.parametrize(
    "text",
    [
        _each("    "), _each("# "), _each("        # "), _each("> "),
        _each("2017-03-01 12:00:00,123 INFO: "), _each("\t"), html.escape(THEANO),
        THEANO.replace(" ", "\u00a0"), THEANO.replace("\n", "\r\n"), f"\x1b[32m{THEANO}\x1b[0m",
        f"In [3]: debugprint(f)\n{THEANO}\nIn [4]: ",
        f">>> theano.printing.debugprint(f)\n{THEANO}>>> ", "Hello,\nthis is my graph | see below:\n\n" + THEANO + "\nAny help?\n",
        "  " + THEANO, _each("  12: "),
    ],
)  # fmt: skip
def test_what_surrounds_a_graph_does_not_matter(text: str) -> None:
    """Prompts, time stamps, quotes, entities, odd spaces and other text leave the graph as it was."""
    result = read_debugprint(text)
    assert [(a.op.text, a.inputs) for a in result.graph.applies] == EXPECTED
    assert result.damage == ()


@pytest.mark.parametrize(
    "change",
    [
        lambda t: "".join(f"> {line}\n" for line in t.splitlines()),
        lambda t: "".join(f"> > {line}\n" for line in t.splitlines()),
        lambda t: "".join(f"+{line}\n" for line in t.splitlines()),
        lambda t: "".join(f"    // {line}\n" for line in t.splitlines()),
        lambda t: "".join(f"# # {line}\n" for line in t.splitlines()),
        lambda t: f"<pre><code>{html.escape(t)}</code></pre>",
        lambda t: f"<p>{html.escape(html.escape(t))}</p>",
        lambda t: "".join(f"{n:4d}: > {line}\n" for n, line in enumerate(t.splitlines())),
        lambda t: "".join(f"\t{n:2d}: {line}\n" for n, line in enumerate(t.splitlines())),
    ],
)  # fmt: skip
def test_the_branches_of_pytensor_survive_as_well(change: Callable[[str], str]) -> None:
    """Quotes, quotes of quotes, changes of a repository, comments, pages and numbers of lines, inner graphs included."""
    whole, found = read_debugprint(PYTENSOR), read_debugprint(change(PYTENSOR))
    assert [(a.op.text, a.inputs) for a in found.graph.applies] == [(a.op.text, a.inputs) for a in whole.graph.applies]
    assert found.main.n_ids == whole.main.n_ids
    assert found.damage == ()


@pytest.mark.parametrize("width", [72, 80, 100])
def test_wrapped_lines(width: int) -> None:
    """A terminal's hard wraps are undone, also inside the name of an Op."""
    long = THEANO.replace("tanh((i0 + i1))", "tanh((" + " + ".join(["i0"] * 40) + "))")
    wrapped = "\n".join(line[i : i + width] for line in long.splitlines() for i in range(0, len(line), width))
    result = read_debugprint(wrapped)
    assert [len(a.inputs) for a in result.graph.applies] == [1, 2, 2, 1]
    assert not result.damage


def test_printed_arrays_over_several_lines() -> None:
    """numpy breaks the text of a constant over lines."""
    text = "Add [id A] ''\n |x [id B]\n |TensorConstant{[[1 2]\n [3 4]]} [id C]\n"
    graph = read_debugprint(text).graph
    assert [v.value for v in graph.variables if hasattr(v, "value")] == [((1, 2), (3, 4))]


def test_mojibake() -> None:
    """Branch marks that were read with the wrong charset are understood."""
    broken = PYTENSOR.replace("├─", "â”œâ”€").replace("└─", "â””â”€")
    assert len(read_debugprint(broken.replace("│", "â”‚")).graph.applies) == 4


def test_clean_keeps_columns() -> None:
    """Tabs become spaces, marks stay where they are."""
    assert clean("\t|x [id A]") == "        |x [id A]"


def test_strings_of_source_code() -> None:
    """Lines that are strings of a program, or of a notebook's file, are read as what is inside."""
    quoted = "\n".join(f'        "{line}   ",' for line in THEANO.splitlines())
    notebook = "\n".join('      "' + line.replace("├", "\\u251c").replace("─", "\\u2500") + '\\n",' for line in PYTENSOR.splitlines())
    assert [(a.op.text, a.inputs) for a in read_debugprint(quoted).graph.applies] == EXPECTED
    assert len(read_debugprint(notebook).graph.applies) == 4


def test_text_of_a_test() -> None:
    """The first line may stand behind an assignment, and the others deeper."""
    lines = THEANO.splitlines()
    text = f'    expected = """{lines[0]}\n' + "".join(f"     {line}\n" for line in lines[1:]) + '    """'
    result = read_debugprint(text)
    assert [(a.op.text, a.inputs) for a in result.graph.applies] == EXPECTED
    assert not result.damage


def test_editors_that_indent_each_line_deeper() -> None:
    """One more space a line does not lose nodes."""
    text = "dot [@A] ''\n |DimShuffle{0,x} [@B] ''\n  | |x [@C]\n   |DimShuffle{x,0} [@D] ''\n      |v [@E]\n"
    assert len(read_debugprint(text).graph.applies) == 3


def test_tables_around_a_graph() -> None:
    """Bars that belong to a table are no branches."""
    result = read_debugprint(f"| a | b |\n|---|---|\n\n{THEANO}\n| c | d |\n")
    assert [(a.op.text, a.inputs) for a in result.graph.applies] == EXPECTED
    assert not result.damage


BROKEN = """Sum{acc_dtype=float64} [id A] <TensorType(float32, scalar)> ''   10
 |Solve{A_structure='upper_triangular', lower=False, overwrite_A=False, overwrite_b=False} [id B] <TensorType(float32, matrix)> ''   9
 | |mrg_uniform{TensorType(float64, vector),inplace}.1 [id C] <TensorType(float32, matrix)> ''   8
 | | |x [id D] <TensorType(float32, matrix)>
 | |y [id E] <TensorType(float32, matrix)>
"""


@pytest.mark.parametrize("width", range(70, 130))
def test_lines_broken_anywhere(width: int) -> None:
    """A terminal breaks lines at its last column, wherever that is: in an id, in a type, in the order number."""
    rows = (line[k : k + width] for line in BROKEN.split("\n") for k in range(0, len(line), width))
    found = read_debugprint("\n".join(rows))
    assert [n.op.name for n in found.graph.applies] == ["mrg_uniform", "Solve", "Sum"]
    assert len(found.graph.inputs) == 2
    assert not found.damage


@pytest.mark.parametrize("sentence", ["Applies 12, see [id Q].", "(the slow one is [id B])", "I think [id A] is slow, and Dot [@C], too"])
def test_sentences_that_speak_of_an_id(sentence: str) -> None:
    """They are no outputs."""
    assert read_debugprint(f"{sentence}\n\n{THEANO}\n{sentence}\n").prints == read_debugprint(THEANO).prints
