"""Pages of rules on a terminal: paragraphs as wide as it is, code as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from theanodiag.cli.explain import fitted, flag_page
from theanodiag.errors import ExitCode
from theanodiag.flags.defaults import load_table, versions
from theanodiag.flags.model import Dialect
from theanodiag.rules.registry import all_rules

from .run import theanodiag

PAGES = {rule.code: rule.page.strip() for rule in all_rules()}


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize("code", PAGES)
def test_no_word_is_lost(code: str, width: int) -> None:
    """Whatever the width, the words are the same and in the same order, and empty lines stay."""
    page = PAGES[code]
    shown = fitted(page, width)
    assert shown.split() == page.split()
    assert shown.count("\n\n") == page.count("\n\n")


@pytest.mark.parametrize("width", [60, 80])
def test_paragraphs_fit_and_code_stays(width: int) -> None:
    """A paragraph is broken between words; a line of code is not, however long."""
    code = "    call(" + "x, " * 40 + "y)"
    page = "TD999: a page\n\nWhat it finds\n" + "\n".join("    " + "word " * 25 for _ in range(3)) + f"\n\nExample\n        {code}"
    lines = fitted(page, width).split("\n")
    assert f"        {code}" in lines
    assert max(len(line) for line in lines if "word" in line) <= width


def test_each_flag_of_each_library_has_a_page_in_its_own_spelling() -> None:
    """Every name that any release takes, with its default in the last one that has it."""
    for dialect in Dialect:
        for version in (versions(dialect)[0], versions(dialect)[-1]):
            for flag in load_table(dialect, version).flags:
                page = flag_page(flag.name)
                assert page, flag.name
                assert page.startswith(f"{flag.dotted}: a flag of "), flag.name
                assert f"{dialect.flags_variable}=" in page, flag.name


@pytest.mark.parametrize("spelled", ["gpuarray.preallocate", "gpuarray__preallocate", "gpuarray.preallocate=0.8"])
def test_the_page_of_a_flag_has_what_it_does_its_defaults_and_its_rules(spelled: str) -> None:
    """In either spelling, also with a value; a release that no longer has it is told."""
    page = flag_page(spelled)
    assert page
    assert "reserved at the start: above 0 and up to 1 a share" in page
    assert "    Theano 0.8.0 to 1.1.2: 0.0\n    Aesara 2.0.0 to 2.5.3 (then removed): 0.0\n" in page
    assert "THEANO_FLAGS=gpuarray.preallocate=VALUE" in page
    assert "below [gpuarray]: preallocate = VALUE" in page
    assert "TD310  " in page
    assert "TD301  " in page


def test_a_default_that_changed_has_a_line_for_each_value() -> None:
    """`linker` was cvm until PyTensor 2.35.1."""
    page = flag_page("linker")
    assert page
    assert "    PyTensor 2.8.10 to 2.35.1: cvm\n    PyTensor 2.36.0 to 3.3.8: auto\n" in page


def test_a_word_that_is_no_flag_has_no_page() -> None:
    """Also an empty one, and one that only looks like a setting."""
    assert [flag_page(word) for word in ("nonsense", "", "=", "nonsense=1", "TD999")] == [None] * 5


def test_each_exit_code_has_a_page_with_the_words_of_the_readme() -> None:
    """Another number is wrong usage, even if it occurs in the page of a rule (137 is a batch in that of TD303)."""
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    rows = {int(code): text for code, text in re.findall(r"(?m)^\| (\d+) \| (.+) \|$", readme)}
    assert sorted(rows) == sorted(ExitCode)
    for code, meaning in rows.items():
        done = theanodiag("explain", str(code))
        assert done.returncode == 0
        assert " ".join(done.stdout.split()).startswith(f"{code}: an exit code of theanodiag What it means {meaning}")
        assert ("What to do" in done.stdout) == (code != 0)
    done = theanodiag("explain", "137")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no exit code 137" in done.stderr
    assert "explain-log" in done.stderr
