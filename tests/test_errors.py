"""Errors say what, where and what to do."""

from __future__ import annotations

from theanodiag.errors import ExitCode, Span, TheanodiagError, UsageError

TEXT = "first\n\tsecond line\nthird"


def test_span_knows_its_line_and_column() -> None:
    """Lines and columns count from 1."""
    span = Span("a.txt", TEXT, 7, 13)
    assert (span.line, span.column, span.line_text) == (2, 2, "\tsecond line")


def test_caret_stands_below_the_span_with_tabs_kept() -> None:
    """Tabs before the span are repeated, so that the caret lines up in any terminal."""
    assert Span("a.txt", TEXT, 7, 13).caret() == "\tsecond line\n\t^^^^^^"


def test_caret_of_an_empty_span_at_the_end() -> None:
    """Where nothing follows there is still one caret."""
    assert Span("a.txt", "ab", 2, 2).caret() == "ab\n  ^"


def test_message_has_place_caret_and_help() -> None:
    """The whole form that users see."""
    error = TheanodiagError("unexpected word", span=Span("a.txt", TEXT, 14, 18), help="remove it")
    assert str(error) == "a.txt:2:9: unexpected word\n\tsecond line\n\t       ^^^^\nhelp: remove it"


def test_message_with_a_path_only() -> None:
    """Without a span the path stands before the message."""
    assert str(TheanodiagError("no such file", path="x.py")) == "x.py: no such file"


def test_usage_errors_have_their_own_exit_code() -> None:
    """Usage is 2, unreadable input is 3, as documented."""
    assert (UsageError.exit_code, TheanodiagError.exit_code) == (ExitCode.USAGE, ExitCode.UNREADABLE) == (2, 3)
