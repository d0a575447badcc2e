"""The table of phrases: each is found where it stands, and nothing of ours has one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import plain_words

from ..interpreters import ROOT

SENTENCES = (
    "what the driver takes for itself", "of 64.0 MiB there is for arrays", "not looked at: x", "is a default until it is measured",
    "What is not known is named and leaves a bound", "none was opened", "if that is why it failed", "an option: put right",
    "ends the trial only", "with marks at the nodes", "nothing here would serve", "leaves them away", "we utilize it", "in order to win",
)  # fmt: skip


@pytest.mark.parametrize("sentence", SENTENCES)
def test_what_was_not_understood_is_found(sentence: str, tmp_path: Path) -> None:
    """In a document, a docstring, a message and a comment, with its line."""
    (tmp_path / "theanodiag").mkdir()
    (tmp_path / "page.md").write_text(f"# A\n\n{sentence}\n")
    (tmp_path / "theanodiag" / "x.py").write_text(
        f'def f():\n    """{sentence}"""\n    return "{sentence}"  # {sentence}\n\n# {sentence}\n'
    )
    places = {line.split(": ")[0] for line in plain_words.findings(tmp_path)}
    assert places == {"page.md:3", "theanodiag/x.py:2", "theanodiag/x.py:3", "theanodiag/x.py:5"}


IN_PROSE = (
    "None where it is asked for", "it is told so", "hands on the value", "then it goes on", "files are looked at", "so many bytes",
    "a flag that PyTensor has no more", "prints what was found", "the ones that fit", "the text does not tell", "a file of ours",
)  # fmt: skip


@pytest.mark.parametrize("sentence", IN_PROSE)
def test_phrases_of_docstrings_and_comments(sentence: str, tmp_path: Path) -> None:
    """They are found there, below the summary too; not in documents, messages and the docstrings of rules, which are pages."""
    (tmp_path / "theanodiag" / "rules").mkdir(parents=True)
    (tmp_path / "page.md").write_text(f"{sentence}\n")
    for name in ("x.py", "rules/x.py"):
        (tmp_path / "theanodiag" / name).write_text(f'"""A.\n\n{sentence}\n"""\n\nx = "{sentence}"  # {sentence}\n')
    places = [line.split(": ")[0] for line in plain_words.findings(tmp_path)]
    assert places == ["theanodiag/x.py:3", "theanodiag/x.py:6"]


def test_ours_have_none() -> None:
    """Documents, rule pages, messages, docstrings and comments."""
    assert list(plain_words.findings(ROOT)) == []
