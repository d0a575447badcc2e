"""`theanodiag port PATH...`: ports sources to PyTensor, PyMC or Aesara; shows the difference unless told to write."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Optional

import click

from ..errors import ExitCode, TheanodiagError, UnreadableError, UsageError
from ..escaping import visible_lines
from ..findings import Finding, Location
from ..porting import source_port
from ..porting.model import FRAMEWORKS, FileReport, Ported, PortOptions, Proof, Safety, Style
from ..processes import git
from ..report import compared, listings
from ..report.compared import to_install
from ..workflows import port_files
from ..workflows.port_files import SkippedLink, Surroundings, left_imports
from . import finding_filters, output, shared_options
from .atomic_write import require_absent, write_atomically
from .output import difference
from .parameters import Argument, Arguments, Option, group, one_of, switch

if TYPE_CHECKING:
    from ..jobs.port_proof import Runs

SECONDS = 600.0
"""Default time limit for each run of a script, without `--timeout`."""


PARAMETERS = (
    Argument("paths", metavar="PATH", nargs=-1, required=True, help="a source, or a folder with sources"),
    Option("--to", default="pytensor", type=click.Choice(tuple(FRAMEWORKS)),
        help="target library (default: pytensor); for PyMC3 sources, pymc and pytensor both mean PyMC; theano, with --python2to3, keeps "
             "Theano and ports only to Python 3"),
    Option("--style", default="native", type=click.Choice([s.value for s in Style]),
        help="replace functions that behave differently by the target's own if possible (native), or by those of theanodiag.legacy "
             "(compat; default: native)"),
    switch("--unsafe", help="also write changes that may change results; each is listed"),
    switch("--python2to3", help="convert Python 2 sources to Python 3 first, including their divisions"),
    *one_of(
        switch("--diff", help="show what would change (the default)"),
        switch("--check", help="write nothing; the exit code is 1 if something would change, or has to be ported by hand"),
        switch("--write", help="write the files"),
        Option("--into", metavar="FILE", help="write the port of one source to this new file; the source stays as it is"),
        switch("--prove",
            help="run each script before and after the port, compare every call, and write only files that compute the same; "
            "needs --python and --against"),
    ),
    switch("--force", help="with --write and --prove: write even if git has uncommitted changes; old files are kept as FILE.bak"),
    Option("--file-timeout", metavar="SECONDS", type=float, default=port_files.SECONDS,
        help=f"skip and list a file that takes longer than this (default: {port_files.SECONDS:g})"),
    *group("With --prove",
        Option("--python", metavar="OLD", help="the interpreter for the original sources"),
        Option("--against", metavar="NEW", help="the interpreter for the ported sources"),
        Option("--arguments", metavar="FILE", help='TOML file with arguments of scripts: [arguments] "train*.py" = ["--epochs", "1"]'),
        Option("--timeout", metavar="SECONDS", type=float, default=SECONDS, help=f"time limit for each run (default: {SECONDS:g})"),
        Option("--stop-after", metavar="N", type=int,
            help="end each run after a total of N calls of compiled functions (default: once every function was called often enough)"),
    ),
    switch("--verbose", help="list the safe changes too"),
    shared_options.format_option((*output.FORMATS, *listings.FORMATS)),
    *finding_filters.parameters(),
)  # fmt: skip


def _port_options(args: Arguments) -> PortOptions:
    """The options of the port. Options that have no effect together, and paths that do not exist, are errors."""
    if args.prove and not (args.python and args.against):
        raise UsageError("--prove runs the sources in two interpreters", help="name them: --python OLD --against NEW")
    shared_options.only_with(args, args.prove, "--prove", "python", "against", "stop_after", "arguments", "timeout")
    shared_options.only_with(args, args.write or args.prove, "--write", "force")
    shared_options.only_with(
        args,
        args.format in listings.FORMATS,
        "--format sarif or another format of findings",
        "select",
        "ignore",
        "baseline",
        "update_baseline",
    )
    if args.file_timeout <= 0:
        raise UsageError(f"--file-timeout {args.file_timeout:g}: no file could be read", help="give seconds, more than 0")
    for path in args.paths:
        if not os.path.lexists(path):
            raise UnreadableError("no such file", path=path, help="name a source, or a folder with sources")
    return port_files.options(args.to, args.style, args.unsafe, args.python2to3)


def run(args: Arguments) -> ExitCode:
    """Ports one file after the other; reports a file that cannot be read, and continues with the next."""
    port_options = _port_options(args)
    wanted = finding_filters.selection(args)
    files = _files(args)
    sums, documents, findings, bug = compared.Counts(), list[tuple[FileReport, Optional[Proof]]](), list[Finding](), False
    unread, unwritten, in_git = list[Finding](), False, False
    sources, proofs = _moved(files, port_options, args.file_timeout), dict[str, Proof]()
    if args.prove:
        from ..jobs.port_proof import prove

        sources = list(sources)
        proofs = dict(prove(sources, _runs(args, [source.report.path for source in sources])))
    named = list[FileReport]()
    for source in sources:
        report, proof = source.report, proofs.get(source.report.path)
        named += [report] if report.changed and report.path in args.paths else []
        if args.into and report.skipped is not None:
            unwritten = True
        elif args.into and report.failure is None:
            report = _written(report, None, source.after, args.into)
            unwritten |= report.failure is not None
        elif report.changed and (args.write or (proof is not None and proof.proved)):
            kept = not args.force and git.keeps(report.path)
            report = _written(report, source.before, source.after, report.path, backup=not kept)
            unwritten |= report.failure is not None
            in_git |= kept and report.failure is None
        sums.add(report)
        bug |= report.bug
        if args.format == "text":
            _show(report, args, proof)
        elif args.format == "json":
            documents.append((report, proof))
            _complain(report)
        else:
            findings += _findings(report)
            unread += _unread(report)
            _complain(report)
    if args.format == "json":
        from ..report.v1 import common  # msgspec is imported only where JSON is written
        from ..report.v1.compare import PortedFileV1, PortV1

        output.write(common.text(PortV1.of([PortedFileV1.of(*one) for one in documents], args.to, args.style, sums)))
    elif args.format == "text":
        result = f", {sum(proof.proved for proof in proofs.values())} of {len(proofs)} proved and written" if args.prove else ""
        if any(proof.proved and proof.lent for proof in proofs.values()):
            output.note(f"theanodiag was lent to the ported scripts, which import it; {to_install(args.against)}")
        if in_git:
            output.note("git diff shows what was rewritten, and git checkout -- FILE undoes it")
        _note_left_imports(args, named, files, port_options)
        output.note(compared.counts(sums, written=args.write or args.into is not None) + result)
    else:
        findings = list(finding_filters.chosen(tuple(findings), args, wanted))
        output.write(listings.render(args.format, (*unread, *findings), os.getcwd()))
    if bug:
        return ExitCode.BUG
    if unwritten:
        return ExitCode.UNREADABLE
    # Each change is a finding; those of a baseline, or left out by --ignore, are accepted as they are.
    left = findings if args.format in listings.FORMATS else sums.changed or sums.by_safety[Safety.BY_HAND]
    unproved = any(not proof.proved for proof in proofs.values())
    return ExitCode.FINDINGS if sums.failed or unproved or (args.check and left) else ExitCode.CLEAN


def _note_left_imports(
    args: Arguments, named: Iterable[FileReport], files: Iterable[str | TheanodiagError | SkippedLink], port_options: PortOptions
) -> None:
    """Names the modules that files given by name import and that need porting too; a folder contains its own."""
    how = "port it with another --into" if args.into else "name it as well, or the folder of both"
    ported = [file for file in files if isinstance(file, str)]
    for path, importer in left_imports(named, ported, port_options, args.file_timeout):
        output.note(f"{importer} imports {path}, which needs porting too: {how}")


def _files(args: Arguments) -> list[str | UnreadableError | SkippedLink]:
    """The files to port. Raises `UsageError` or `UnreadableError` if what is to be written must not be."""
    files = list(port_files.sources(args.paths))
    if not files:
        output.note(f"{', '.join(args.paths)}: there is no Python source or notebook to port")
    if args.into and (len(args.paths) != 1 or os.path.isdir(args.paths[0])):
        raise UsageError("--into takes the port of one file", help=_copied(args.paths, args.into))
    if args.into:
        require_absent(args.into, "--into")
    if (args.write or args.prove) and not args.force:
        port_files.require_committed(args.paths, (file for file in files if isinstance(file, str)))
    return files


def _copied(paths: list[str], into: str) -> str:
    """Returns what to do if `paths` are not one file: for a folder, the commands that copy it, with the data that its scripts read, and
    port the copy."""
    if len(paths) > 1:
        return "name one source, or port in place: --write"
    source, copy = shlex.quote(paths[0].rstrip(os.sep)), shlex.quote(into)
    return f"port a copy of the folder: cp -r {source} {copy}; theanodiag port {copy} --write"


def _moved(files: Iterable[str | TheanodiagError | SkippedLink], port_options: PortOptions, seconds: float) -> Iterable[Ported]:
    """Ports each file and yields the results; a file that cannot be read is reported as failed."""
    surroundings = Surroundings(port_options.python2to3)
    for file in files:
        if isinstance(file, TheanodiagError):
            yield Ported(source_port.failed(file.path or "", "", file), b"", b"")
        elif isinstance(file, SkippedLink):
            yield Ported(source_port.skipped(file.path, file.reason), b"", b"")
        else:
            yield Ported(*port_files.port_file(file, port_options, surroundings.of(file), seconds))


def _runs(args: Arguments, paths: Collection[str]) -> Runs:
    """How the scripts among the sources are run and compared."""
    from ..jobs.compare import compare
    from ..jobs.port_proof import Runs
    from ..requests import CompareRequest, command_line
    from .compare import watched

    table = shared_options.script_arguments(args.arguments)
    shared_options.note_unmatched(table, args.arguments, paths)
    request = CompareRequest("", args.python, args.against, timeout=args.timeout, find_node=False, stop_after=args.stop_after)
    return Runs(
        request, lambda one, path, step: watched(compare, one, (path, path), step), arguments=lambda path: command_line(table, path)
    )


def _findings(report: FileReport) -> tuple[Finding, ...]:
    from ..rules.source_registry import PORT_RULES  # only for the formats of findings

    findings = (f for rule in PORT_RULES for f in rule.check(report))
    return tuple(sorted(findings, key=lambda f: (f.location.line or 0, f.location.column or 0, f.code)))


def _unread(report: FileReport) -> Iterator[Finding]:
    """Yields TD006 if the file could not be read or written."""
    from ..rules.not_checked import UncheckedSubject, not_checked  # only for the formats of findings

    reason = None if report.failure is None else report.failure.partition("\n")[0]
    yield from not_checked.check(UncheckedSubject(Location(report.path), reason))


def _written(report: FileReport, before: bytes | None, after: bytes, path: str, *, backup: bool = False) -> FileReport:
    """The report, or that of a failure if `path`, whose content is `before` (None: it does not exist), cannot be written."""
    try:
        kept = write_atomically(path, after, before=before, backup=backup)
    except TheanodiagError as error:
        return source_port.failed(report.path, report.before, error)
    if kept is not None:
        output.note(f"{path}: the old file is kept as {os.path.basename(kept)}")
    return report


def _complain(report: FileReport) -> None:
    if report.failure is not None or report.skipped is not None:
        for line in compared.lines(report):
            output.complain(f"{line}\n")


def _show(report: FileReport, args: Arguments, proof: Proof | None) -> None:
    if report.failure is None and report.changed and not (args.check or args.write or args.into or args.prove):
        output.show(visible_lines("".join(difference(report.before, report.after, report.path, "ported"))))
    for line in compared.lines(report, verbose=args.verbose):
        output.complain(f"{line}\n")
    if args.write and report.failure is None and report.changed:
        output.note(f"{report.path}: rewritten")
    if args.check and report.failure is None and report.changed:
        output.note(f"{report.path}: not ported yet; --write instead of --check ports it")
    if args.into and report.failure is None and report.skipped is None:
        output.note(f"{args.into}: written")
    if proof is not None and report.failure is None:
        say = output.note if proof.proved else output.tell  # with --quiet too: the reason of the exit code
        say(compared.proof_line(report, proof))
