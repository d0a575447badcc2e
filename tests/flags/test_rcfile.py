"""Reading rc files: the same options and refusals as Python's own configparser, and the place of each."""

from __future__ import annotations

import configparser
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.flags.rcfile import parse_rc

PYTHON = (sys.version_info[0], sys.version_info[1])
HEADERS = ["[a]", "[b]", "[a]b]", "[DEFAULT]", "[c] d"]
OTHERS = ["x = 1", "X: 2", "y=", "= z", "word", "  more", "\tmore", "# c", " ; c", "", "   ", "x = a # b", "é = \u2028"]
ends = st.sampled_from(["\n", "\r\n", "\r"])
texts = st.builds(lambda end, lines: end.join(lines), ends, st.lists(st.sampled_from(HEADERS + OTHERS), max_size=9))


def reference(text: str) -> tuple[dict[str, dict[str, str]], str | None]:
    """What configparser makes of `text`: sections with their own options, or the name of its error."""
    parser = configparser.RawConfigParser()
    try:
        parser.read_file(_lines(text))
    except configparser.Error as error:
        return {}, type(error).__name__
    return {name: dict(parser._sections[name]) for name in parser.sections()} | {"DEFAULT": dict(parser.defaults())}, None  # type: ignore[attr-defined]


def _lines(text: str) -> list[str]:
    """Lines as a file gives them: `splitlines` would split at rarer characters too."""
    return [line + "\n" for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]


def ours(text: str) -> tuple[dict[str, dict[str, str]], str | None]:
    """The same from our reader."""
    read = parse_rc(text, "f", PYTHON)
    if read.failure:
        return {}, read.failure.exception
    sections: dict[str, dict[str, str]] = {name: {} for name in (*read.sections, "DEFAULT")}
    for entry in read.entries:
        sections[str(entry.section)][entry.key.lower()] = entry.raw
    return sections, None


class TestAgainstConfigparser:
    """The reader is configparser's, with places."""

    @given(texts)
    def test_same_options_or_same_refusal(self, text: str) -> None:
        """Any arrangement of lines gives the same sections, options and values, or the same error."""
        assert ours(text) == reference(text)

    @given(st.text(alphabet="[]ab=:#;% \t\n\r", max_size=30))
    def test_same_on_rubbish(self, text: str) -> None:
        """Any text at all does too."""
        assert ours(text) == reference(text)


class TestPlaces:
    """Where an option stands."""

    def test_key_and_value(self) -> None:
        """The spans cover the name and the value, in the original text with its line ends."""
        (entry,) = parse_rc("[global]\r\n  floatX : float32 \r\n", "~/.theanorc").entries
        text = entry.key_span.text
        assert text[entry.key_span.start : entry.key_span.end] == "floatX"
        assert text[entry.value_span.start : entry.value_span.end] == "float32"
        assert str(entry.value_span) == "~/.theanorc:2:12"

    def test_value_over_several_lines(self) -> None:
        """The span of a value reaches to the end of its last line."""
        (entry,) = parse_rc("[blas]\nldflags = -lone\n   -ltwo\n", "f").entries
        assert entry.raw == "-lone\n-ltwo"
        assert entry.value_span.text[entry.value_span.start : entry.value_span.end] == "-lone\n   -ltwo"

    @pytest.mark.parametrize(
        ("text", "exception", "place"),
        [
            ("floatX = float32\n", "MissingSectionHeaderError", "f:1:1"),
            ("[a]\nx = 1\n[a]\n", "DuplicateSectionError", "f:3:1"),
            ("[a]\nx = 1\n  # c\nX = 2\n", "DuplicateOptionError", "f:4:1"),
            ("[a]\n//comment\nx = 1\n", "ParsingError", "f:2:1"),
            ("[a]\nword\n[a]\n", "DuplicateSectionError", "f:3:1"),
        ],
        ids=["no-header", "section-twice", "option-twice", "no-delimiter", "a-later-error-comes-first"],
    )
    def test_refusals(self, text: str, exception: str, place: str) -> None:
        """An error names the place that is to blame."""
        failure = parse_rc(text, "f").failure
        assert failure
        assert (failure.exception, str(failure.span)) == (exception, place)


class TestPythons:
    """In what the Pythons differ."""

    def test_bracket_in_a_section_name(self) -> None:
        """From Python 3.10 on, a name may hold a closing bracket."""
        assert parse_rc("[a]b]", "f", (3, 10)).sections == ("a]b",)
        assert parse_rc("[a]b]", "f", (3, 9)).sections == ("a",)
