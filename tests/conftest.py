"""Settings of all tests: an environment of their own, and the same random examples in every run, unless thoroughness is asked for."""

from __future__ import annotations

import os
import signal
import sys
import sysconfig
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import theanodiag
from tests import compiler, surroundings
from tests.parts import in_part
from tests.reaching import reaches

# no deadline and no complaint about slowness: the machine may be busy with other workers
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow])
if not os.environ.get("THEANODIAG_THOROUGH"):
    settings.load_profile("repeatable")

# No rc file of the user's counts, and no two workers wait for the lock of one folder of compiled modules.
surroundings.enter(os.environ, f"theanodiag-home/{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}")
compiler.come_first()
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as nohup and a shell's `&` leave it: what tests start would not end by it
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """What leaves out tests that tell the same with the real frameworks as without."""
    parser.addoption("--reaching", action="store_true", help="only test files that can reach a real framework")
    parser.addoption(
        "--part", metavar="K/N", help="only the test files of part K (from 0) of N, and those that every part has (tests/parts.py)"
    )
    parser.addoption("--passed", metavar="FILE", help="write the ids of the tests that passed to FILE")
    parser.addoption("--but", metavar="FILE", help="leave out the tests whose ids are in FILE")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files that `--reaching` or `--part` leaves out."""
    if not (collection_path.name.startswith("test_") and collection_path.suffix == ".py"):
        return None
    part = config.getoption("--part")
    out = (config.getoption("--reaching") and not reaches(collection_path)) or (part and not in_part(collection_path, part))
    return True if out else None


def pytest_configure(config: pytest.Config) -> None:
    """The package has to be the installed one where that is what is tested; only the process that the user started hears of all results."""
    if sys.flags.optimize:
        raise pytest.UsageError("with PYTHONOPTIMIZE or -O no assert is run: every test would pass")
    package, site = Path(theanodiag.__file__).resolve(), Path(sysconfig.get_path("purelib")).resolve()
    if "THEANODIAG_CHECKOUT" in os.environ and site not in package.parents:
        raise pytest.UsageError(f"the tests would run on {package}, not on what is installed in {site}")
    passed = config.getoption("--passed")
    if passed and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Passed(Path(passed)))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that `--but` leaves out."""
    file = config.getoption("--but")
    if file:
        known = set(Path(file).read_text(encoding="utf-8").splitlines())
        left_out = [item for item in items if item.nodeid in known]
        items[:] = [item for item in items if item.nodeid not in known]
        config.hook.pytest_deselected(items=left_out)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was skipped: a line for each reason."""
    reasons = Counter(reason(report) for report in terminalreporter.stats.get("skipped", ()))
    for said, times in reasons.most_common():
        terminalreporter.write_line(f"skipped: {times} for: {said}")


def reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a test, or a whole file, was skipped."""
    said = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return said.removeprefix("Skipped: ")


class Passed:
    """Keeps the ids of the tests that passed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ids: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A part of a test is done."""
        if report.when == "call" and report.passed and "\n" not in report.nodeid:
            self.ids.append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """All tests are done."""
        self.path.write_text("\n".join(self.ids), encoding="utf-8")
