"""`theanodiag config set NAME=VALUE FILE`: sets flags in an rc file and keeps every other byte."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator

from .. import files
from ..errors import ExitCode, UnreadableError, UsageError
from ..escaping import visible_lines
from ..flags.carriers.file_kinds import FileKind
from ..flags.flags_variable import parse_flags
from ..flags.migrate_entry import suggestion
from ..flags.model import Dialect, Flag, FlagTable
from ..flags.names import same_words
from ..flags.rcfile_text import RcDocument, apply_edits, decode, effective_text, encode, parse_rc, set_option
from ..flags.values import accepts, valid_values
from ..gc_pause import no_collections
from . import output, shared_options
from .atomic_write import require_writable, write_atomically
from .config_input import dialect_options, name_for, read_source, table_of
from .output import difference
from .parameters import Argument, Arguments, Option, switch

NO_TEXT = re.compile("[\0\ud800-\udfff]")
"""Matches characters that a value cannot contain, because it could not be read back."""


PARAMETERS = (
    Argument("words", metavar="NAME=VALUE … FILE", nargs=-1, required=True, help="the flags to set, then the file (may be new)"),
    Option("--from-report", metavar="REPORT.json", help="set the flags recommended in this JSON report of `check` or `config check`"),
    Option("--only", metavar="CODE", multiple=True, help="with --from-report: only the flags recommended by these rules"),
    *dialect_options(),
    switch("--diff", help="show what would change, and write nothing"),
    switch("--backup", help="keep the old file as FILE.bak"),
)  # fmt: skip
TRAITS = {"usage": "NAME=VALUE... FILE"}


@no_collections()
def run(args: Arguments) -> ExitCode:
    """Sets the flags in one atomic write."""
    shared_options.only_with(args, args.from_report is not None, "--from-report", "only")
    if args.diff and args.backup:
        raise UsageError("--backup and --diff: nothing is written", help="leave one of them out", option="backup")
    *settings, path = args.words
    table = table_of(args.dialect, args.library_version, path)
    given = [_pair(text) for text in settings]
    wanted = dict(resolved(table, given)) if given else {}
    if args.from_report:
        wanted = {**dict(recommended(files.read(args.from_report, files.TEXT), args.from_report, table, args.only)), **wanted}
    if not wanted:
        raise UsageError("nothing to set", help="write NAME=VALUE before the file, or name a report that recommends a flag")
    _require_own_file(path, table)
    if not args.diff:
        require_writable(path)
    source = read_source(path) if os.path.lexists(path) else None
    if source and source.kind is not FileKind.RC:
        advice = f"theanodiag config rewrite {shlex.quote(path)} --to LIBRARY changes the flags in it"
        raise UsageError(f"{path} is {source.name}, not an rc file", help=advice)
    before = source.data if source else None
    document = parse_rc(decode(before or b"", path), path)
    after = changed(document, wanted.items())
    verify(document, after, wanted)
    return _finish(args, path, before, document.text, after)


def _require_own_file(path: str, table: FlagTable) -> None:
    """Raises `UsageError` for a file that another library reads, and this one does not."""
    own = name_for(path, table.dialect)
    if own != path:
        raise UsageError(f"{table.dialect.value} does not read {path}", help=f"name {own}, or leave --dialect out")


def _finish(args: Arguments, path: str, before: bytes | None, old: str, after: str) -> ExitCode:
    if args.diff:
        output.show(visible_lines("".join(difference(old, after, path, "set"))))
        return ExitCode.CLEAN
    if after == old:
        output.note(f"{path}: nothing to change")
        return ExitCode.CLEAN
    kept = write_atomically(path, encode(after), before=before, backup=args.backup)
    if kept:
        output.note(f"{path}: kept as {kept}")
    output.note(f"{path}: written")
    return ExitCode.CLEAN


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"not a setting: {text!r}", help="write NAME=VALUE, such as allow_gc=True, and the file last")
    if "\n" in value or "\r" in value:
        raise UsageError(f"{name.strip()}: a value of several lines", help="a flag has one line")
    if NO_TEXT.search(value):
        raise UsageError(f"{name.strip()}: a value that is not UTF-8 text: {value!r}", help="the libraries read rc files as UTF-8")
    return name.strip(), value.strip()


def resolved(table: FlagTable, pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[Flag, str]]:
    """Yields (flag of the library, text of its value) for each given pair of name and text. Raises `UsageError` for an unknown flag or an
    invalid value.
    """
    library = f"{table.dialect.value} {table.version}"
    for name, value in pairs:
        flag = same_words(table, name)
        if flag is None:
            near = suggestion(name, table)
            advice = f"did you mean {near.name}?" if near else "theanodiag config show --all lists them"
            raise UsageError(f"{library} has no flag {name!r}", help=advice)
        if not accepts(flag, value):
            raise UsageError(f"{flag.name} does not take {value!r}", help=f"it takes {valid_values(flag)}")
        yield flag, value


def changed(document: RcDocument, wanted: Iterable[tuple[Flag, str]]) -> str:
    """Returns the new text. Flags are set one after the other, because they may share a new section."""
    for flag, value in wanted:
        edits = set_option(document, flag.section, flag.option, _literal(value))
        document = parse_rc(apply_edits(document.text, edits), document.source)
    return document.text


def _literal(value: str) -> str:
    """`value` with `%` doubled if interpolation would change it."""
    probe = parse_rc(f"[global]\nprobe = {value}\n")
    return value if effective_text(probe, probe.entries[0]) == value else value.replace("%", "%%")


def verify(document: RcDocument, after: str, wanted: dict[Flag, str]) -> None:
    """Parses the new text: the flags must be set and nothing else may have changed. Raises RuntimeError otherwise, which is a bug."""
    new = parse_rc(after, document.source)
    places = {(flag.section, flag.option.lower()): value for flag, value in wanted.items()}
    entries = {place: entry for place in places if (entry := new.find(*place))}
    right = all(place in entries and effective_text(new, entries[place]) == value for place, value in places.items())
    others = [[(e.section, e.key, e.value) for e in d.entries if (e.section, e.key) not in places] for d in (document, new)]
    if not right or others[0] != others[1] or len(new.flaws) > len(document.flaws):
        raise RuntimeError(f"{document.source} would not have the requested meaning; nothing was written")


def recommended(data: bytes, path: str, table: FlagTable, only: list[str]) -> Iterator[tuple[Flag, str]]:
    """Returns the flags that the findings of a report recommend, the most severe finding first. Ignores names that are not flags of this
    library, and flags that were set when the report was made.
    """
    from ..report.v1 import common, short  # msgspec is imported only where JSON is read

    try:
        report = common.read(data, short.AdvisedV1)
        seen = report.target and report.target.framework
        findings, set_already = report.findings, set(_settings((seen and seen.flags_text) or ""))
    except ValueError as error:
        raise UnreadableError(f"not a report: {error}", path=path, help="make one with --format json") from error
    order = ("info", "warning", "error")
    for f in sorted(findings, key=lambda f: order.index(f.severity)):
        lines = (f.fix.code if f.fix else None) or ""
        for name, value in _settings(lines) if not only or f.code in only else ():
            flag = same_words(table, name)
            if flag and (name, value) not in set_already and accepts(flag, value) and not NO_TEXT.search(value):
                yield flag, value


def _settings(code: str) -> Iterator[tuple[str, str]]:
    """`NAME=VALUE` in the lines of a fix, also as `THEANO_FLAGS=NAME=VALUE,…` or `os.environ['THEANO_FLAGS'] = 'NAME=VALUE,…'`; other
    lines are for people."""
    for line in code.splitlines():
        text = re.sub(r"""^os\.environ\['(\w+)'\] = """, r"\1=", line.removeprefix("export ").strip())
        variable, _, rest = text.partition("=")
        if variable in {d.flags_variable for d in Dialect}:
            try:
                text = next(iter(shlex.split(rest, comments=True)), "")
            except ValueError:  # a quote that is not closed
                text = rest.strip("'\"")
        yield from ((e.key, e.value.strip()) for e in parse_flags(text).entries if e.value is not None)
