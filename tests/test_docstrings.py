"""The examples in docstrings: they print what they say."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WITH_FRAMEWORK = ("api.py", "chunked/group.py", "jobs/estimate.py", "readers.py")
"""Modules whose examples compile functions; noxfile.py, `api`, runs them."""
MODULES = sorted(
    name
    for file in (ROOT / "theanodiag").rglob("*.py")
    if (name := file.relative_to(ROOT / "theanodiag").as_posix()) not in WITH_FRAMEWORK
    and not name.startswith(("agent/", "compat/"))
    and "\n    >>> " in file.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name: str) -> None:
    """Those that need no framework."""
    module = importlib.import_module("theanodiag." + name[: -len(".py")].replace("/", ".").removesuffix(".__init__"))
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed
