"""`theanodiag config rewrite`: rewrites an rc file or flags variable for another library; shows the difference unless told to write."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ..errors import ExitCode, UnreadableError, UsageError
from ..escaping import visible_lines
from ..flags.carriers.file_kinds import FileKind
from ..flags.carriers.rewriting import rewrite
from ..flags.defaults import load_table
from ..flags.flags_variable import parse_flags
from ..flags.migrate import TARGETS, Migration, migrate_rc, target_table, verify_rc
from ..flags.migrate_variable import migrate_flags, verify_flags
from ..flags.model import Dialect, FlagTable
from ..flags.names import fold, history
from ..flags.rcfile_text import decode, encode, parse_rc
from ..flags.translations import EnvLine
from ..gc_pause import no_collections
from ..scanned_files.flag_strings import installed, names_gpu
from . import output, shared_options
from .atomic_write import write_atomically
from .config_input import ConfigSource, default_file, name_for, note_copies, read_bytes, read_source
from .output import difference
from .parameters import Argument, Arguments, Option, one_of, switch

if TYPE_CHECKING:
    from ..report.v1.config import ConfigRewriteV1


PARAMETERS = (
    Argument("file", metavar="FILE", required=False,
        help="the rc file (default: the one that this environment names), or a file that sets flags: a script, a container file ..."),
    Option("--flags", metavar="STRING", help="rewrite this text of a flags variable instead of a file"),
    Option("--to", required=True, type=click.Choice(tuple(TARGETS)), help="the target library"),
    *one_of(
        switch("--diff", help="show what would change (the default)"),
        switch("--check", help="write nothing; the exit code is 1 if something would change"),
        switch("--write", help="write the file; for another library, write to that library's file name"),
        switch("--env", help="print the environment variables that replace flags, for a shell to evaluate"),
    ),
    Option("-o", "--output", metavar="FILE", help="with --write: write to this file; if it exists, --backup is needed too"),
    switch("--backup", help="with --write: keep the old file as FILE.bak"),
    switch("--unsafe", help="also write uncertain changes: the flag with a similar name, or the same flag in another section"),
    shared_options.format_option(),
)  # fmt: skip


@no_collections()
def run(args: Arguments) -> ExitCode:
    """Rewrites the flags. Changes no file unless a write option is given."""
    if args.file and args.flags is not None:
        raise UsageError("both a file and --flags", help="rewrite one after the other")
    if args.flags is not None and (args.write or args.backup or args.output):
        raise UsageError("a flags variable cannot be written", help="put the printed text where the variable is set")
    if (args.output or args.backup) and not args.write:
        raise UsageError(f"{'-o' if args.output else '--backup'} without --write: nothing is written", help="add --write")
    target = target_table(args.to)
    if args.flags is not None:
        migration = of_flags(args.flags, target, args.unsafe)
        return show(args, migration) if args.format == "json" or args.diff or args.check or args.env else _print_flags(migration)
    source = read_source(args.file or _default())
    if source.kind is not FileKind.RC:
        return _in_place(args, source, target)
    path, data = source.path, source.data
    migration = migrate_rc(parse_rc(decode(data, path), path), target, unsafe=args.unsafe)
    verify_rc(migration, target)
    if args.write:
        _write(args, migration, source, args.output or name_for(path, target.dialect))
    elif name_for(path, target.dialect) != path:
        output.note(f"{path}: {target.dialect.value} does not read it; --write makes {name_for(path, target.dialect)}")
    return show(args, migration)


def _in_place(args: Arguments, source: ConfigSource, target: FlagTable) -> ExitCode:
    """Rewrites the flags in a file of another kind, and nothing else of it; says what it had to leave, and then ends with `FINDINGS`."""
    text = decode(source.data, source.path)
    note_copies(source, text, f"rewrite --to {args.to}")
    done = rewrite(text, source.path, source.kind, target, unsafe=args.unsafe)
    if not done.settings:
        raise UnreadableError(
            f"{source.name} that sets no flags: there is nothing to rewrite", path=source.path, help="name the file that does"
        )
    if args.write:
        _write(args, done.migration, source, args.output or source.path)
    code = show(args, done.migration)
    for library, version in sorted(installed(text), key=str):
        if load_table(library, version) is not target:
            wanted = f"{target.dialect.value} {target.version}{' with pygpu' * names_gpu(done.migration.after)}"
            output.tell(f"{source.path}: it installs {library.value} {version}; the new flags are for {wanted}: install that there")
    for note in done.refused:
        output.note(f"{note.span or source.path}: {note.text}")
    return ExitCode.FINDINGS if done.refused else code


def _default() -> str:
    path = next((p for d in Dialect if (p := default_file(d))), None)
    if path is None:
        raise UsageError("no file was named, and none was found where the libraries look", help="name one, or use --flags")
    return path


def of_flags(text: str, target: FlagTable, unsafe: bool) -> Migration:
    """Returns the rewritten flags variable. Raises `UsageError` if it cannot be parsed."""
    flags = parse_flags(text, _variable(text))
    if flags.open_quote:
        raise UsageError("this quote or backslash is not closed", span=flags.open_quote, help="close it, or remove it")
    migration = migrate_flags(flags, target, unsafe=unsafe)
    verify_flags(migration, target)
    return migration


def _variable(text: str) -> str:
    """The variable that the text was written for, for messages: names with `__` are of Aesara or PyTensor."""
    entries = parse_flags(text)
    modern = any("__" in e.key and history(fold(e.key)) for e in entries.entries)
    return Dialect.PYTENSOR.flags_variable if modern else Dialect.THEANO.flags_variable


def _write(args: Arguments, migration: Migration, source: ConfigSource, path: str) -> None:
    """Writes to `path`, which is the file itself, or another one that must not be there, unless it is kept as a backup."""
    after = encode(migration.after)
    own = os.path.realpath(path) == os.path.realpath(source.path)
    before = source.data if own else read_bytes(path) if os.path.lexists(path) else None
    if before == after:
        output.note(f"{path}: nothing to change")
        return
    if not own and before is not None and not (args.output and args.backup):
        advice = "compare both; -o FILE --backup replaces it and keeps the old one, -o with a new name does not touch it"
        raise UnreadableError("this file already exists, and is not replaced", path=path, help=advice)
    kept = write_atomically(path, after, before=before, backup=args.backup)
    if kept:
        output.note(f"{path}: kept as {kept}")
    output.note(f"{path}: rewritten" if own else f"{path}: written; {source.path} is as it was")


def _print_flags(migration: Migration) -> ExitCode:
    output.write(_for_a_shell(f"{migration.after}\n"))
    _notes(migration)
    return ExitCode.CLEAN


def _for_a_shell(text: str) -> str:
    """The text with control characters made visible if a person reads it on a terminal; unchanged for a program."""
    return visible_lines(text) if output.is_terminal(sys.stdout) else text


def show(args: Arguments, migration: Migration) -> ExitCode:
    """Prints the requested output: JSON, the variables, or the difference with notes."""
    changed = migration.after != migration.before
    if args.format == "json":
        from ..report.v1 import common  # msgspec is imported only where JSON is written

        output.write(common.text(document(migration, args.to)))
    elif args.env:
        output.write(_for_a_shell("".join(f"{line}\n" for line in shell(migration.env))))
    elif not args.check and not args.write:
        output.show(visible_lines("".join(diff(migration))))
    if args.format != "json" and not args.env:
        _notes(migration)
    return ExitCode.FINDINGS if args.check and changed else ExitCode.CLEAN


def _notes(migration: Migration) -> None:
    for note in migration.notes:
        output.note(f"{note.span or migration.source}: {note.text}")
    variables = list(dict.fromkeys(line.name for line in migration.env if line.name))
    if variables:
        output.note(f"{', '.join(variables)}: environment variables that replace flags; --env prints lines that set them")
    for line in migration.env:
        if not line.name:
            output.note(line.comment)


def diff(migration: Migration) -> Iterator[str]:
    """Yields the difference as `diff -u` prints it."""
    return difference(migration.before, migration.after, migration.source, "rewritten")


def shell(env: tuple[EnvLine, ...]) -> Iterator[str]:
    """Returns the variables as lines for a POSIX shell. A variable of flags keeps the flags that are set already; if a flag is set twice,
    the last setting is in effect.
    """
    for line in env:
        if line.comment:
            yield f"# {line.comment}"
        if line.name in (dialect.flags_variable for dialect in Dialect):
            yield f'export {line.name}="${{{line.name}:+${line.name},}}"{shlex.quote(line.value)}'
        elif line.name:
            yield f"export {line.name}={shlex.quote(line.value)}"


def document(migration: Migration, to: str) -> ConfigRewriteV1:
    """Returns the result as the document `config-rewrite/v1`."""
    from ..report.v1 import common, config

    places = [(n.text, n.span) for n in migration.notes]
    return config.ConfigRewriteV1(
        schema="theanodiag/config-rewrite/v1",
        source=migration.source,
        to=to,
        changed=migration.after != migration.before,
        after=migration.after,
        diff="".join(diff(migration)),
        notes=[config.RewriteNoteV1(text, span.line if span else None, span.column if span else None) for text, span in places],
        env=[common.from_attributes(config.EnvLineV1, line) for line in migration.env],
    )
