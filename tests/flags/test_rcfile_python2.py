"""Reading rc files as CPython 2.7 does."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.interpreters import find
from theanodiag.flags.rcfile import parse_rc2

HEADERS = ["[a]", "[b]", "[a]b]", "[DEFAULT]", "[c] d", " [a]"]
OTHERS = [
    "x = 1",
    "X: 2 ; why",
    "y=",
    'y=""',
    "= z",
    "word",
    "  more ; x",
    "rem x=1",
    "REM",
    "remx = 1",
    "# c",
    " # d = 1",
    "",
    "   ",
    "x = ;",
    "x=;a\r",
    "é = 1",
]
texts = st.lists(st.sampled_from(HEADERS + OTHERS + ["[a]"]), max_size=9).map("\n".join)


@pytest.fixture(scope="module")
def python2() -> Iterator[subprocess.Popen[str]]:
    """A CPython 2.7 that reads rc texts."""
    process = subprocess.Popen([find("theano27"), str(Path(__file__).with_name("config_parser_27.py"))], stdin=-1, stdout=-1, text=True)
    yield process
    process.communicate()


def reference(process: subprocess.Popen[str], text: str) -> Any:
    """What it makes of `text`."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(text) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def ours(text: str) -> Any:
    """The same from our reader."""
    read = parse_rc2(text, "f")
    if read.failure:
        return [{}, read.failure.exception]
    sections: dict[str, dict[str, str]] = {name: {} for name in (*read.sections, "DEFAULT")}
    for entry in read.entries:
        sections[str(entry.section)][entry.key.lower()] = entry.raw
    return [sections, None]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.one_of(texts, st.text(alphabet="[]ab=:#;% \t\n\r", max_size=30)))
def test_equals_python_2(python2: subprocess.Popen[str], text: str) -> None:
    """Any arrangement of lines gives the same sections, options and values, or the same error."""
    assert ours(text) == reference(python2, text)


def test_a_comment_behind_a_value() -> None:
    """A semicolon after a blank ends the value, and the span ends with it."""
    (entry,) = parse_rc2("[a]\nx = 1 ; one\n", "f").entries
    assert (entry.raw, entry.value_span.text[entry.value_span.start : entry.value_span.end]) == ("1", "1")
