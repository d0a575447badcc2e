"""Logical lines."""

from __future__ import annotations

from theanodiag.printed.lexer import read_lines
from theanodiag.printed.model import LineRole

from .texts import PYTENSOR, SCAN, THEANO


def kinds(text: str) -> list[LineRole]:
    """The kinds of all logical lines."""
    return [line.kind for line in read_lines(text)]


def test_kinds_of_lines() -> None:
    """Outputs, children, heads and inner outputs are told apart."""
    assert kinds(THEANO) == [LineRole.ROOT] + [LineRole.CHILD] * 6
    assert kinds(PYTENSOR)[7:] == [LineRole.SECTION, LineRole.ROOT, LineRole.INNER, *[LineRole.CHILD] * 3]


def test_inner_outputs_of_old_texts() -> None:
    """` >` marks an inner output, ` > |` what hangs on it."""
    assert kinds(SCAN)[-3:] == [LineRole.INNER, LineRole.CHILD, LineRole.CHILD]


def test_listed_inputs() -> None:
    """Inputs that are listed on their own are told from outputs, in both forms."""
    assert kinds("→ x [id A]\nexp [id B]\n └─ x [id A]")[0] == LineRole.INPUT
    assert kinds("-x [id A]\nexp [id B]\n |x [id A]")[0] == LineRole.INPUT
    assert kinds("-1.5 [id A]")[0] == LineRole.ROOT


def test_dots() -> None:
    """Three points in any writing say that a node was printed before."""
    assert [kinds(f"f [id A]\n └─ {dots}")[1] for dots in ("···", "...", "…")] == [LineRole.DOTS] * 3


def test_positions() -> None:
    """A line knows its number and its place in the text."""
    text = "noise\n\nexp [id A]\n |x [id B]\n"
    line = list(read_lines(text))[1]
    assert (line.number, line.column, line.mark) == (4, 2, 1)
    assert text[line.start : line.end] == " |x [id B]"


def test_noise_has_no_lines() -> None:
    """A text without ids, branches and names in quotes gives nothing."""
    assert kinds("Dear all,\nit does not work.\n") == []


def test_without_ids_the_line_above_is_the_output() -> None:
    """Where no ids are printed, the line above the first branch is an output, the other lines are noise."""
    lines = list(read_lines("hello\nexp\n ├─ x\nbye\n"))
    assert [(line.kind, line.label) for line in lines] == [(LineRole.ROOT, "exp"), (LineRole.CHILD, "x")]


def test_prefix_longer_than_the_terminal() -> None:
    """Branch marks that fill a line belong to the label on the next one."""
    text = "exp [id A]\n" + " |" * 30 + "\n |x [id B]\n"
    line = list(read_lines(text))[1]
    assert (line.label, line.column) == ("x [id B]", 62)


def test_a_line_that_lost_its_id() -> None:
    """A branch without an id, with nothing that completes it, is damaged."""
    assert kinds("f [id A]\n |oops\n |x [id B]") == [LineRole.ROOT, LineRole.DAMAGED, LineRole.CHILD]
