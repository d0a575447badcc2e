"""The lossless document: the same entries as `configparser`, every byte kept, every flaw with its place."""

from __future__ import annotations

import configparser
import io
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theanodiag.flags.rcfile_text import FlawKind, LineKind, RcDocument, decode, encode, parse_rc

PIECES = (
    "[global]",
    "[dnn]",
    "[DEFAULT]",
    "\n",
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "device",
    "=",
    "a",
    "#",
    ";",
    "x=1",
    "x: 2",
    "B = c",
    "]",
    "\xa0",
)
texts = st.lists(st.sampled_from(PIECES), max_size=16).map("".join)


def by_configparser(text: str) -> dict[str, dict[str, str]] | None:
    """The sections as the standard library reads them, None where it refuses."""
    parser = configparser.RawConfigParser()
    try:
        parser.read_file(io.StringIO(text, newline=None))
    except configparser.Error:
        return None
    found = {name: {key: parser.get(name, key) for key in parser.options(name)} for name in parser.sections()}
    defaults = dict(parser.defaults())
    return {"DEFAULT": defaults, **{n: {k: v for k, v in s.items() if defaults.get(k) != v} for n, s in found.items()}}


def by_us(document: RcDocument) -> dict[str, dict[str, str]]:
    """The same from a document."""
    found: dict[str, dict[str, str]] = {"DEFAULT": {}, **{s.name: {} for s in document.sections}}
    for entry in document.entries:
        found[entry.section][entry.key] = entry.value
    defaults = found["DEFAULT"]
    return {n: {k: v for k, v in s.items() if n == "DEFAULT" or defaults.get(k) != v} for n, s in found.items()}


class TestParsing:
    """Against the standard library."""

    @pytest.mark.skipif(sys.version_info < (3, 10), reason="before 3.10 a header ended at its first ]")
    @settings(max_examples=500, deadline=None)
    @given(texts)
    def test_entries_are_those_of_configparser(self, text: str) -> None:
        """Whatever configparser accepts has the same sections, options and values here, and no flaw."""
        document, theirs = parse_rc(text), by_configparser(text)
        if theirs is None:
            assert document.flaws
        else:
            assert not document.flaws
            assert by_us(document) == theirs

    @given(texts)
    def test_lines_are_the_whole_text(self, text: str) -> None:
        """Putting the lines together gives the text back."""
        assert "".join(text[line.start : line.stop] for line in parse_rc(text).lines) == text

    @given(st.binary(max_size=200).filter(lambda b: b"\0" not in b and b[:2] not in (b"\xff\xfe", b"\xfe\xff")))
    def test_bytes_survive(self, data: bytes) -> None:
        """Decoding and encoding loses no byte, whatever the encoding was."""
        assert encode(decode(data, "rc")) == data

    @given(texts)
    def test_spans_lie_on_what_they_name(self, text: str) -> None:
        """The spans of an entry of one line cover its name and its value."""
        for entry in parse_rc(text).entries:
            assert text[entry.name_span.start : entry.name_span.end] == entry.option
            if entry.first_line == entry.last_line:
                assert text[entry.value_span.start : entry.value_span.end] == entry.value


class TestEntries:
    """Single facts."""

    def test_continuation_lines_join_the_value(self) -> None:
        """An indented line continues the value; a comment between adds nothing, a blank line an empty one."""
        entry = parse_rc("[a]\nx = 1\n  2\n# c\n\n  3\ny = 4\n").entries[0]
        assert entry.value == "1\n2\n\n3"
        assert (entry.first_line, entry.last_line) == (1, 5)

    def test_names_keep_their_case_and_compare_without(self) -> None:
        """The option is kept as written, its key is in lower case."""
        entry = parse_rc("[global]\nFloatX : float32\n").entries[0]
        assert (entry.option, entry.key, entry.value) == ("FloatX", "floatx", "float32")

    def test_header_keeps_what_follows_it(self) -> None:
        """`[mode]=FAST_RUN` is a header with a tail."""
        section = parse_rc("[mode]=FAST_RUN\n").sections[0]
        assert (section.name, section.tail) == ("mode", "=FAST_RUN")

    def test_header_ends_at_the_last_bracket_since_python_3_10(self) -> None:
        """Older Pythons end it at the first one."""
        text = "[a] # [1]\n"
        assert parse_rc(text, python=(3, 12)).sections[0].name == "a] # [1"
        assert parse_rc(text, python=(3, 8)).sections[0].name == "a"

    def test_find_gives_the_last_of_twins(self) -> None:
        """The last entry of a name is the one that Python 2 took."""
        entry = parse_rc("[a]\nx=1\nX=2\n").find("a", "x")
        assert entry is not None
        assert entry.value == "2"

    @pytest.mark.parametrize(("text", "newline"), [("[a]\r\nx=1\n", "\r\n"), ("[a]\rx=1", "\r"), ("[a]", "\n"), ("", "\n")])
    def test_newline_is_the_first_one(self, text: str, newline: str) -> None:
        """New lines are to end as the file's lines do."""
        assert parse_rc(text).newline == newline


class TestFlaws:
    """What configparser refuses, with its place."""

    @pytest.mark.parametrize(
        ("text", "kind", "place"),
        [
            ("\ufeff[a]\nx=1\n", FlawKind.BOM, (1, 1)),
            ("[a]\nx=\udce9\n", FlawKind.NOT_UTF8, (2, 3)),
            ("# c\nx=1\n", FlawKind.NO_HEADER, (2, 1)),
            ("words\n[a]\n", FlawKind.NO_HEADER, (1, 1)),
            ("[a]\n  // words\n", FlawKind.JUNK, (2, 3)),
            ("[a]\n= 1\n", FlawKind.JUNK, (2, 1)),
            ("[a]\n[b]\n[a]\n", FlawKind.DUPLICATE_SECTION, (3, 1)),
            ("[a]\nx=1\nX: 2\n", FlawKind.DUPLICATE_OPTION, (3, 1)),
        ],
    )
    def test_flaw_has_its_place(self, text: str, kind: FlawKind, place: tuple[int, int]) -> None:
        """Line and column of the first character of what is wrong."""
        flaw = parse_rc(text).flaws[0]
        assert (flaw.kind, (flaw.span.line, flaw.span.column)) == (kind, place)

    def test_twins_know_the_first_one(self) -> None:
        """A duplicate names the line that it repeats."""
        flaw = parse_rc("[a]\nx=1\n\nx=2\n").flaws[0]
        assert flaw.first is not None
        assert flaw.first.line == 2

    def test_default_section_may_come_twice(self) -> None:
        """`[DEFAULT]` is no section of its own to the parser."""
        assert not parse_rc("[DEFAULT]\na=1\n[DEFAULT]\nb=1\n").flaws

    def test_junk_line_is_told_from_an_option(self) -> None:
        """A line without `=` or `:` is junk, and the next line is read on."""
        document = parse_rc("[a]\nwords\nx=1\n")
        assert [line.kind for line in document.lines] == [LineKind.SECTION, LineKind.JUNK, LineKind.OPTION]
