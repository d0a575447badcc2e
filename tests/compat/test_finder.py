"""The finder's own rules, without a framework."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from theanodiag.compat.finder import AliasFinder
from theanodiag.compat.install import choose, installed


@pytest.fixture
def on_path(tmp_path: Path) -> Iterator[Path]:
    """A folder from which Python imports."""
    sys.path.insert(0, str(tmp_path))
    importlib.invalidate_caches()
    yield tmp_path
    sys.path.remove(str(tmp_path))


def test_other_names_are_not_its_business() -> None:
    """Names outside of the aliased trees are left to Python, also those that only begin alike."""
    finder = AliasFinder({"theano": "pytensor"}, installed)
    assert [finder.find_spec(name) for name in ("numpy", "theanodiag", "theano_pymc.tensor", "aesara")] == [None] * 4


def test_a_real_package_takes_its_name_back(on_path: Path) -> None:
    """Once the framework itself is found its alias is given up."""
    (on_path / "theano").mkdir()
    (on_path / "theano" / "__init__.py").touch()
    finder = AliasFinder({"theano": "pytensor"}, installed)
    assert finder.find_spec("theano") is None
    assert finder.aliases == {}


@pytest.mark.parametrize(("files", "found"), [((), False), (("__init__.py",), True)])
def test_installed(on_path: Path, files: tuple[str, ...], found: bool) -> None:
    """A package has code; a bare folder is none."""
    folder = on_path / "aesara"
    folder.mkdir()
    for name in files:
        (folder / name).touch()
    assert installed("aesara") is found


@pytest.mark.parametrize(
    ("present", "preferred", "chosen"),
    [
        ((), None, None),
        (("pytensor",), None, "pytensor"),
        (("pytensor", "aesara"), None, "aesara"),
        (("pytensor", "aesara"), "pytensor", "pytensor"),
        (("pytensor",), "aesara", "pytensor"),
        (("theano", "aesara"), "aesara", None),
    ],
)
def test_choice(on_path: Path, present: tuple[str, ...], preferred: str | None, chosen: str | None) -> None:
    """The closest relative stands in, unless another one is preferred; never for what is installed."""
    for name in present:
        (on_path / f"{name}.py").touch()
    assert choose("theano", preferred) == chosen


def test_no_finder_is_left_here() -> None:
    """This interpreter has no framework, so nothing was put in front of its imports."""
    assert not any(isinstance(finder, AliasFinder) for finder in sys.meta_path)
