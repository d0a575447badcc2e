"""Splitting the flags variable: what shlex gives, with places."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.flags.flagstring import parse_flags


def reference(text: str) -> dict[str, str] | None:
    """The dictionary that the libraries build (Theano 1.0.5, configparser.py, parse_config_string); None for an error."""
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace, lexer.whitespace_split = ",", True
    try:
        words = [word.strip() for word in lexer]
    except ValueError:
        return None
    return {word.split("=", 1)[0]: word.split("=", 1)[1] for word in words if "=" in word}


@given(st.text(alphabet="ab=, '\"\\#\n.", max_size=25))
def test_equals_the_libraries(text: str) -> None:
    """Quotes, backslashes, comments and blanks mean what they mean to the libraries."""
    read = parse_flags(text, "V")
    assert (None if read.failure else {e.key: e.raw for e in read.entries}) == reference(text)


@pytest.mark.parametrize(
    ("text", "keys", "values"),
    [
        ("floatX=float32", ["floatX"], ["float32"]),
        ("a=1, b=2,", ["a", "b"], ["1", "2"]),
        ("mode='FAST_RUN',x=\"y z\"", ["mode", "x"], ["'FAST_RUN'", '"y z"']),
        ("floatX = float32", ["floatX "], [" float32"]),
    ],
)
def test_places(text: str, keys: list[str], values: list[str]) -> None:
    """The spans cover what stands in the variable, quotes included."""
    entries = parse_flags(text, "V").entries
    assert [text[e.key_span.start : e.key_span.end] for e in entries] == keys
    assert [text[e.value_span.start : e.value_span.end] for e in entries] == values


def test_a_word_without_value() -> None:
    """A word without `=` is kept apart: the libraries warn of it."""
    read = parse_flags("a=1,profile", "V")
    assert [e.key for e in read.valueless] == ["profile"]


def test_an_open_quote() -> None:
    """What shlex refuses is a failure with a place."""
    failure = parse_flags("a=1,b='x", "V").failure
    assert failure
    assert (failure.message, failure.span.start if failure.span else None) == ("No closing quotation", 3)


def test_without_quoting() -> None:
    """Theano 0.6 knew no quotes."""
    assert [e.raw for e in parse_flags("a='1,b=2'", "V", quoting=False).entries] == ["'1", "2'"]
