"""The walk-through of docs/pymc3.md: a notebook of PyMC3 that is moved and proved."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests import interpreters
from tests.cli.run import theanodiag

PAGE = (interpreters.ROOT / "docs" / "pymc3.md").read_text(encoding="utf-8").partition("## I have a PyMC3 notebook")[2]


def block(language: str) -> str:
    """The first block of that language in the walk-through."""
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def written(path: Path) -> Path:
    """The page's notebook."""
    cell = {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "source": block("python").splitlines(keepends=True),
    }
    path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 2}), encoding="utf-8")
    return path


def moved(folder: Path) -> Path:
    """The page's notebook after `port`."""
    path = written(folder / "moved.ipynb")
    done = theanodiag("port", "--to", "pymc", "--style", "compat", "--write", "--force", str(path))
    assert "1 safe change" in done.stderr, done.stderr
    return path


def test_the_notebook_of_the_page_is_moved_by_the_line_that_it_shows(tmp_path: Path) -> None:
    """And by no other."""
    old, new = (line[1:] for line in block("diff").splitlines())
    code = "".join(json.loads(moved(tmp_path).read_text(encoding="utf-8"))["cells"][0]["source"])
    assert code.splitlines() == [new if line == old else line for line in block("python").splitlines()]


@pytest.mark.parametrize("name", interpreters.first((), ("pymc", "pymc5")))
def test_the_notebook_of_the_page_is_proved(name: str, tmp_path: Path) -> None:
    """The comparison answers what the page says, with both releases of PyMC."""
    before, after = written(tmp_path / "model.ipynb"), moved(tmp_path)
    found = [interpreters.find(each) for each in ("pymc3", name)]
    options = ("--python", found[0], "--against", found[1], "--timeout", "600")
    done = theanodiag("compare", "--density", str(before), str(after), *options, timeout=1300)
    assert done.returncode == 0, done.stderr
    for line in block("text").splitlines():
        assert line in done.stdout
