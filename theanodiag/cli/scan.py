"""`theanodiag scan PATH...`: what a repository or an archive needs, read without running anything, or with `--run` tried."""

from __future__ import annotations

import argparse
import os
import sys
import time

from .. import files
from ..errors import ExitCode, UsageError
from ..findings import Finding, Severity
from ..inventory.model import FileFacts, State
from ..report import listings, scanned
from ..settings import toml
from ..units import parse_bytes
from ..workflows import result_store
from ..workflows.run_scripts import RunWish
from ..workflows.scan_repository import Workers, scan
from . import configured, options, output, selecting

HELP = "say what the files of a repository or archive need: frameworks, releases, names that are gone, flags, hazards"
CACHE = ".theanodiag_cache"
EVERY = 0.2
"""Seconds between two looks of the progress display."""


def prepare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("paths", metavar="PATH", nargs="*", help="a file, or a folder with sources")
    what = "leave files out, as a line of .gitignore does; again for more"
    parser.add_argument("--exclude", metavar="PATTERN", action="append", default=[], help=what)
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count() or 1, help="processes at work (default: one a core)")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--scheduler", metavar="ADDRESS", help="let the workers of this Dask cluster do it, such as tcp://host:8786")
    where.add_argument("--dask", action="store_true", help="let a Dask cluster on this machine do it")
    run = parser.add_argument_group("running the scripts (nothing is run without --run)")
    run.add_argument("--run", action="store_true", help="also run each script through `check`, in a process of its own with limits")
    run.add_argument("--gpu", metavar="DEVICE,...", default="none", help="cards, one column each, such as k80,4GiB,a100-80 (default: none)")
    run.add_argument("--python", metavar="INTERPRETER", help="interpreter that runs the scripts (default: the one that runs theanodiag)")
    run.add_argument("--timeout", metavar="SECONDS", type=float, default=120.0, help="for a script on one card (default: 120)")
    run.add_argument("--memory", metavar="SIZE", default="8GiB", help="address space of a script's processes, each (default: 8GiB)")
    what = 'TOML with the command lines of scripts: [arguments] "train*.py" = ["--epochs", "1"]'
    run.add_argument("--arguments", metavar="FILE", help=what)
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument("--cache", metavar="DIR", default=CACHE, help=f"folder for results that later scans take over (default: {CACHE})")
    kept.add_argument("--no-cache", action="store_true", help="keep no results, and take none over")
    parser.add_argument("--clear-cache", action="store_true", help="remove the results of earlier scans first; without a PATH stop then")
    options.add_format(parser, (*output.FORMATS, *listings.FORMATS))
    parser.add_argument("-o", "--output", metavar="FILE", help="write the report to this file, whole or not at all (default: stdout)")
    parser.add_argument("--verbose", action="store_true", help="show every row")
    selecting.prepare(parser)
    levels = [s.name.lower() for s in Severity]
    parser.add_argument("--fail-on", choices=levels, default="error", help="least severity that makes the exit code 1 (default: error)")
    configured.prepare(parser, "scan")


def run(args: argparse.Namespace) -> ExitCode:
    """Scans and prints. Exit code 1: a finding is bad enough, a file could not be read, or a script that was run failed or does not fit."""
    if configured.fill(args, args.paths[0] if args.paths else None):
        return ExitCode.CLEAN
    if args.clear_cache:
        result_store.clear(args.cache)
        if not args.paths:
            return ExitCode.CLEAN
    if not args.paths:
        raise UsageError("no PATH is given", help="name a folder, such as theanodiag scan .")
    if args.jobs < 1:
        raise UsageError(f"--jobs {args.jobs}: nobody would do the work", help="give a number of processes, 1 or more")
    if args.arguments is not None and not args.run:
        raise UsageError("--arguments is about scripts that are run", help="add --run")
    wanted = selecting.selection(args)
    wish = _wish(args) if args.run else None
    workers = Workers(args.jobs, "local" if args.dask else args.scheduler)
    found: list[FileFacts] = []
    progress = _Progress()
    for one in scan(args.paths, exclude=args.exclude, workers=workers, cache=None if args.no_cache else args.cache, run=wish):
        found.append(one)
        progress.show(found)
    progress.end()
    found.sort(key=lambda f: f.path)
    shown = selecting.chosen(scanned.findings(found), args, wanted)
    if args.format == "json":
        content = scanned.render_json(found)
    elif args.format in listings.FORMATS:
        content = listings.render(args.format, shown, os.getcwd())
    else:
        terminal = output.is_terminal() and args.output is None
        width = max(60, min(os.get_terminal_size().columns if terminal else 100, 140))
        color = terminal and "NO_COLOR" not in os.environ
        content = scanned.text(found, width=width, color=color, verbose=args.verbose)
    output.deliver(content, args.output)
    return _exit_code(found, shown, Severity[args.fail_on.upper()])


def _exit_code(found: list[FileFacts], shown: tuple[Finding, ...], least: Severity) -> ExitCode:
    bad = any(f.severity >= least for f in shown)
    unread = any(f.state is State.FAILED for f in found)
    ran = [f.run for f in found if f.run is not None]
    broken = any(r.outcome != "ran" or any(c.fits is False for c in r.cards.values()) for r in ran)
    return ExitCode.FINDINGS if bad or unread or broken else ExitCode.CLEAN


def _wish(args: argparse.Namespace) -> RunWish:
    cards = tuple(part.strip() for part in args.gpu.split(",") if part.strip())
    if not cards or not args.timeout > 0:
        raise UsageError("--gpu and --timeout have to name a card and a time above 0", help="such as --gpu 4GiB --timeout 60")
    return RunWish(cards, args.python, args.timeout, _size(args.memory), _arguments(args.arguments))


def _size(text: str) -> int:
    try:
        return parse_bytes(text)
    except ValueError as error:
        raise UsageError(f"--memory: {error}", help="such as --memory 8GiB") from None


def _arguments(path: str | None) -> dict[str, tuple[str, ...]]:
    """The command lines in a file; raises `UsageError` where one is no list of strings."""
    if path is None:
        return {}
    table = toml.parse(files.read(path, files.CONFIGURATION, help="name a TOML file").decode("utf-8", "replace"), path).get("arguments", {})
    if not isinstance(table, dict) or not all(isinstance(v, list) and all(isinstance(w, str) for w in v) for v in table.values()):
        raise UsageError(f"{path}: [arguments] maps patterns to lists of strings", help='such as "train*.py" = ["--epochs", "1"]')
    return {pattern: tuple(words) for pattern, words in table.items()}


class _Progress:
    """A line on stderr that counts, where that is a terminal."""

    def __init__(self) -> None:
        self.live = sys.stderr is not None and sys.stderr.isatty()
        self.shown, self.failed = 0.0, 0

    def show(self, found: list[FileFacts]) -> None:
        """Takes note of the newest, and writes the line now and then."""
        last = found[-1]
        self.failed += last.state is State.FAILED or (last.run is not None and last.run.outcome != "ran")
        now = time.monotonic()
        if self.live and now - self.shown > EVERY:
            self.shown = now
            output.complain(f"\rtheanodiag: {len(found)} files, {self.failed} failed\x1b[K")

    def end(self) -> None:
        """Takes the line away."""
        if self.live and self.shown:
            output.complain("\r\x1b[K")
