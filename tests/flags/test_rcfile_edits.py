"""Edits of an rc file: applied from the end, in the right place, with the right indentation."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.flags.rc_files import rc_texts
from theanodiag.findings import Edit
from theanodiag.flags.rcfile_text import add_option, apply_edits, comment_out, parse_rc, set_option


def with_option(text: str, section: str, option: str, value: str) -> str:
    """`text` after an option was added."""
    return apply_edits(text, [add_option(parse_rc(text), section, option, value)])


def with_setting(text: str, section: str, option: str, value: str) -> str:
    """`text` after an option was set."""
    return apply_edits(text, set_option(parse_rc(text), section, option, value))


class TestApply:
    """Replacing pieces of a text."""

    def test_places_are_those_of_the_old_text(self) -> None:
        """An early edit does not move a late one."""
        assert apply_edits("abcdef", [Edit("", 1, 2, "BBB"), Edit("", 4, 5, "")]) == "aBBBcdf"

    def test_insertions_at_one_place_keep_their_order(self) -> None:
        """The first one given comes first."""
        assert apply_edits("ab", [Edit("", 1, 1, "1"), Edit("", 1, 1, "2")]) == "a12b"

    def test_overlap_is_refused(self) -> None:
        """Two edits of one character are a mistake of the caller."""
        with pytest.raises(ValueError, match="overlap"):
            apply_edits("abc", [Edit("", 0, 2, "x"), Edit("", 1, 3, "y")])


class TestAddOption:
    """New options."""

    def test_goes_behind_the_last_option_of_its_section(self) -> None:
        """Comments and blank lines before the next section stay with that section."""
        assert with_option("[a]\nx=1\n\n# about b\n[b]\n", "a", "y", "2") == "[a]\nx=1\ny = 2\n\n# about b\n[b]\n"

    def test_new_section_stands_at_the_end(self) -> None:
        """With a blank line before it."""
        assert with_option("[a]\nx=1\n", "b", "y", "2") == "[a]\nx=1\n\n[b]\ny = 2\n"

    def test_missing_final_newline_stays_missing(self) -> None:
        """The file ended without one, so it still does."""
        assert with_option("[a]\r\nx=1", "a", "y", "2") == "[a]\r\nx=1\r\ny = 2"

    def test_indentation_is_that_of_the_last_option(self) -> None:
        """Less and the next line would continue it, more and it would continue the one above."""
        assert with_option("[a]\n\tx=1\n\t[b]\n", "a", "y", "2") == "[a]\n\tx=1\n\ty = 2\n\t[b]\n"

    def test_empty_file_gets_a_section(self) -> None:
        """Without a blank line at the top."""
        assert with_option("", "global", "x", "1") == "[global]\nx = 1\n"


class TestSetOption:
    """Changed options."""

    def test_only_the_value_changes(self) -> None:
        """Blanks, delimiter and end of line stay."""
        assert with_setting("[a]\nX :\t1  \r\n", "a", "x", "22") == "[a]\nX :\t22  \r\n"

    def test_value_of_several_lines_becomes_a_comment(self) -> None:
        """The old lines are kept, the new value has a line of its own."""
        assert with_setting("[a]\nx = 1\n  2\n", "a", "x", "3") == "[a]\n# theanodiag: now 3\n# x = 1\n  # 2\nx = 3\n"

    def test_same_value_changes_nothing(self) -> None:
        """No edit at all."""
        assert set_option(parse_rc("[a]\nx=1\n"), "a", "x", "1") == ()

    @settings(max_examples=300, deadline=None)
    @given(rc_texts(flawless=True))
    def test_set_value_is_found_again_and_nothing_else_moves(self, text: str) -> None:
        """In any file: the option has the value, all other entries are as they were, comments too."""
        before, after = parse_rc(text), parse_rc(with_setting(text, "gpuarray", "preallocate", "0.5"))
        entry = after.find("gpuarray", "preallocate")
        assert entry is not None
        assert entry.value == "0.5"
        place = ("gpuarray", "preallocate")
        others = [[(e.section, e.key, e.value) for e in d.entries if (e.section, e.key) != place] for d in (before, after)]
        assert others[0] == others[1]


@settings(max_examples=300, deadline=None)
@given(rc_texts(flawless=True))
def test_commented_out_entry_is_gone_and_no_other(text: str) -> None:
    """Making an entry a comment changes no other entry's value."""
    document = parse_rc(text)
    for number, entry in enumerate(document.entries):
        after = parse_rc(apply_edits(text, comment_out(document, entry, "why")))
        rest = [e for n, e in enumerate(document.entries) if n != number]
        assert [(e.section, e.key, e.value) for e in after.entries] == [(e.section, e.key, e.value) for e in rest]
        assert not after.flaws
