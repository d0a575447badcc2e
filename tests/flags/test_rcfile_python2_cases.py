"""What CPython 2.7's parser makes of single lines: values, places, and the two ways to be refused."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.interpreters import find
from theanodiag.flags.rcfile import parse_rc2

ENTRIES = [
    pytest.param("[a]\nx = 1\nx = 2\n", [("a", "x", "1"), ("a", "x", "2")], id="an option twice"),
    pytest.param("[a]\nx=1\n[b]\n[a]\ny=2\n", [("a", "x", "1"), ("a", "y", "2")], id="a section twice"),
    pytest.param("[a]\nx = 1 ; why\n", [("a", "x", "1")], id="a comment behind the value"),
    pytest.param("[a]\nx = 1;why\n", [("a", "x", "1;why")], id="no blank before the semicolon"),
    pytest.param("[a]\nx = 1 # why\n", [("a", "x", "1 # why")], id="another sign"),
    pytest.param("[a]\nx = 1\n  y = 2\n", [("a", "x", "1\ny = 2")], id="any blank goes on with the value"),
    pytest.param("[a]\nrem x = 1\nREM\nremx = 1\n", [("a", "remx", "1")], id="remarks"),
    pytest.param('[a]\nx = ""\ny = "1"\n', [("a", "x", ""), ("a", "y", '"1"')], id="quotes round nothing"),
    pytest.param("[DEFAULT]\nx: 1\n", [("DEFAULT", "x", "1")], id="defaults, a colon"),
]
REFUSED = [
    pytest.param("x = 1\n[a]\n", "MissingSectionHeaderError", 1, id="an option before any section"),
    pytest.param("# c\n\nword\n", "MissingSectionHeaderError", 3, id="a word before any section"),
    pytest.param("[a]\nx = 1\nword\n", "ParsingError", 3, id="a word alone"),
    pytest.param("[a]\n= 1\n", "ParsingError", 2, id="no name"),
    pytest.param("[a]\nword\n= 1\n", "ParsingError", 2, id="the first of two"),
]
ASK = """
import ConfigParser, json, StringIO, sys
parser = ConfigParser.RawConfigParser()
try:
    parser.readfp(StringIO.StringIO(sys.stdin.read()))
except ConfigParser.Error as error:
    print(json.dumps(type(error).__name__))
else:
    own = {s: dict(parser._sections[s]) for s in parser.sections()}
    own["DEFAULT"] = parser._defaults
    print(json.dumps({s: {k: v for k, v in d.items() if k != "__name__"} for s, d in own.items()}))
"""


def python2(text: str) -> object:
    """What the real parser says of a text: the options by section, or the name of its error."""
    done = subprocess.run([find("theano27"), "-c", ASK], input=text, capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize(("text", "entries"), ENTRIES)
def test_entries(text: str, entries: list[tuple[str, str, str]]) -> None:
    """Each entry in the order of the text, the last of a name counting later on."""
    read = parse_rc2(text, "rc")
    assert read.failure is None
    assert [(e.section, e.key, e.raw) for e in read.entries] == entries


@pytest.mark.parametrize(("text", "exception", "line"), REFUSED)
def test_refused(text: str, exception: str, line: int) -> None:
    """With the class of the error and the line."""
    failure = parse_rc2(text, "rc").failure
    assert failure is not None
    assert failure.span is not None
    assert (failure.exception, failure.span.line, failure.span.column) == (exception, line, 1)


def test_missing_header_goes_before_a_bad_line() -> None:
    """The parser stops at once for the one, and collects the other."""
    failure = parse_rc2("word\n[a]\nword\n", "rc").failure
    assert failure is not None
    assert failure.exception == "MissingSectionHeaderError"


def test_places_of_a_value_of_two_lines() -> None:
    """The value's place runs to the end of the last line; the name's is the name."""
    text = "[a]\nflags = -O2\n   -g  \n"
    (entry,) = parse_rc2(text, "rc").entries
    assert text[entry.key_span.start : entry.key_span.end] == "flags"
    assert text[entry.value_span.start : entry.value_span.end] == "-O2\n   -g"


@pytest.mark.parametrize(("text", "entries"), ENTRIES)
def test_python_2_agrees_about_entries(text: str, entries: list[tuple[str, str, str]]) -> None:
    """The same table, put to the real parser."""
    expected: dict[str, dict[str, str]] = {}
    for section, key, raw in entries:
        expected.setdefault(section, {})[key] = raw
    found = python2(text)
    assert isinstance(found, dict)
    assert {s: options for s, options in found.items() if options} == expected


@pytest.mark.parametrize(("text", "exception", "line"), REFUSED)
def test_python_2_agrees_about_errors(text: str, exception: str, line: int) -> None:
    """The same table, put to the real parser."""
    assert line
    assert python2(text) == exception
