"""The flags variable: the same entries as `shlex`, each with its place."""

from __future__ import annotations

import shlex
import subprocess
import types
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from theanodiag.flags.flags_variable import FlagsVariable, parse_flags, quote_value

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


class TestLineThatSetsAFlag:
    """The line to paste sets a flag and keeps those that are set."""

    @pytest.mark.parametrize(
        ("text", "flags", "line"),
        [
            ("", ["allow_gc=True"], "THEANO_FLAGS=allow_gc=True"),
            ("floatX=float32", ["allow_gc=True"], "THEANO_FLAGS=floatX=float32,allow_gc=True"),
            ("allow_gc=False, floatX=float32", ["allow_gc=True"], "THEANO_FLAGS=floatX=float32,allow_gc=True"),
            ("a=1,nothing,#b=2", ["floatX=float32", "a=3,c=4"], "THEANO_FLAGS=floatX=float32,a=3,c=4"),
            ("optimizer_excluding=fusion:inplace", ["optimizer_excluding=inplace:x"], "THEANO_FLAGS=optimizer_excluding=fusion:inplace:x"),
            ("contexts=dev0->cuda0;dev1->cuda1", ["linker=c|py"], "THEANO_FLAGS='contexts=dev0->cuda0;dev1->cuda1,linker=c|py'"),
        ],
    )
    def test_it_keeps_other_flags(self, text: str, flags: list[str], line: str) -> None:
        """A flag that is set is replaced, a list of names extended; what a shell would take apart is quoted."""
        assert FlagsVariable(text=text).line(*flags) == line

    def test_unknown_flags_are_left_to_the_shell(self) -> None:
        """As in a report on a printed graph."""
        line = FlagsVariable("PYTENSOR_FLAGS", None).line("allow_gc=True")
        run = ["sh", "-c", f'{line}; printf %s "$PYTENSOR_FLAGS"']
        done = subprocess.run(run, env={"PYTENSOR_FLAGS": "x=a b"}, capture_output=True, text=True, check=True)
        assert done.stdout == "x=a b,allow_gc=True"

    def test_a_script_that_sets_the_variable_is_changed(self) -> None:
        """A shell's variable would be overwritten."""
        line = FlagsVariable(text="device=cuda0", by_script=True).line("allow_gc=True")
        names: dict[str, Any] = {"os": types.SimpleNamespace(environ={})}
        exec(line, names)
        assert names["os"].environ == {"THEANO_FLAGS": "device=cuda0,allow_gc=True"}

    @given(st.text(alphabet="ab =,'\"\\;$>#|\n", max_size=16), st.text(alphabet="ab ,'\"\\;$`>", max_size=8))
    def test_a_shell_and_the_library_give_every_flag_back(self, text: str, value: str) -> None:
        """Whatever their values are."""
        before = parse_flags(text)
        assume(before.open_quote is None)
        line = FlagsVariable(text=text).line(f"c={quote_value(value)}")
        set_ = {e.key.strip(): e.value.strip() for e in before.entries if e.value is not None}
        (words,) = shlex.split(line)
        name, _, new = words.partition("=")
        after = {e.key: (e.value or "").strip() for e in parse_flags(new).entries}
        assert name == "THEANO_FLAGS"
        assert after == {**set_, "c": value.strip()}
