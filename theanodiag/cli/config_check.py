"""`theanodiag config check`: finds problems with flags, by the rules TD2xx."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Optional

from ..errors import ExitCode, Span, UsageError, line_starts
from ..escaping import visible
from ..findings import Finding, Severity
from ..flags.carriers.file_kinds import FileKind
from ..flags.diagnose import ConfigSubject, MachineFacts
from ..flags.flags_variable import parse_flags
from ..flags.migrate import TARGETS
from ..flags.migrate_entry import label
from ..flags.model import Dialect, FlagTable, RcFileState, ReadFile
from ..flags.rcfile_text import decode, parse_rc
from ..flags.resolve import resolve
from ..gc_pause import no_collections
from ..report import listings
from ..rules.config import findings
from . import finding_filters, output, shared_options
from .config_input import (
    ConfigSource,
    answer,
    dialect_options,
    effective_environment,
    misnamed_files,
    named_or_on_disk,
    network_folders,
    note_copies,
    read_source,
    table_of,
    this_host,
)
from .parameters import Argument, Arguments, Option, switch

if TYPE_CHECKING:
    from ..report.v1.config import ConfigCheckV1

NOTHING_KNOWN = MachineFacts()
_VERSIONS = """
import json, sys
try:
    from numpy import __version__ as numpy
except ImportError:
    numpy = None
