"""Settings of all tests: random examples are the same in every run, unless thoroughness is asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.reaching import reaches

settings.register_profile("repeatable", derandomize=True, database=None)
if not os.environ.get("THEANODIAG_THOROUGH"):
    settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--reaching`: leave out the files in which no real framework is asked for."""
    parser.addoption("--reaching", action="store_true", help="only test files that can reach a real framework")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files that `--reaching` leaves out."""
    tests = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    return True if tests and config.getoption("--reaching") and not reaches(collection_path) else None
