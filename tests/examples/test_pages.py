"""What pages of docs/ show as the output of a command is what the command prints, on the real Theano."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..cli.run import theanodiag
from ..interpreters import ROOT, find

PAGES = [p for p in sorted((ROOT / "docs").glob("**/*.md")) if p.name != "tutorial.md"]
"""The steps of the tutorial belong together: `test_tutorial.py`."""


def shown(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Each command of the page whose output is shown, and the lines of that output."""
    for block in re.findall(r"```console\n\$ (.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        command, *lines = block.splitlines()
        yield command, [line for line in lines if line != "..."]


EXAMPLES = [pytest.param(*example, id=page.stem) for page in PAGES for example in shown(page)]


def test_there_are_examples() -> None:
    """Of advice at least, and of the batch."""
    assert len(EXAMPLES) >= 2


@pytest.mark.parametrize(("command", "lines"), EXAMPLES)
def test_the_output_is_that_of_today(command: str, lines: list[str]) -> None:
    """All lines, in this order; `...` stands for what is left out."""
    words = shlex.split(command)
    program = words.index("theanodiag")
    env = dict(word.split("=", 1) for word in words[:program])
    done = theanodiag(*words[program + 1 :], "--python", find("theano"), cwd=str(ROOT), env={**env, "COLUMNS": "80"})
    rest = iter(done.stdout.splitlines())
    assert [line for line in lines if line not in rest] == [], done.stdout + done.stderr
