"""Modules that only Python 2 scripts import."""

from __future__ import annotations

from pathlib import Path

import pytest

from theanodiag.workflows.port_files import Surroundings
from theanodiag.workflows.python2_imports import imported_by_python2

OLD = "import utils\nprint utils.half(5)\n"
NEW = "import utils\nprint(utils.half(5))\n"
HALF = "def half(n):\n    return n / 2\n"


def written(folder: Path, **sources: str) -> Path:
    """The folder with these modules."""
    for name, text in sources.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def found(folder: Path) -> set[str]:
    """The names of the modules, relative to the folder."""
    return {str(Path(path).relative_to(folder)) for path in imported_by_python2(str(folder))}


def test_what_a_python_2_script_imports_is_python_2_too(tmp_path: Path) -> None:
    """Directly, or by way of another module."""
    assert found(written(tmp_path, train=OLD, utils="import more\n" + HALF, more="x = 1 / 2\n", other="x = 1\n")) == {"utils.py", "more.py"}


def test_what_another_script_imports_too_is_not(tmp_path: Path) -> None:
    """Nobody knows which Python such a script is for."""
    assert found(written(tmp_path, train=OLD, test=NEW, utils=HALF)) == set()


@pytest.mark.parametrize("train", [NEW, "import utils\nx = (\n"])
def test_without_a_python_2_script_there_is_none(tmp_path: Path, train: str) -> None:
    """A source that no Python can read is none of Python 2."""
    assert found(written(tmp_path, train=train, utils=HALF)) == set()


def test_modules_of_a_package(tmp_path: Path) -> None:
    """The package is in the folder of the scripts; none of its modules is Python 2 by itself."""
    written(tmp_path, train="from lib import utils\nprint utils.half(5)\n")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "__init__.py").write_text("")
    (tmp_path / "lib" / "utils.py").write_text(HALF)
    path = str(tmp_path / "lib" / "utils.py")
    assert Surroundings(python2to3=True).of(path).is_python2()
    assert not Surroundings().of(path).is_python2()
