"""Lines as programs print them (`lines.tsv`: cause, bytes, line): each row of the tables of messages has one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from theanodiag.logs import explain_log
from theanodiag.logs.matching import TEMPLATES, messages

HERE = Path(__file__).parent
LINES = [row.split("\t") for row in (HERE / "lines.tsv").read_text("utf-8").splitlines()]


def _text(words: str) -> str:
    """The line of a row, in which line ends and tabulators are escaped."""
    return "\\".join(part.replace("\\n", "\n").replace("\\t", "\t") for part in words.split("\\\\"))


@pytest.mark.parametrize(("cause", "size", "line"), LINES)
def test_lines(cause: str, size: str, line: str) -> None:
    """Each with its cause and, if memory ran out, the bytes of the request."""
    found = explain_log(f"epoch 1\n{_text(line)}\n")
    assert found is not None
    assert found.cause.value == cause
    assert found.request.bytes == int(size) if size else found.request.bytes is None or not found.cause.is_memory


def _texts() -> list[str]:
    """All texts in the tests of this folder, and the lines."""
    trees = (ast.parse(path.read_text("utf-8")) for path in HERE.glob("test_*.py"))
    written = [node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [*written, *(_text(line) for _, _, line in LINES), *(form.anchor for form in TEMPLATES)]


def test_each_form_has_a_line() -> None:
    """A form with a pattern of its own, for which no test has a line, may never match; one without is found by its anchor."""
    met = {id(event.form) for text in _texts() for event in messages(text)}
    assert [t.anchor for t in TEMPLATES if t.pattern.pattern and id(t) not in met] == []
