"""Splitting the flags variable: what shlex gives, with places."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theanodiag.flags.resolve import read_flags


def reference(text: str) -> tuple[list[tuple[str, ...]], str]:
    """The words that the libraries go through, taken apart at their first `=`, and why they stop (configparser.py, parse_config_string)."""
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace, lexer.whitespace_split = ",", True
    words = []
    try:
        for word in lexer:
            words.append(tuple(word.strip().split("=", 1)))
    except ValueError as error:
        return [w for w in words if w != ("",)], str(error)
    return [w for w in words if w != ("",)], ""


@settings(max_examples=1000, deadline=None)
@given(st.text(alphabet="ab=, '\"\\#\n\r\t.;\x1c\u00a0\udce9", max_size=25))
def test_equals_the_libraries(text: str) -> None:
    """Quotes, backslashes, comments and blanks mean what they mean to the libraries; so does what they refuse."""
    read = read_flags(text, "V")
    words, message = reference(text)
    assert [(e.key, e.raw) for e in read.entries] == [w for w in words if len(w) == 2]
    assert [(e.key,) for e in read.valueless] == [w for w in words if len(w) == 1]
    assert (read.failure.message if read.failure else "") == message


@given(st.text(alphabet="ab=, '\"\\#\n", max_size=25))
def test_without_quoting_equals_a_split_at_commas(text: str) -> None:
    """As Theano 0.6 takes it apart."""
    words = [tuple(w.strip().split("=", 1)) for w in text.split(",") if w.strip()]
    read = read_flags(text, "V", quoting=False)
    assert [(e.key, e.raw) for e in read.entries] == [w for w in words if len(w) == 2]
    assert [(e.key,) for e in read.valueless] == [w for w in words if len(w) == 1]


@pytest.mark.parametrize(
    ("text", "keys", "values"),
    [
        ("floatX=float32", ["floatX"], ["float32"]),
        ("a=1, b=2,", ["a", "b"], ["1", "2"]),
        ("mode='FAST_RUN',x=\"y z\"", ["mode", "x"], ["'FAST_RUN'", '"y z"']),
        ("floatX = float32", ["floatX "], [" float32"]),
        ("a=1#2,b=3\n,c=4", ["a", "c"], ["1", "4"]),
    ],
)
def test_places(text: str, keys: list[str], values: list[str]) -> None:
    """The spans cover what stands in the variable, quotes included."""
    entries = read_flags(text, "V").entries
    assert [text[e.key_span.start : e.key_span.end] for e in entries] == keys
    assert [text[e.value_span.start : e.value_span.end] for e in entries] == values


def test_a_word_without_value() -> None:
    """A word without `=` is kept apart: the libraries warn of it."""
    read = read_flags("a=1,profile", "V")
    assert [e.key for e in read.valueless] == ["profile"]


def test_an_open_quote() -> None:
    """What shlex refuses is a failure with a place."""
    failure = read_flags("a=1,b='x", "V").failure
    assert failure
    assert (failure.message, failure.span.start if failure.span else None) == ("No closing quotation", 3)


def test_without_quoting() -> None:
    """Theano 0.6 knew no quotes."""
    assert [e.raw for e in read_flags("a='1,b=2'", "V", quoting=False).entries] == ["'1", "2'"]
