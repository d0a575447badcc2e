"""Files of one thing many times over: a scan's work grows with the file and no faster."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.porting.test_linear import SOURCES, notebook, seconds
from theanodiag.flags.carriers.file_kinds import kind_of
from theanodiag.flags.carriers.reading import read
from theanodiag.scanned_files.facts import facts
from theanodiag.scanned_files.model import SourceKind


@pytest.mark.parametrize("name", SOURCES)
def test_sources(name: str) -> None:
    """Eight times as large: work that grows with the square would take 64 times as long."""
    times = []
    for size in (500, 4000):
        data = SOURCES[name](size).encode()
        times.append(seconds(lambda data=data: facts("x.py", SourceKind.PYTHON, data)))  # type: ignore[misc]
    assert times[1] < 24 * max(times[0], 0.01)


def test_notebooks() -> None:
    """As for sources."""
    times = []
    for cells in (500, 4000):
        data = notebook(cells).encode()
        times.append(seconds(lambda data=data: facts("x.ipynb", SourceKind.NOTEBOOK, data)))  # type: ignore[misc]
    assert times[1] < 24 * max(times[0], 0.01)


SETTINGS: dict[str, Callable[[int], str]] = {
    "a.bat": lambda n: "set a=" + " " * 4 * n + "%\nset THEANO_FLAGS=device=cpu\n",
    "a.sh": lambda n: "+" * 4 * n + "\nTHEANO_FLAGS=device=cpu\n",
    "Makefile": lambda n: "a\n" * 4 * n + "THEANO_FLAGS=device=cpu\n",
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings(name: str) -> None:
    """As for sources: blanks before what is no value, and lines that assign nothing."""
    times = []
    for size in (500, 4000):
        text = SETTINGS[name](size)
        times.append(seconds(lambda text=text: read(text, kind_of(name, text.encode()))))  # type: ignore[misc]
    assert times[1] < 24 * max(times[0], 0.01)
