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
    """In a document and in a message, with its line; not in a docstring, which is for maintainers."""
    (tmp_path / "theanodiag").mkdir()
    (tmp_path / "page.md").write_text(f"# A\n\n{sentence}\n")
    (tmp_path / "theanodiag" / "x.py").write_text(f'def f():\n    """{sentence}"""\n    return "{sentence}"\n')
    places = {line.split(": ")[0] for line in plain_words.findings(tmp_path)}
    assert places == {"page.md:3", "theanodiag/x.py:3"}


def test_ours_have_none() -> None:
    """Documents, rule pages and messages."""
    assert list(plain_words.findings(ROOT)) == []
