"""Check and rewrite read by one table: whatever a migration would change, a rule has a finding for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.flags.rc_files import NAMES, VALUES, rc_texts
from tests.interpreters import corpus, listed
from theanodiag.findings import Finding
from theanodiag.flags.flags_variable import parse_flags
from theanodiag.flags.migrate import REPAIRED, TARGETS, Note, migrate_rc, target_table
from theanodiag.flags.migrate_variable import migrate_flags
from theanodiag.flags.rcfile_text import FlawKind, decode, parse_rc, used_names
from theanodiag.rules.config import findings
from theanodiag.rules.config.examples import config

targets = st.sampled_from(tuple(TARGETS))


def of_file(text: str, to: str) -> tuple[tuple[Note, ...], tuple[Finding, ...]]:
    """What a migration says of a file, and what the rules say of it for the same library; a helper goes with the value that uses it,
    for which there is the finding.
    """
    table, document = target_table(to), parse_rc(text, "rc")
    used = used_names(document)
    helpers = {e.span for e in document.entries if (e.section, e.key) in used}
    notes = tuple(n for n in migrate_rc(document, table).notes if n.span not in helpers)
    return notes, findings(config(text, to=table.dialect, version=table.version))


def of_flags(text: str, to: str) -> tuple[tuple[Note, ...], tuple[Finding, ...]]:
    """As `of_file`, for the text of a flags variable."""
    table = target_table(to)
    return migrate_flags(parse_flags(text), table).notes, findings(config(flags=text, to=table.dialect, version=table.version))


def passed_over(notes: tuple[Note, ...], found: tuple[Finding, ...], *, whole_file: tuple[str, ...] = ()) -> Iterator[str]:
    """The notes at whose lines no finding stands; those of `whole_file` are found once for a file."""
    lines = {f.location.line for f in found}
    for note in notes:
        if note.span is None or (note.text in whole_file and found):
            continue
        last = note.span.line + note.span.text[note.span.start : note.span.end].count("\n")
        if lines.isdisjoint(range(note.span.line, last + 1)):
            yield f"{note.span}: {note.text}"


NO_HEADER = (REPAIRED[FlawKind.NO_HEADER],)
IGNORED = ("theano.config.floatX", "config.floatX", "global.floatX", "cuda.device", "theano.floatX", "pytensor.config.mode")


@pytest.mark.parametrize("name", IGNORED)
@pytest.mark.parametrize("to", TARGETS)
def test_names_of_python_and_of_sections_are_found(name: str, to: str) -> None:
    """No library reads them, in a file or in the variable."""
    for notes, found in (of_file(f"[global]\n{name} = float32\n", to), of_flags(f"{name}=float32", to)):
        assert notes
        assert [f.location.line for f in found if f.code in ("TD210", "TD211", "TD233")]


@pytest.mark.parametrize("name", IGNORED[:3])
def test_their_fix_makes_them_count(name: str) -> None:
    """The name alone is written."""
    (found,) = (f for f in findings(config(flags=f"{name}=float32")) if f.code == "TD210")
    assert found.fix
    assert [e.replacement for e in found.fix.edits] == ["floatX"]


@settings(max_examples=300)
@given(rc_texts(), targets)
def test_files(text: str, to: str) -> None:
    """Made-up files, with all slips."""
    notes, found = of_file(text, to)
    assert list(passed_over(notes, found, whole_file=NO_HEADER)) == []


NAMES_AND_MORE = st.one_of(
    st.sampled_from([name if section == "global" else f"{section}.{name}" for section, names in NAMES.items() for name in names]),
    st.sampled_from(IGNORED),
)
SETTINGS = st.builds("{}{}{}".format, NAMES_AND_MORE, st.sampled_from(("=", "=", "=", " = ", "")), st.sampled_from(VALUES))


@settings(max_examples=300)
@given(st.lists(SETTINGS, max_size=3), targets)
def test_variables(entries: list[str], to: str) -> None:
    """Made-up texts of a variable, one flag a line, so that a line tells which flag is meant."""
    text = ",\n".join(entries)
    if parse_flags(text).open_quote is None:
        notes, found = of_flags(text, to)
        assert list(passed_over(notes, found)) == []


def test_public_files() -> None:
    """Every file of the corpus, for every target."""
    for path in listed(corpus() / "theanorc", "*.cfg"):
        for to in TARGETS:
            notes, found = of_file(decode(path.read_bytes(), str(path)), to)
            assert list(passed_over(notes, found, whole_file=NO_HEADER)) == [], path