print(json.dumps([list(sys.version_info[:2]), numpy]))
"""
Versions = tuple[tuple[int, int], Optional[tuple[int, int]]]
"""Version of Python, and of NumPy if it is installed, as (major, minor)."""


PARAMETERS = (
    Argument("files", metavar="FILE", nargs=-1, required=False,
        help="rc files in the order of reading (default: those of this environment), and files that set flags: scripts, container files "
        "..."),
    Option("--flags", metavar="STRING", help="value of the flags variable (default: from this environment; with FILE: none)"),
    switch("--each", help="check each file as if no other file were read"),
    *dialect_options(),
    Option("--python", metavar="INTERPRETER", help="interpreter that has the library, for rules about its numpy"),
    shared_options.format_option((*output.FORMATS, "html", *listings.FORMATS)),
    shared_options.output_file(),
    *finding_filters.parameters(),
    shared_options.fail_on(),
)  # fmt: skip


@no_collections()
def run(args: Arguments) -> ExitCode:
    """Checks and prints the findings, by place."""
    wanted = finding_filters.selection(args)
    shared_options.require_output(args)
    if args.each and args.format == "json":
        raise UsageError("--each: JSON is a document on one configuration", help="use --format json-lines, or name one file")
    checked = _checked(args)
    findings = finding_filters.chosen(checked.findings(), args, wanted)
    if args.format == "text" and args.output in (None, "-"):
        output.show(text(checked, findings))
    else:
        count = f"{len(findings)} finding{'s' * (len(findings) != 1)}"
        output.deliver(_shown(args, checked, findings), args.output, count)
    bad = any(f.severity >= Severity[args.fail_on.upper()] for f in findings)
    return ExitCode.FINDINGS if bad else ExitCode.CLEAN


@dataclass(frozen=True)
class CheckedFile:
    """A file that sets flags but is not an rc file, with the findings about these flags."""

    source: ConfigSource
    text: str
    findings: tuple[Finding, ...]
    libraries: tuple[FlagTable, ...]
    """The libraries whose flags it sets."""


@dataclass(frozen=True)
class CheckedConfig:
    """The configurations and files that were checked."""

    subjects: tuple[ConfigSubject, ...]
    """Configurations of rc files and the flags variable."""
    files: tuple[CheckedFile, ...]

    def findings(self) -> tuple[Finding, ...]:
        """Returns all findings, by subject and file."""
        return (*(f for s in self.subjects for f in findings(s)), *(f for c in self.files for f in c.findings))

    def tables(self) -> tuple[FlagTable, ...]:
        """Returns the libraries whose flags were checked."""
        return tuple(dict.fromkeys([*(s.table for s in self.subjects), *(t for c in self.files for t in c.libraries)]))


def _checked(args: Arguments) -> CheckedConfig:
    sources = [read_source(path) for path in args.files]
    rc_files = [s.path for s in sources if s.kind is FileKind.RC]
    groups = [[path] for path in rc_files] if args.each else [rc_files] if rc_files or not sources or args.flags is not None else []
    if args.python and not groups:
        raise UsageError("--python has no effect on files that are not rc files", help="leave it out", option="python")
    if sources and args.flags is None:
        _say_what_is_not_read()
    tables = [table_of(args.dialect, args.library_version, group[-1] if group else None) for group in groups]
    subjects = (subject_of(table, versions_of(args.python), files=group, flags=args.flags) for table, group in zip(tables, groups))
    return CheckedConfig(tuple(subjects), tuple(_checked_file(args, s) for s in sources if s.kind is not FileKind.RC))


def _say_what_is_not_read() -> None:
    for dialect in Dialect:
        name = dialect.flags_variable
        if os.environ.get(name):
            output.note(f'{name} is set here and not read: without FILE it is, and with --flags "${name}"')


def _checked_file(args: Arguments, source: ConfigSource) -> CheckedFile:
    shown = decode(source.data, source.path)
    from ..flags.carriers.reading import read  # what reads flags in scripts and the like: `check` needs none of it
    from ..scanned_files.flag_strings import findings_in, table_for

    note_copies(source, shown, "check")
    reading = read(shown, source.kind)
    dialects = dict.fromkeys(c.dialect for c in reading.carried)
    if args.dialect and dialects and Dialect(args.dialect) not in dialects:
        names = " and ".join(d.flags_variable for d in dialects)
        command = f"theanodiag config rewrite {shlex.quote(source.path)} --to {args.dialect}"
        moved = f"; to move them: {command}" if args.dialect in TARGETS else ""
        output.note(f"{source.path}: it sets {names}, which {args.dialect} does not read: checked for its own library{moved}")
    if args.library_version and not args.dialect and len(dialects) > 1:
        names = " and ".join(d.value for d in dialects)
        raise UsageError(f"--version: {source.path} sets flags of {names}", help="say with --dialect whose version it is")
    chosen = args.dialect or (next(iter(dialects)).value if dialects and args.library_version else None)
    table = table_of(chosen, args.library_version, None) if chosen else None
    tables = {d: table if table and d is table.dialect else table_for(d, shown) for d in dialects}
    return CheckedFile(source, shown, findings_in(shown, source.path, reading, tables), tuple(tables.values()))


def _shown(args: Arguments, checked: CheckedConfig, findings: tuple[Finding, ...]) -> str:
    """The findings in a format, for a file or a program."""
    if args.format == "html":
        from ..report.html import command_pages

        named = [f.path for s in checked.subjects for f in s.resolution.files if f.state is not RcFileState.MISSING]
        return command_pages.findings([*named, *(c.source.path for c in checked.files)], findings, output.LOOK.command)
    if args.format == "json":
        from ..report.v1 import common  # msgspec is imported only where JSON is written

        return common.text(document(checked, findings))
    if args.format == "text":
        return text(checked, findings)
    return listings.render(args.format, findings, os.getcwd(), args.fail_on)


def subject_of(
    table: FlagTable, versions: Versions, *, files: Sequence[str] = (), flags: str | None = None, context: MachineFacts = NOTHING_KNOWN
) -> ConfigSubject:
    """Returns the configuration of a library and an interpreter: the given files (if none are given, those that the environment names) and
    flags. `context` has the known facts about the machine.
    """
    given = effective_environment(table.dialect, files, flags)
    read = named_or_on_disk(files)
    python, numpy = versions
    resolution = resolve(table.dialect, table.version, given, read, this_host(python))
    bare = ConfigSubject(resolution, environ=tuple(given.items()))
    return _with_texts(bare, read, replace(context, numpy=numpy))


def _with_texts(bare: ConfigSubject, read: ReadFile, context: MachineFacts) -> ConfigSubject:
    """The subject with the documents behind its resolution."""
    files = bare.resolution.files
    texts = {f.path: read(f.path) for f in files if f.state is not RcFileState.MISSING}
    documents = tuple(parse_rc(decode(content, path), path) for path, content in texts.items() if content is not None)
    # A default file may be missing; one that the environment names is a slip.
    missing = tuple(f.path for f in files if f.state is RcFileState.MISSING and f.path) if bare.env(bare.dialect.rc_variable) else ()
    flags = bare.env(bare.dialect.flags_variable)
    variable = parse_flags(flags, bare.dialect.flags_variable) if flags else None
    misnamed = misnamed_files(bare.dialect) if not documents and not bare.env(bare.dialect.rc_variable) else ()
    known = replace(context, network_folders=network_folders(), missing_files=missing, misnamed_files=misnamed)
    return replace(bare, documents=documents, variable=variable, context=known)


def versions_of(interpreter: str | None) -> Versions:
    """Returns the versions of Python and NumPy of the user's interpreter; without an interpreter, our own Python version and None."""
    if interpreter is None:
        return (sys.version_info[0], sys.version_info[1]), None
    (major, minor), numpy = answer(interpreter, _VERSIONS)
    return (int(major), int(minor)), None if numpy is None else pair(numpy)


