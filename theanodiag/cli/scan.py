"""`theanodiag scan PATH...`: analyses a repository or archive without running anything, or with `--run` by running its scripts."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence

from ..errors import ExitCode, TheanodiagError, UnreadableError, UsageError
from ..findings import Finding, Severity
from ..report import listings, scanned
from ..requests import CheckRequest, RunRequest
from ..scanned_files.model import FileFacts
from ..units import parse_bytes
from ..workflows import result_store
from ..workflows.scan_repository import RUNNABLE, SECONDS, is_bad, scan
from ..workflows.scan_workers import Watch, Workers, WorkersLostError
from ..workflows.source_files import candidates
from . import finding_filters, output, shared_options
from .parameters import Argument, Arguments, Option, group, one_of, switch
from .progress import Progress

GPU, TIMEOUT, MEMORY = "none", 120.0, "8GiB"
"""Of scripts that are run, unless options say otherwise."""


PARAMETERS = (
    Argument("paths", metavar="PATH", nargs=-1, required=False, help="a source, or a folder with sources"),
    Option("--exclude", metavar="PATTERN", multiple=True,
        help="exclude the files that this pattern matches, in the syntax of .gitignore (repeatable)"),
    Option("--jobs", metavar="N", type=int, default=os.cpu_count() or 1, help="number of processes (default: one per core)"),
    Option("--file-timeout", metavar="SECONDS", type=float, default=SECONDS,
        help="limit for reading one file; a file that takes longer is skipped and listed (default: 60)"),
    *one_of(
        Option("--scheduler", metavar="ADDRESS", help="use the workers of this Dask cluster, such as tcp://host:8786"),
        switch("--dask", help="use a Dask cluster on this machine"),
    ),
    switch("--trust-cluster",
        help="accept that anyone who can reach the cluster can run programs as you on this machine, because Dask unpickles what it "
        "receives (needed with --scheduler)"),
    *group("Running the scripts (nothing is run without --run)",
        switch("--run", help="also run each script through `check`, in a separate process with limits on time and memory"),
        Option("--gpu", metavar="DEVICE,...", default=GPU, help=f"devices, such as k80,4GiB,a100-80; each gets a column (default: {GPU})"),
        Option("--python", metavar="INTERPRETER", help="interpreter that runs the scripts (default: the one that runs theanodiag)"),
        Option("--timeout", metavar="SECONDS", type=float, default=TIMEOUT,
            help=f"time limit for a script on one card (default: {TIMEOUT:g})"),
        Option("--memory", metavar="SIZE", default=MEMORY, help=f"maximum address space of each process of a script (default: {MEMORY})"),
        Option("--arguments", metavar="FILE", help='TOML file with arguments of scripts: [arguments] "train*.py" = ["--epochs", "1"]'),
    ),
    *one_of(
        Option("--cache", metavar="DIR",
            help="folder for results that later scans reuse (default: a folder for these paths in theanodiag's cache)"),
        switch("--no-cache", help="neither store nor reuse results"),
    ),
    switch("--clear-cache", help="remove the results of earlier scans first; without a PATH, then exit"),
    shared_options.format_option((*output.FORMATS, "html", *listings.FORMATS)),
    shared_options.output_file(),
    switch("--verbose", help="show all rows of each table, and a row for each file"),
    *finding_filters.parameters(),
    shared_options.fail_on(),
)  # fmt: skip


def run(args: Arguments) -> ExitCode:
    """Scans and prints. Exit code 1: a finding reaches `--fail-on`, a file could not be read, or a script that was run failed or does
    not fit."""
    if args.clear_cache:
        result_store.clear(args.cache, args.paths)
        if not args.paths:
            return ExitCode.CLEAN
    if not args.paths:
        raise UsageError("no PATH is given", help="name a folder, such as theanodiag scan .")
    if args.jobs < 1:
        raise UsageError(f"--jobs {args.jobs}: there must be at least one process", help="give a number of processes, 1 or more")
    if not args.file_timeout > 0:
        raise UsageError(f"--file-timeout {args.file_timeout:g}: no file could be read", help="give seconds, more than 0")
    _require_trust(args)
    shared_options.only_with(args, args.run, "--run", "arguments", "gpu", "python", "timeout", "memory")
    shared_options.require_output(args)
    wanted = finding_filters.selection(args)
    request = run_request(args) if args.run else None
    workers = Workers(args.jobs, "local" if args.dask else args.scheduler)
    facts: list[FileFacts] = []
    lost: WorkersLostError | None = None
    watch, cache = Watch(), None if args.no_cache else _store(args)
    with Progress(f"scanning {', '.join(args.paths)} ", watch.text), _counted(args, watch):
        try:
            seconds = args.file_timeout
            looked = scan(args.paths, exclude=args.exclude, workers=workers, cache=cache, run=request, watch=watch, file_timeout=seconds)
            with contextlib.closing(looked):  # at once where it is interrupted: its workers end with it
                facts.extend(looked)
        except WorkersLostError as error:
            lost = error
    facts.sort(key=lambda f: f.path)
    if request is not None:
        _note_not_run(args.paths, facts)
        shared_options.note_unmatched(request.arguments, args.arguments, [f.path for f in facts if f.run is not None])
    shown = finding_filters.chosen(scanned.findings(facts), args, wanted)
    deliver(facts, shown, args, args.paths, scanned.summary(facts)[0])
    if lost is not None:
        raise lost  # after the report: what was done counts
    bad = any(f.severity >= Severity[args.fail_on.upper()] for f in shown)
    return ExitCode.FINDINGS if bad or any(is_bad(f) or scanned.too_large(f) for f in facts) else ExitCode.CLEAN


def _note_not_run(paths: Sequence[str], facts: Sequence[FileFacts]) -> None:
    """Says which of the scripts that were named were not run, since they import no framework."""
    named = {os.path.realpath(path) for path in paths if os.path.isfile(path)}
    left = [f.path for f in facts if f.run is None and f.kind in RUNNABLE and os.path.realpath(f.path) in named]
    if left:
        them = "it imports" if len(left) == 1 else "they import"
        output.note(f"not run: {scanned.shortened(left)}: {them} no framework; to run it all the same: theanodiag check FILE")


def deliver(
    facts: list[FileFacts], shown: tuple[Finding, ...], args: Arguments, paths: Sequence[str], result: str, *, named: bool = False
) -> None:
    """Prints the scanned files in the requested format; `shown` are the selected findings, `result` is a summary in one line."""
    facts = scanned.with_findings(facts, shown)
    pieces: Iterable[str]
    if args.format == "json":
        from ..report.v1 import scan as document  # msgspec is imported only where JSON is written

        pieces = document.lines(facts)
    elif args.format == "html":
        from ..report.html import command_pages  # jinja2 is imported only where a page is made

        pieces = (command_pages.render(facts, paths, output.LOOK.command),)
    elif args.format in listings.FORMATS:
        pieces = (listings.render(args.format, (*scanned.unchecked(facts, named=named), *shown), os.getcwd(), args.fail_on),)
    else:
        color = output.has_color(sys.stdout) and args.output in (None, "-")
        pieces = (scanned.text(facts, width=output.width(), color=color, verbose=args.verbose),)
    output.deliver_pieces(pieces, args.output, result)


def _require_trust(args: Arguments) -> None:
    """Raises `UsageError` if only one of the options --scheduler and --trust-cluster is given."""
    if args.trust_cluster and args.scheduler is None:
        raise UsageError("--trust-cluster is about the cluster of --scheduler", help="add --scheduler tcp://host:8786, or leave it out")
    if args.scheduler is not None and not args.trust_cluster:
        reason = "Dask unpickles what a cluster sends: its scheduler, its workers and whoever can reach them can run programs as you, here"
        raise UsageError(
            f"--scheduler {args.scheduler}: {reason}", help="add --trust-cluster if all of them may do that, or use --jobs or --dask"
        )


def _store(args: Arguments) -> result_store.ResultStore | None:
    """The store of results: in the folder of --cache, else in the user's cache; None if that cannot be written."""
    if args.cache is not None:
        return result_store.in_folder(args.cache)
    try:
        return result_store.of_user(args.paths)
    except UnreadableError as error:
        output.note(f"no results are kept: {error.path}: {error.message}")
        return None


@contextlib.contextmanager
def _counted(args: Arguments, watch: Watch) -> Iterator[None]:
    """Counts the files meanwhile, where somebody looks on who wants to know how long it will take."""
    ended = threading.Event()

    def count() -> None:
        number = 0
        with contextlib.suppress(TheanodiagError):  # the scan itself will say that
            for _ in candidates(args.paths, args.exclude):
                number += 1
                if ended.is_set():
                    return
            watch.count(number)

    thread = threading.Thread(target=count, daemon=True)
    if output.is_terminal(sys.stderr) and not output.LOOK.quiet:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        if thread.ident is not None:
            thread.join()


def run_request(args: Arguments) -> RunRequest:
    """Returns the request with which scripts are run."""
    cards = tuple(part.strip() for part in args.gpu.split(",") if part.strip())
    check = CheckRequest("", args.python, timeout=args.timeout, device="none")
    return RunRequest(cards, check, _size(args.memory), args.config, shared_options.script_arguments(args.arguments))


def _size(text: str) -> int:
    try:
        return parse_bytes(text)
    except ValueError as error:
        raise UsageError(f"--memory: {error}", help="such as --memory 8GiB") from None
