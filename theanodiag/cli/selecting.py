"""`--select`, `--ignore` and comments in the sources, for commands that show findings."""

from __future__ import annotations

import argparse
import dataclasses
import io
import tokenize
from typing import TYPE_CHECKING

from .. import files

if TYPE_CHECKING:
    from ..findings import Finding
    from ..report.model import Report
    from ..rules.selection import Selection
    from ..source.ignores import Ignore


def prepare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("--select", metavar="CODE[,CODE]", help="show only these findings; the beginning of a code will do, such as TD5")
    parser.add_argument("--ignore", metavar="CODE[,CODE]", help="leave these findings out")


def selection(args: argparse.Namespace) -> Selection:
    """What was asked for; raises `UsageError` for codes that no rule has."""
    from ..rules.selection import Selection, codes

    return Selection(codes(args.select, "--select"), codes(args.ignore, "--ignore"))


def applied(report: Report, wanted: Selection, *, comments: bool = True) -> Report:
    """The report with its findings sorted out, and in their order."""
    from ..rules.coverage.td002_unused_ignore import UnusedSubject
    from ..rules.registry import IGNORE_RULES
    from ..rules.selection import sort_out

    found = sort_out(report.findings, wanted, read(report) if comments else {})
    unused = [f for rule in IGNORE_RULES for f in rule.check(UnusedSubject(found.unused)) if wanted.wants(f.code)]
    return dataclasses.replace(report, findings=(*found.shown, *unused), ignored=found.ignored)


def read(report: Report) -> dict[str, tuple[Ignore, ...]]:
    """The comments of the script and of the other sources in which findings are."""
    from ..source.ignores import read_ignores

    paths = {report.target.model, *(f.location.path for f in report.findings if f.location.path.endswith(".py"))}
    return {path: read_ignores(text) for path in sorted(paths) if (text := source(path)) is not None}


def source(path: str) -> str | None:
    """The text of a source in its own encoding; None where it cannot be read."""
    try:
        data = files.read_plain(path, files.TEXT)
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return io.TextIOWrapper(io.BytesIO(data), encoding).read()
    except (OSError, SyntaxError, ValueError):
        return None


def chosen(findings: tuple[Finding, ...], wanted: Selection) -> tuple[Finding, ...]:
    """Those that are wanted, in the order in which they come."""
    return tuple(f for f in findings if wanted.wants(f.code))
