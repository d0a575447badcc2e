"""Being told after an import."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from theanodiag.agent.hook.framework_modules import AfterImport


@pytest.fixture
def modules(tmp_path: Path) -> Iterator[list[str]]:
    """A package `tdpack` with a module in it, imported nowhere; the list is what its import printed."""
    (tmp_path / "tdpack").mkdir()
    (tmp_path / "tdpack" / "__init__.py").write_text("VALUE = 1\n")
    (tmp_path / "tdpack" / "part.py").write_text("from . import VALUE\nPART = VALUE + 1\n")
    sys.path.insert(0, str(tmp_path))
    finders = list(sys.meta_path)
    yield []
    sys.path.remove(str(tmp_path))
    sys.meta_path[:] = finders
    for name in ("tdpack", "tdpack.part"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()


def test_the_module_is_complete_when_we_are_told(modules: list[str]) -> None:
    """The action gets the module after its code ran."""
    AfterImport({"tdpack.part": lambda m: modules.append(f"{m.__name__} {m.PART}")}).install()
    importlib.import_module("tdpack.part")
    assert modules == ["tdpack.part 2"]


def test_each_module_is_told_once(modules: list[str]) -> None:
    """A second import, or a reload, tells nothing."""

    def tell(module: ModuleType) -> None:
        modules.append(module.__name__)

    AfterImport({"tdpack": tell, "tdpack.part": tell}).install()
    importlib.import_module("tdpack.part")
    importlib.reload(sys.modules["tdpack.part"])
    assert modules == ["tdpack", "tdpack.part"]


def test_modules_that_are_there_already_are_told_at_once(modules: list[str]) -> None:
    """A framework that was imported before us is not missed."""
    importlib.import_module("tdpack")
    AfterImport({"tdpack": lambda m: modules.append(m.__name__)}).install()
    assert modules == ["tdpack"]


def test_a_missing_module_stays_missing(modules: list[str]) -> None:
    """Waiting for a module does not make it importable."""
    AfterImport({"tdpack.none": lambda m: modules.append(m.__name__)}).install()
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'tdpack\.none'"):
        importlib.import_module("tdpack.none")
    assert modules == []


def test_its_source_is_still_found(modules: list[str]) -> None:
    """Tools that ask the module for its loader get the true one."""
    AfterImport({"tdpack": lambda m: modules.append(m.__name__)}).install()
    module = importlib.import_module("tdpack")
    assert module.__spec__ is not None
    assert module.__spec__.loader is not None
    assert module.__spec__.loader.get_source("tdpack") == "VALUE = 1\n"  # type: ignore[attr-defined]
