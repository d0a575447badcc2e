"""Rewritten files and variables, read by the real libraries: no error, and no option of the file that they ignore."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.flags.libraries import DIALECTS, LIBRARIES, library
from tests.flags.rc_files import rc_texts
from tests.interpreters import corpus, listed
from theanodiag.flags.flags_variable import parse_flags
from theanodiag.flags.migrate import Migration, migrate_rc, target_table, verify_rc
from theanodiag.flags.migrate_variable import migrate_flags
from theanodiag.flags.model import Dialect
from theanodiag.flags.names import dotted_name
from theanodiag.flags.rcfile_text import LineKind, decode, encode, parse_rc, used_names

LATER = ("scan.allow_gc", "scan.allow_output_prealloc")
"""Flags that Aesara and PyTensor add when their scan module is imported."""


def target_of(name: str) -> str:
    """The target of `--to` for the library of that interpreter."""
    return {Dialect.THEANO: "theano-1.0", Dialect.AESARA: "aesara", Dialect.PYTENSOR: "pytensor"}[DIALECTS[name]]


def complaints(name: str, text: str, folder: Path) -> list[str]:
    """What the library says against the file, and the options in it that it does not know."""
    running = library(name)
    (folder / "rc").write_bytes(encode(text))
    # The folder for compiled code would be made; the file's own may be anywhere.
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), running.dialect.rc_variable: str(folder / "rc")}
    environ[running.dialect.flags_variable] = f"base_compiledir={folder}/base,compiledir={folder}/compiled"
    answer = running.ask(environ, str(folder))
    if answer["failure"]:
        return [str(answer["failure"])]
    known = {n.replace("__", ".").lower() for n in answer["values"]} | set(LATER)
    document = parse_rc(text)
    named = [e for e in document.entries if (e.section, e.key) not in used_names(document)]
    names = [{dotted_name(s.name if e.section == "DEFAULT" else e.section, e.key).lower() for s in document.sections} for e in named]
    return [f"ignored: {n}" for n in names if not n & known]


def rewritten(text: str, to: str, unsafe: bool) -> Migration:
    """The file for `to`, verified."""
    migration = migrate_rc(parse_rc(text), target_table(to), unsafe=unsafe)
    verify_rc(migration, target_table(to))
    return migration


def comments(text: str) -> list[str]:
    """The comment lines of a file."""
    document = parse_rc(text)
    return [text[line.start : line.end].strip() for line in document.lines if line.kind is LineKind.COMMENT]


@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize("name", LIBRARIES)
class TestRealFiles:
    """The files of real users."""

    def test_files_are_accepted(self, name: str, unsafe: bool, tmp_path: Path) -> None:
        """Every file, rewritten, starts the library, which knows all that is left in it."""
        files = listed(corpus() / "theanorc", "*.cfg")
        assert files
        wrong = {}
        for path in files:
            migration = rewritten(decode(path.read_bytes(), path.name), target_of(name), unsafe)
            wrong[path.name] = complaints(name, migration.after, tmp_path)
        assert {n: w for n, w in wrong.items() if w} == {}

    def test_comments_are_all_there(self, name: str, unsafe: bool) -> None:
        """In their order, and a second pass changes nothing."""
        for path in listed(corpus() / "theanorc", "*.cfg"):
            text = decode(path.read_bytes(), path.name)
            after = rewritten(text, target_of(name), unsafe).after
            rest = iter(comments(after))
            assert all(comment in rest for comment in comments(text)), path.name
            assert rewritten(after, target_of(name), unsafe).after == after


@pytest.mark.parametrize("name", LIBRARIES)
def test_real_variables_have_no_unknown_flag_left(name: str) -> None:
    """Rewritten, no flag is left that the library would warn about."""
    table = target_table(target_of(name))
    for line in (corpus() / "flags.txt").read_text("utf-8").splitlines():
        flags = parse_flags(line)
        if flags.open_quote is None:
            after = parse_flags(migrate_flags(flags, table).after)
            assert [e.key for e in after.entries if table.get(e.key) is None] == []


@pytest.mark.parametrize("name", [n for n in LIBRARIES if n != "theano27"])
def test_made_up_files_are_accepted(name: str, tmp_path: Path) -> None:
    """So are files with every slip that we know how to make (Python 2 has another parser of files)."""

    @settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
    @given(rc_texts())
    def accepted(text: str) -> None:
        for unsafe in (False, True):
            assert complaints(name, rewritten(text, target_of(name), unsafe).after, tmp_path) == []

    accepted()
