"""`--select`, `--ignore` and comments in the sources, for commands that show findings."""

from __future__ import annotations

import dataclasses
import io
import tokenize
from typing import TYPE_CHECKING

from .. import files
from . import baseline
from .parameters import Arguments, Option

if TYPE_CHECKING:
    from ..findings import Finding
    from ..porting.ignores import Ignore
    from ..report.model import Report
    from ..rules.selection import Selection


def parameters() -> tuple[Option, ...]:
    """The options."""
    return (
        Option("--select", metavar="CODE[,CODE]", help="show only these findings; prefixes are accepted, such as TD5"),
        Option("--ignore", metavar="CODE[,CODE]", help="leave these findings out"),
        *baseline.parameters(),
    )  # fmt: skip


def selection(args: Arguments) -> Selection:
    """What was asked for; raises `UsageError` for codes that no rule has."""
    from ..rules.selection import Selection, codes

    found = args.settings
    assert found is not None, "only commands that read a configuration show findings"
    patterns: dict[str, list[str]] = found.values.get("per_file_ignores", {})
    by_file = tuple((pattern, codes(",".join(listed), "per-file-ignores")) for pattern, listed in patterns.items())
    return Selection(codes(args.select, "--select"), codes(args.ignore, "--ignore"), by_file, found.folder)


def applied(report: Report, args: Arguments, wanted: Selection, *, comments: bool = True) -> Report:
    """The report with its findings sorted out, and in their order; what the baseline knows is among those left out."""
    from ..rules.registry import IGNORE_RULES
    from ..rules.selection import sort_out
    from ..rules.unused_ignores import UnusedSubject

    found = sort_out(report.findings, wanted, read(report) if comments else {})
    unused = [f for rule in IGNORE_RULES for f in rule.check(UnusedSubject(found.unused)) if wanted.wants(f.code)]
    every = (*found.shown, *unused)
    rows = list(zip(every, baseline.known(args, every)))
    old = tuple((f, f"known: {args.baseline}") for f, is_known in rows if is_known)
    return dataclasses.replace(report, findings=tuple(f for f, is_known in rows if not is_known), ignored=(*found.ignored, *old))


def read(report: Report) -> dict[str, tuple[Ignore, ...]]:
    """The comments of the script and of the other sources in which findings are."""
    from ..porting.ignores import read_ignores

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


def chosen(findings: tuple[Finding, ...], args: Arguments, wanted: Selection) -> tuple[Finding, ...]:
    """Those that are wanted and that the baseline does not know, in the order in which they come."""
    rows = tuple(f for f in findings if wanted.refusal(f) is None)
    return tuple(f for f, is_known in zip(rows, baseline.known(args, rows)) if not is_known)
