"""The repair: whatever the parser refuses is accepted afterwards, and nothing else has changed."""

from __future__ import annotations

import configparser

import pytest
from hypothesis import given, settings

from tests.flags.rc_files import rc_texts
from theanodiag.flags.migrate import repaired
from theanodiag.flags.rcfile_text import parse_rc

CASES = [
    pytest.param("\ufeff[global]\nx=1\n", "[global]\nx=1\n", id="byte order mark"),
    pytest.param("# caf\udce9\n[global]\n", "# café\n[global]\n", id="not UTF-8"),
    pytest.param("# c\nx=1\n", "# c\n[global]\nx=1\n", id="no header"),
    pytest.param("My settings\n[global]\nx=1\n", "# My settings\n[global]\nx=1\n", id="words at the top"),
    pytest.param("[a]\n// words\nx=1\n", "[a]\n# // words\nx=1\n", id="words"),
    pytest.param("[a]\nx=1\n\n[b]\ny=1\n[a]\n# c\nz=1", "[a]\nx=1\n# [a]\n# c\nz=1\n\n[b]\ny=1\n", id="section twice"),
    pytest.param("x=1\n[global]\ny=1\n", "[global]\nx=1\n# [global]\ny=1\n", id="no header, then the section"),
    pytest.param("[a]\n\tx=1\n\t[b]\n[a]\ny=1\n\tmore\n", "[a]\n\tx=1\n\t# [a]\n\ty=1\n\t    more\n\t[b]\n", id="section twice, indented"),
    pytest.param("[a] # see [1]\nx=1\n", "# see [1]\n[a]\nx=1\n", id="brackets behind the header"),
    pytest.param(
        "[a]\nX=1\nx=2\n", "[a]\n# theanodiag: X is set again below, and the last one takes effect\n# X=1\nx=2\n", id="option twice"
    ),
]


@pytest.mark.parametrize(("text", "after"), CASES)
def test_text_after_repair(text: str, after: str) -> None:
    """What each slip becomes."""
    assert repaired(parse_rc(text)).text == after


@settings(max_examples=500, deadline=None)
@given(rc_texts())
def test_repaired_file_is_accepted_and_needs_no_second_pass(text: str) -> None:
    """configparser reads it, and repairing again gives the same object."""
    document = repaired(parse_rc(text))
    configparser.RawConfigParser().read_string(document.text)
    assert repaired(document) is document


@settings(max_examples=300, deadline=None)
@given(rc_texts(flawless=True))
def test_sound_file_is_not_touched(text: str) -> None:
    """The very same document comes back."""
    document = parse_rc(text)
    assert repaired(document) is document


@settings(max_examples=300, deadline=None)
@given(rc_texts())
def test_every_comment_is_still_there(text: str) -> None:
    """No comment line is lost, wherever it moved to."""
    after = [line.strip() for line in repaired(parse_rc(text)).text.splitlines()]
    for line in text.lstrip("\ufeff").splitlines():
        if line.strip().startswith(("#", ";")):
            assert line.strip() in after
