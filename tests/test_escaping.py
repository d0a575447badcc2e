"""What comes from outside and what of it a terminal may see."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.errors import Span, UnreadableError
from theanodiag.escaping import MAX_SHOWN, visible, visible_lines

HARMFUL = {
    "escape": "\x1b[2J",
    "operating system command": "\x1b]0;title\x07",
    "carriage return": "\r",
    "line feed": "\n",
    "C1 control": "\x9b31m",
    "next line": "\x85",
    "delete": "\x7f",
    "right-to-left override": "\u202e",
    "isolate": "\u2066",
    "zero width": "\u200b",
    "line separator": "\u2028",
    "undecodable byte": "\udce9",
}
"""A representative of each class of characters that may not reach a terminal."""


@pytest.mark.parametrize("text", HARMFUL.values(), ids=HARMFUL)
def test_what_is_not_visible_is_escaped(text: str) -> None:
    """The escape sequence is ASCII, and what stands around it stays."""
    shown = visible(f"a{text}b")
    assert shown.isprintable()
    assert shown[0] + shown[-1] == "ab"
    assert shown.isascii()


def test_letters_of_all_scripts_stay() -> None:
    """Names are not all in English."""
    assert visible("größe 漢字 приве́т 😀") == "größe 漢字 приве́т 😀"


@given(st.text(st.characters(codec=None)))
def test_no_text_gives_a_control_character(text: str) -> None:
    """Whatever is given, one line of visible characters comes out."""
    assert all(unicodedata.category(c)[0] not in "C" and c not in "\u2028\u2029" for c in visible(text))


@given(st.text(st.characters(codec=None)))
def test_lines_stay_lines(text: str) -> None:
    """Line feeds and tabs are kept in number."""
    shown = visible_lines(text)
    assert (shown.count("\n"), shown.count("\t")) == (text.count("\n"), text.count("\t"))
    assert shown.replace("\n", "").replace("\t", "").isprintable()


def test_a_long_text_is_cut_in_the_middle() -> None:
    """A name of megabytes is shown by its ends."""
    shown = visible("a" + "x" * 10**6 + "b")
    assert len(shown) < MAX_SHOWN + 100
    assert shown[0] + shown[-1] == "ab"
    assert "left out" in shown


class TestErrors:
    """Messages about text from outside."""

    def test_no_part_of_a_message_breaks_its_line(self) -> None:
        """Path, message and help are one line each, though all were forged."""
        said = str(UnreadableError("no\nerror", path="a\nb", help="none\nneeded"))
        assert said == "a\\nb: no\\nerror\nhelp: none\\nneeded"

    def test_attributes_keep_the_true_text(self) -> None:
        """Programs get what was really there."""
        assert UnreadableError("no\nerror", path="a\nb").path == "a\nb"

    def test_the_caret_stands_below_what_is_shown(self) -> None:
        """Escapes are wider than what they stand for."""
        text = "x\x1b = y\x9b"
        assert Span("f", text, 5, 7).caret() == "x\\x1b = y\\x9b\n        ^^^^^"

    def test_a_long_line_is_shown_around_the_place(self) -> None:
        """The caret does not drown in a line of a megabyte."""
        line, below = Span("f", "a" * 10**6 + "!" + "b" * 10**6, 10**6, 10**6 + 1).caret().split("\n")
        assert len(line) < 1100
        assert line[below.index("^")] == "!"