def pair(version: str) -> tuple[int, int]:
    """Returns the major and minor number of a version."""
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def text(checked: CheckedConfig, findings: tuple[Finding, ...]) -> str:
    """Returns the findings as text: place, source line with carets, and help; then a line with their number."""
    texts = {source: text for s in checked.subjects for source, text in _texts(s)} | {c.source.path: c.text for c in checked.files}
    blocks = [_block(texts.get(f.location.path), f) for f in findings]
    counts = [(s, sum(f.severity is s for f in findings)) for s in reversed(Severity)]
    tally = ", ".join(f"{n} {s.name.lower()}{'s' if n != 1 else ''}" for s, n in counts if n)
    libraries = ", ".join(label(table) for table in checked.tables())
    bare = "".join(visible(f"{c.source.path}: {c.source.name} that sets no flags") + "\n" for c in checked.files if not c.libraries)
    if checked.subjects and not findings and not checked.files and not any(s.documents or s.variable for s in checked.subjects):
        looked = (f"{f.path} (not there)" for s in checked.subjects for f in s.resolution.files if f.path)
        variables = (f"{s.dialect.flags_variable} (not set or empty)" for s in checked.subjects)
        return visible(f"{libraries}: no flags are set: {', '.join([*looked, *variables])}") + "\n"
    counted = f"{libraries or 'no file'}: {tally or 'nothing found'}\n" if libraries or not bare else ""
    return "".join(blocks) + bare + counted


def _block(source: str | None, f: Finding) -> str:
    lines = [visible(f"{f.location}: {f.kind}: {f.message}")]
    span = _span(source, f)
    if span:
        lines += [f"    {line}" for line in span.caret().splitlines()]
    if f.fix:
        lines.append(visible(f"    help: {f.fix.title}"))
    return "\n".join(lines) + "\n\n"


def _texts(subject: ConfigSubject) -> Iterator[tuple[str, str]]:
    """The texts that findings can be in, by name."""
    yield from ((d.source, d.text) for d in subject.documents)
    if subject.variable:
        yield subject.variable.source, subject.variable.text


def _span(source: str | None, f: Finding) -> Span | None:
    """The place of a finding as a piece of its text."""
    if source is None or f.location.line is None:
        return None
    start = line_starts(source)[f.location.line - 1] + (f.location.column or 1) - 1
    edit = f.fix.edits[0] if f.fix and f.fix.edits else None
    end = edit.end if edit and edit.start == start and edit.end > start else start + 1
    return Span(f.location.path, source, start, end)


def document(checked: CheckedConfig, findings: tuple[Finding, ...]) -> ConfigCheckV1:
    """Returns the findings as JSON; library and version are those of the first configuration, or of the first flags in a file."""
    from ..report.v1 import config
    from ..scanned_files.flag_strings import usual_table

    resolution = checked.subjects[0].resolution if checked.subjects else None
    table = next(iter(checked.tables()), None) or usual_table(Dialect.THEANO)
    files = [config.ConfigFileV1(f.path, f.state.value) for f in (resolution.files if resolution else ())]
    files += [config.ConfigFileV1(c.source.path, RcFileState.READ.value) for c in checked.files]
    failure = resolution.failure.message if resolution and resolution.failure else None
    rows = list(map(config.ConfigFindingV1.of, findings))
    return config.ConfigCheckV1("theanodiag/config-check/v1", table.dialect.value, table.version, files, failure, rows)
