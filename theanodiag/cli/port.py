"""`theanodiag port PATH...`: moves sources to PyTensor or Aesara; shows the difference unless told to write."""

from __future__ import annotations

import argparse
import os

from ..errors import ExitCode, TheanodiagError, UnreadableError, UsageError
from ..escaping import visible_lines
from ..findings import Finding
from ..porting import moving, syntax
from ..porting.model import FileReport, Safety, Style, Wish
from ..report import listings, ported
from ..workflows import port_files
from . import configured, options, output, selecting
from .atomic import write_atomically
from .differences import difference

HELP = "move sources written for Theano or Aesara to PyTensor or Aesara"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a source, or a folder with sources")
    parser.add_argument("--to", choices=("pytensor", "aesara"), default="pytensor", help="where to (default: pytensor)")
    what = "what is written where the target has another form: its own (native), or a piece of theanodiag.compat"
    parser.add_argument("--style", choices=[s.value for s in Style], default="native", help=f"{what} (default: native)")
    parser.add_argument("--unsafe", action="store_true", help="also write changes that may compute something else, each named")
    parser.add_argument("--python2to3", action="store_true", help="make sources of Python 2 such of Python 3 first, divisions included")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--diff", action="store_true", help="show what would change (the default)")
    how.add_argument("--check", action="store_true", help="say by the exit code whether something would change, or is left to do by hand")
    how.add_argument("--write", action="store_true", help="write the files")
    parser.add_argument("--force", action="store_true", help="with --write: also where git has changes that are not committed")
    parser.add_argument("--verbose", action="store_true", help="list the safe changes too")
    options.add_format(parser, (*output.FORMATS, *listings.FORMATS))
    selecting.prepare(parser)
    configured.prepare(parser, "port")


def run(args: argparse.Namespace) -> ExitCode:
    """Moves file after file; one that cannot be read is named, and the others are done."""
    if configured.fill(args, args.paths[0]):
        return ExitCode.CLEAN
    wanted = selecting.selection(args)
    syntax.fissix("pygram")
    wish = Wish(args.to, Style(args.style), args.unsafe, args.python2to3)
    for path in args.paths:
        if not os.path.lexists(path):
            raise UnreadableError("no such file", path=path, help="name a source, or a folder with sources")
        if args.write and not args.force and (line := port_files.uncommitted(path)) is not None:
            raise UsageError(f"{path}: git has changes here that are not committed: {line.strip()}", help="commit them, or use --force")
    sums, documents, found = ported.Counts(), list[dict[str, object]](), list[Finding]()
    for file in port_files.found(args.paths):
        if isinstance(file, TheanodiagError):
            report, before, after = moving.failed(file.path or "", "", file), b"", b""
        else:
            report, before, after = port_files.port_file(file, wish)
        if args.write and report.changed:
            report = _written(report, before, after)
        sums.add(report)
        if args.format == "text":
            _show(report, args)
        elif args.format == "json":
            documents.append(ported.file_document(report))
            _complain(report)
        else:
            found += _findings(report)
            _complain(report)
    if args.format == "json":
        output.document(ported.document(documents, args.to, args.style, sums))
    elif args.format == "text":
        output.note(ported.counts(sums))
    else:
        output.write(listings.render(args.format, selecting.chosen(tuple(found), args, wanted), os.getcwd()))
    left = sums.changed or sums.by_safety[Safety.BY_HAND]
    return ExitCode.FINDINGS if sums.failed or (args.check and left) else ExitCode.CLEAN


def _findings(report: FileReport) -> tuple[Finding, ...]:
    from ..rules.registry import PORT_RULES  # all rules: only for the formats of findings

    found = (f for rule in PORT_RULES for f in rule.check(report))
    return tuple(sorted(found, key=lambda f: (f.location.line or 0, f.location.column or 0, f.code)))


def _written(report: FileReport, before: bytes, after: bytes) -> FileReport:
    try:
        write_atomically(report.path, after, before=before)
    except TheanodiagError as error:
        return moving.failed(report.path, report.before, error)
    return report


def _complain(report: FileReport) -> None:
    if report.failure is not None:
        output.complain(f"theanodiag: {report.failure}\n")


def _show(report: FileReport, args: argparse.Namespace) -> None:
    if report.failure is None and report.changed and not args.check and not args.write:
        output.show(visible_lines("".join(difference(report.before, report.after, report.path, "ported"))))
    for line in ported.lines(report, verbose=args.verbose):
        output.complain(f"{line}\n")
    if args.write and report.failure is None and report.changed:
        output.note(f"{report.path}: rewritten")
