"""What takes time with the square of a file, or more, in a straightforward reader: each is read and rewritten, with the same outcome."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.errors import Span
from theanodiag.flags.migrate import migrate_rc, target_table, verify_rc
from theanodiag.flags.model import Dialect, Host
from theanodiag.flags.rcfile import _option as option2
from theanodiag.flags.rcfile import option
from theanodiag.flags.rcfile_text import MAX_GROWTH, Endless, interpolate, names_in, parse_rc
from theanodiag.flags.resolve import resolve
from theanodiag.flags.values import split_comment
from theanodiag.ir.shape import Unknown

CONFIGPARSER = re.compile(r"(?P<option>.*?)\s*(?:(?P<vi>=|:)\s*(?P<value>.*))$")
"""As CPython 3 has it."""
CONFIGPARSER_2 = re.compile(r"(?P<option>[^:=\s][^:=]*)\s*(?P<vi>[:=])\s*(?P<value>.*)$", re.ASCII)
"""As CPython 2.7 has it."""
INLINE = re.compile(r"\s+([#;].*)$")
LINES = st.text(st.sampled_from("ab=: \t%()s#;[]\x0b\x1c\u00a0"), max_size=12)


@given(LINES)
def test_an_option_is_what_configparser_takes_for_one(line: str) -> None:
    """The same name and value as the expression of CPython 3, which is slow."""
    match = CONFIGPARSER.match(line.strip())
    assert option(line.strip()) == (match and (match["option"], match["value"]))


@given(LINES)
def test_an_option_of_python_2(line: str) -> None:
    """And as that of CPython 2.7, with the place of the value."""
    match = CONFIGPARSER_2.match(line + "\n")
    found = option2(line + "\n")
    assert (found is None) == (match is None)
    if match and found:
        assert (found[0], found[1]) == (match["option"].rstrip(" \t\n\r\x0b\x0c"), match["value"])
        assert found[2] == match.start("value")


@given(st.lists(LINES, max_size=3))
def test_a_comment_behind_a_value(lines: list[str]) -> None:
    """The same as the expression finds that says it at once."""
    text = "\n".join(lines)
    match = INLINE.search(text)
    assert split_comment(text) == ((text[: match.start()], match[1]) if match else (text, ""))


@given(LINES)
def test_names_anywhere_in_a_value(text: str) -> None:
    """All `%(name)s`, also behind others that have no end."""
    assert list(names_in(text)) == re.findall(r"%\(([^)]+)\)s", text)


@given(st.text(st.sampled_from("a\nb\r"), max_size=20), st.integers(0, 20))
def test_the_place_of_a_span(text: str, at: int) -> None:
    """Line and column, counted from the beginning of the text."""
    start = min(at, len(text))
    span = Span("rc", text, start, start)
    assert (span.line, span.column) == (text.count("\n", 0, start) + 1, start - (text.rfind("\n", 0, start) + 1) + 1)


WIDE = "[DEFAULT]\n" + "".join(f"a{n}={f'%(a{n + 1})s' * 50}\n" for n in range(8)) + "a8=x\n[global]\nbase_compiledir=%(a0)s\n"
"""Ten levels of names, each used fifty times by the one above: a text of 5e13 characters."""


def test_names_that_grow_without_an_end() -> None:
    """They are refused, and the value is unknown, not that of the library's default."""
    assert len(interpolate("%(a)s", {"a": "x" * MAX_GROWTH})) == MAX_GROWTH
    with pytest.raises(Endless):
        interpolate("%(a)s", {"a": "x" * MAX_GROWTH + "x"})
    found = resolve(Dialect.THEANO, "1.0.5", {"THEANORC": "rc"}, lambda path: WIDE.encode(), Host(home="/root")).get("base_compiledir")
    assert found
    assert isinstance(found.value, Unknown)
    assert "longer than 32768 characters" in str(found.value)
    migration = migrate_rc(parse_rc(WIDE), target_table("pytensor"))
    verify_rc(migration, target_table("pytensor"))


@pytest.mark.parametrize("length", [3, 2000])
def test_a_chain_of_options_goes_with_its_last_user(length: int) -> None:
    """Options that are no flags stay as long as a flag uses them, however far, and go where none does."""
    chain = "".join(f"a{n} = %(a{n + 1})s\n" for n in range(length)) + f"a{length} = 1\n"
    used = f"[global]\n{chain}base_compiledir = %(a0)s\n"
    assert migrate_rc(parse_rc(used), target_table("pytensor")).after == used
    after = migrate_rc(parse_rc(f"[global]\n{chain}"), target_table("pytensor")).after
    assert not [line for line in after.splitlines() if line.startswith("a")]
