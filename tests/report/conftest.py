"""One set of reports, shared by the tests of all formats."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from tests.report.html.browser import Browser
from theanodiag.capture.model import Capture, FrameworkInfo, ScriptEnd
from theanodiag.devices import HOST, DeviceProfile
from theanodiag.findings import Skipped
from theanodiag.ir import Unknown
from theanodiag.memory.script import Script
from theanodiag.report import terminal
from theanodiag.report.formats import View
from theanodiag.report.model import Report
from theanodiag.rules.examples import device, dot_script
from theanodiag.workflows import compose

FINISHED = ScriptEnd("finished", 0)


def make(script: Script, on: DeviceProfile = HOST, end: ScriptEnd = FINISHED, skipped: tuple[Skipped, ...] = ()) -> Report:
    """The report on a script that ended in this way."""
    framework = FrameworkInfo("theano", "1.0.5", "/lib/theano")
    return compose.report(Capture("model.py", "python3", "3.8.18", script, end, framework, skipped), on)


@pytest.fixture
def small() -> Report:
    """A script that fits easily."""
    return make(dot_script(10, 100), device(100_000_000))


@pytest.fixture
def too_large() -> Report:
    """A script that does not fit."""
    return make(dot_script(100, 2000), device(8_000_000))


@pytest.fixture
def unknown() -> Report:
    """A script with an unknown size, and something skipped."""
    return make(dot_script(Unknown("the length depends on data"), 100), device(100_000_000), skipped=(Skipped("op Foo", "no rule"),))


@pytest.fixture
def raised() -> Report:
    """A script that raised before it had any function."""
    end = ScriptEnd(
        "raised", None, "ValueError: bad data", 'Traceback (most recent call last):\n  File "model.py", line 3\nValueError: bad data'
    )
    script = dot_script(10, 10)
    return make(dataclasses.replace(script, functions=(), events=()), HOST, end)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A Chromium for all tests of pages; they are skipped where there is none."""
    made = Browser(tmp_path_factory.mktemp("chromium"))
    yield made
    made.driver.quit()


def render(report: Report, **options: Any) -> str:
    """The text of a report, with the options of a View."""
    return terminal.show(report, View(**options))
