"""The flags variable: the same entries as `shlex`, each with its place."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theanodiag.flags.flags_variable import parse_flags, quote_value

texts = st.text(alphabet="ab=,'\"\\# \n.;", max_size=14)


def by_shlex(text: str) -> list[tuple[str, ...]] | None:
    """The entries as the libraries take them apart; None where they refuse."""
    splitter = shlex.shlex(text, posix=True)
    splitter.whitespace = ","
    splitter.whitespace_split = True
    try:
        return [tuple(word.strip().split("=", 1)) for word in splitter if word.strip()]
    except ValueError:
        return None


@settings(max_examples=1000, deadline=None)
@given(texts)
def test_entries_are_those_of_shlex(text: str) -> None:
    """Names and values are the same; an open quote is seen wherever shlex refuses."""
    flags = parse_flags(text)
    theirs = by_shlex(text)
    assert (flags.open_quote is not None) == (theirs is None)
    if theirs is not None:
        assert [(e.key,) if e.value is None else (e.key, e.value) for e in flags.entries] == theirs


@given(texts)
def test_spans_are_in_order_and_apart(text: str) -> None:
    """Entries lie behind one another, name before value."""
    at = 0
    for entry in parse_flags(text).entries:
        assert at <= entry.span.start <= entry.key_span.end <= entry.value_span.start <= entry.value_span.end == entry.span.end
        at = entry.span.end


@given(st.text(alphabet="ab=,'\"\\# ;", max_size=8).filter(lambda v: v == v.strip()))
def test_quoted_value_is_given_back(value: str) -> None:
    """Whatever the value, the splitting returns it."""
    (entry,) = parse_flags(f"k={quote_value(value)}").entries
    assert entry.value == value


def test_quotes_come_off_and_stay_in_the_span_of_the_value() -> None:
    """The library sees the value without quotes; the text keeps them."""
    (entry,) = parse_flags("cxx='/opt/a,b/g++'").entries
    assert entry.value == "/opt/a,b/g++"
    assert entry.span.text[entry.value_span.start : entry.value_span.end] == "'/opt/a,b/g++'"


def test_comment_is_found() -> None:
    """A # takes the rest of the line."""
    flags = parse_flags("a=1#2,b=3\n,c=4")
    assert [e.key for e in flags.entries] == ["a", "c"]
    assert (flags.comments[0].start, flags.comments[0].end) == (3, 10)


@pytest.mark.parametrize(("text", "column"), [("a=1,b='x", 7), ("a=\\", 3), ('a="\\', 3)])
def test_open_quote_has_its_place(text: str, column: int) -> None:
    """The place is where the open thing begins."""
    place = parse_flags(text).open_quote
    assert place is not None
    assert place.column in (column, column + 1)


def test_lost_backslashes_are_found() -> None:
    """Those outside single quotes are taken off, those inside stay."""
    flags = parse_flags("a=C:\\x,b='C:\\x'")
    assert [e.value for e in flags.entries] == ["C:x", "C:\\x"]
    assert [place.column for place in flags.backslashes] == [5]
