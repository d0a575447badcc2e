"""Settings of all tests: a home of their own, and the same random examples in every run, unless thoroughness is asked for."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import compiler
from tests.reaching import reaches

# no deadline and no complaint about slowness: the machine may be busy with other workers
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow])
if not os.environ.get("THEANODIAG_THOROUGH"):
    settings.load_profile("repeatable")

HOME = Path(tempfile.gettempdir()) / "theanodiag-home" / os.environ.get("PYTEST_XDIST_WORKER", "alone")
"""No rc file of the user's counts, and no two workers wait for the lock of one folder of compiled modules."""
HOME.mkdir(parents=True, exist_ok=True)
os.environ["HOME"] = str(HOME)
compiler.come_first()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--reaching`: leave out the files in which no real framework is asked for."""
    parser.addoption("--reaching", action="store_true", help="only test files that can reach a real framework")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files that `--reaching` leaves out."""
    tests = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    return True if tests and config.getoption("--reaching") and not reaches(collection_path) else None
