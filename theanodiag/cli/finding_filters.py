"""`--select`, `--ignore`, `--baseline` and ignore comments, for commands that show findings."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import tokenize
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .. import files
from ..errors import UnreadableError, UsageError
from . import output
from .parameters import Arguments, Option, switch

if TYPE_CHECKING:
    from ..findings import Finding
    from ..porting.model import Ignore
    from ..report.model import Report
    from ..rules.selection import Selection


def baseline_options() -> tuple[Option, ...]:
    """Returns the options that belong to `--baseline`."""
    return (
        Option("--baseline", metavar="FILE",
            help="a file of known findings (see --update-baseline), which are not shown and do not count for --fail-on"),
        switch("--update-baseline", help="write the findings of this run to the file of --baseline"),
    )  # fmt: skip


def in_baseline(args: Arguments, findings: Sequence[Finding]) -> list[bool]:
    """Returns for each finding whether the baseline contains it; True for all if the baseline was just written.

    Writes to stderr which findings of the baseline no longer occur. Raises `UnreadableError` for a file that is not a baseline.
    """
    path: str | None = args.baseline
    before, known = _known(args)
    if path is None:
        return [False] * len(findings)
    from .known_files import fingerprints, with_old_names

    names = fingerprints(path, findings)
    if args.update_baseline:
        from .atomic_write import write_atomically

        write_atomically(path, _document(zip(names, findings), os.path.dirname(path)).encode("utf-8"), before=before)
        output.note(f"{path}: written; known findings: {len(findings)}")
        return [True] * len(findings)
    found = with_old_names(path, known, findings, names)
    gone = len(set(known).difference(found))
    if gone:
        output.note(f"{path}: {gone} of its {len(known)} findings no longer occur; --update-baseline removes them")
    return [name in known for name in found]


def _known(args: Arguments) -> tuple[bytes | None, dict[str, str]]:
    """The text of the baseline, None if there is none yet, and its fingerprints, each with the path of its file.

    Raises `UsageError` for --update-baseline alone, `UnreadableError` for a file that is no baseline.
    """
    path: str | None = args.baseline
    if path is None and args.update_baseline:
        raise UsageError("--update-baseline needs --baseline FILE", help="name one with --baseline FILE")
    if path is None or (args.update_baseline and not os.path.lexists(path)):
        return None, {}
    before = files.read(path, files.TEXT, help="--update-baseline makes it")
    return before, _read(before, path)


def _read(data: bytes, path: str) -> dict[str, str]:
    """The fingerprints of a baseline, each with the path of its file."""
    from ..report.v1 import common
    from ..report.v1.short import BaselineV1

    try:
        return {row.fingerprint: row.path for row in common.read(data, BaselineV1).findings}
    except ValueError as error:
        raise UnreadableError(f"this is not a baseline file: {error}", path=path, help="name a file that --update-baseline wrote") from None


def _document(rows: Iterable[tuple[str, Finding]], folder: str) -> str:
    """The file: in the order of code, place and fingerprint, so that a change of it is easy to read."""
    from ..report.listings.model import is_file
    from ..report.v1 import common
    from ..report.v1.short import BaselineV1, KnownFindingV1

    entries = [
        KnownFindingV1(f.code, os.path.relpath(f.location.path, folder) if is_file(f.location) else f.location.path, name)
        for name, f in rows
    ]
    entries.sort(key=lambda row: (row.code, row.path, row.fingerprint))
    return json.dumps(common.builtins(BaselineV1("theanodiag/baseline/v1", entries)), indent=1) + "\n"


def parameters() -> tuple[Option, ...]:
    """Returns the options that select findings."""
    return (
        Option("--select", metavar="CODE[,CODE]", help="show only these findings; prefixes are accepted, such as TD5"),
        Option("--ignore", metavar="CODE[,CODE]", help="do not show these findings"),
        *baseline_options(),
    )  # fmt: skip


def selection(args: Arguments) -> Selection:
    """Returns the selection that the command line makes. Raises `UsageError` for unknown codes, and the errors of a baseline that cannot be
    used.
    """
    from ..rules.selection import Selection, codes

    _known(args)  # before hours of work
    settings = args.settings
    assert settings is not None, "only commands that read a configuration show findings"
    patterns: dict[str, list[str]] = settings.values.get("per_file_ignores", {})
    by_file = tuple((pattern, codes(",".join(listed), "per-file-ignores")) for pattern, listed in patterns.items())
    return Selection(codes(args.select, "--select"), codes(args.ignore, "--ignore"), by_file, settings.folder)


def applied(report: Report, args: Arguments, wanted: Selection, *, comments: bool = True) -> Report:
    """Returns the report with only the selected findings, in order; findings in the baseline become ignored findings."""
    from ..rules.registry import IGNORE_RULES
    from ..rules.selection import sort_out
    from ..rules.unused_ignores import UnusedSubject

    sorting = sort_out(report.findings, wanted, read(report) if comments else {})
    unused = [f for rule in IGNORE_RULES for f in rule.check(UnusedSubject(sorting.unused)) if wanted.wants(f.code)]
    every = (*sorting.shown, *unused)
    rows = list(zip(every, in_baseline(args, every)))
    old = tuple((f, f"known: {args.baseline}") for f, is_known in rows if is_known)
    return dataclasses.replace(report, findings=tuple(f for f, is_known in rows if not is_known), ignored=(*sorting.ignored, *old))


def read(report: Report) -> dict[str, tuple[Ignore, ...]]:
    """Reads the ignore comments of the script and of other sources with findings."""
    from ..porting.model import read_ignores

    paths = {report.target.model, *(f.location.path for f in report.findings if f.location.path.endswith(".py") or f.location.cell)}
    return {path: read_ignores(text) for path in sorted(paths) if (text := source(path)) is not None}


def source(path: str) -> str | None:
    """Returns the text of a source in its own encoding, or the code of a notebook's cell; None if it cannot be read."""
    from ..findings import Location
    from ..porting.notebook import cell_code

    try:
        if Location(path).cell:
            return cell_code(Location(path))
        data = files.read_plain(path, files.TEXT)
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return io.TextIOWrapper(io.BytesIO(data), encoding).read()
    except (OSError, SyntaxError, ValueError, UnreadableError):
        return None


def chosen(findings: tuple[Finding, ...], args: Arguments, wanted: Selection) -> tuple[Finding, ...]:
    """Returns the selected findings that are not in the baseline, in the given order."""
    rows = tuple(f for f in findings if wanted.refusal(f) is None)
    return tuple(f for f, is_known in zip(rows, in_baseline(args, rows)) if not is_known)
