"""`theanodiag config rewrite`: an rc file or a flags variable for another library; shows the difference unless told to write."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator

from ..errors import ExitCode, UsageError
from ..escaping import visible_lines
from ..flags.decode import decode, encode
from ..flags.document import parse_rc
from ..flags.environment import EnvLine
from ..flags.flags_variable import parse_flags
from ..flags.migrate import TARGETS, Migration, migrate_flags, migrate_rc, target_table, verify_flags, verify_rc
from ..flags.model import Dialect, FlagTable
from ..flags.names import fold, history
from . import options, output
from .atomic import write_atomically
from .config_input import default_file, read_bytes
from .differences import difference

HELP = "rewrite an rc file or a flags variable for another library"
SCHEMA = "theanodiag/config-rewrite/v1"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("file", metavar="FILE", nargs="?", help="the rc file (default: the one that this environment names)")
    parser.add_argument("--flags", metavar="STRING", help="rewrite this text of a flags variable instead of a file")
    parser.add_argument("--to", required=True, choices=tuple(TARGETS), help="the library that is to read it")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--diff", action="store_true", help="show what would change (the default)")
    how.add_argument("--check", action="store_true", help="say by the exit code whether something would change")
    how.add_argument("--write", action="store_true", help="write the file")
    how.add_argument("--env", action="store_true", help="print the variables that take the place of flags, for a shell to evaluate")
    parser.add_argument("--backup", action="store_true", help="with --write: keep the old file as FILE.bak")
    parser.add_argument("--unsafe", action="store_true", help="also write what is only likely: near names, other sections")
    options.add_format(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Rewrites; with none of the options nothing is changed."""
    if args.file and args.flags is not None:
        raise UsageError("both a file and --flags", help="rewrite one after the other")
    if args.flags is not None and (args.write or args.backup):
        raise UsageError("a flags variable cannot be written", help="put the printed text where the variable is set")
    target = target_table(args.to)
    if args.flags is not None:
        migration = of_flags(args.flags, target, args.unsafe)
        return show(args, migration) if args.format == "json" or args.diff or args.check or args.env else _print_flags(migration)
    path = args.file or _default()
    data = read_bytes(path)
    migration = migrate_rc(parse_rc(decode(data, path), path), target, unsafe=args.unsafe)
    verify_rc(migration, target)
    if args.write:
        _write(args, migration, path, data)
    _other_name(path, target.dialect)
    return show(args, migration)


def _other_name(path: str, dialect: Dialect) -> None:
    """A `.theanorc` for PyTensor is right in every line and yet not read."""
    named = next((d for d in Dialect if d.value in os.path.basename(path).lower()), None)
    if named not in (None, dialect):
        output.note(f"{path}: {dialect.value} reads ~/.{dialect.value}rc, or what {dialect.rc_variable} names")


def _default() -> str:
    path = next((p for d in Dialect if (p := default_file(d))), None)
    if path is None:
        raise UsageError("no file named, and none found where the libraries look", help="name one, or use --flags")
    return path


def of_flags(text: str, target: FlagTable, unsafe: bool) -> Migration:
    """The rewritten flags variable; raises `UsageError` where it cannot be taken apart."""
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


def _write(args: argparse.Namespace, migration: Migration, path: str, data: bytes) -> None:
    if migration.after == migration.before:
        output.note(f"{path}: nothing to change")
        return
    kept = write_atomically(path, encode(migration.after), before=data, backup=args.backup)
    if kept:
        output.note(f"{path}: kept as {kept}")
    output.note(f"{path}: rewritten")


def _print_flags(migration: Migration) -> ExitCode:
    output.write(_for_a_shell(f"{migration.after}\n"))
    _notes(migration)
    return ExitCode.CLEAN


def _for_a_shell(text: str) -> str:
    """Text that a program is to take over stays as it is, unless a person looks at it."""
    return visible_lines(text) if output.is_terminal() else text


def show(args: argparse.Namespace, migration: Migration) -> ExitCode:
    """Prints what was asked for: JSON, the variables, or the difference with the notes."""
    changed = migration.after != migration.before
    if args.format == "json":
        output.document(document(migration, args.to))
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
    for line in shell(migration.env):
        output.note(f"for the shell: {line}")


def diff(migration: Migration) -> Iterator[str]:
    """The difference as `diff -u` prints it."""
    return difference(migration.before, migration.after, migration.source, "rewritten")


def shell(env: tuple[EnvLine, ...]) -> Iterator[str]:
    """Lines for a POSIX shell."""
    for line in env:
        if line.comment:
            yield f"# {line.comment}"
        if line.name:
            yield f"export {line.name}={shlex.quote(line.value)}"


def document(migration: Migration, to: str) -> dict[str, object]:
    """The outcome as plain data."""
    places = [(n.text, n.span) for n in migration.notes]
    return {
        "schema": SCHEMA,
        "source": migration.source,
        "to": to,
        "changed": migration.after != migration.before,
        "after": migration.after,
        "diff": "".join(diff(migration)),
        "notes": [{"text": text, "line": span.line if span else None, "column": span.column if span else None} for text, span in places],
        "env": [{"name": line.name, "value": line.value, "comment": line.comment} for line in migration.env],
    }
