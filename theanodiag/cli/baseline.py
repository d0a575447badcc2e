"""`--baseline FILE`: findings that are known already do not fail; `--update-baseline` writes those of today into the file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import files
from ..errors import UnreadableError, UsageError
from . import output
from .parameters import Arguments, Option, switch

if TYPE_CHECKING:
    from ..findings import Finding


def parameters() -> tuple[Option, ...]:
    """The options."""
    return (
        Option("--baseline", metavar="FILE",
            help="a file of known findings (see --update-baseline): they are left out and do not count for --fail-on"),
        switch("--update-baseline", help="write the findings of this run to the file of --baseline"),
    )  # fmt: skip


def known(args: Arguments, findings: Sequence[Finding]) -> list[bool]:
    """Of each finding whether the baseline has it; all are known where it was written anew.

    Says on stderr what of the baseline is found no more. Raises `UnreadableError` for a file that is no baseline.
    """
    path: str | None = args.baseline
    if path is None:
        if args.update_baseline:
            raise UsageError("--update-baseline: no file is named", help="name one with --baseline FILE")
        return [False] * len(findings)
    names = fingerprints(path, findings)
    before = _text(path) if os.path.lexists(path) or not args.update_baseline else None
    listed = set() if before is None else _read(before, path)
    if args.update_baseline:
        from .atomic import write_atomically

        write_atomically(path, _document(zip(names, findings), os.path.dirname(path)).encode("utf-8"), before=before)
        output.note(f"{path}: written; known findings: {len(findings)}")
        return [True] * len(findings)
    gone = len(listed.difference(names))
    if gone:
        output.note(f"{path}: {gone} of its {len(listed)} findings are not found any more; --update-baseline removes them")
    return [name in listed for name in names]


def fingerprints(path: str, findings: Iterable[Finding]) -> list[str]:
    """The findings' fingerprints as seen from the folder of the baseline, so that they are the same from wherever a command runs."""
    from ..report.listings.model import Listing

    folder = os.path.dirname(os.path.abspath(path))
    return [name for _, name in Listing(tuple(map(_absolute, findings)), folder).fingerprints()]


def _absolute(f: Finding) -> Finding:
    from ..report.listings.model import is_file

    return replace(f, location=replace(f.location, path=os.path.abspath(f.location.path))) if is_file(f.location) else f


def _text(path: str) -> bytes:
    return files.read(path, files.TEXT, help="--update-baseline makes it")


def _read(data: bytes, path: str) -> set[str]:
    """The fingerprints of a baseline."""
    from ..report.v1 import parts  # msgspec is imported only where JSON is read
    from ..report.v1.short import BaselineV1

    try:
        return {row.fingerprint for row in parts.read(data, BaselineV1).findings}
    except ValueError as error:
        raise UnreadableError(f"this is no baseline: {error}", path=path, help="name a file that --update-baseline wrote") from None


def _document(rows: Iterable[tuple[str, Finding]], folder: str) -> str:
    """The file: in the order of code, place and fingerprint, so that a change of it is easy to read."""
    from ..report.listings.model import is_file
    from ..report.v1 import parts
    from ..report.v1.short import BaselineV1, KnownFindingV1

    found = [
        KnownFindingV1(f.code, os.path.relpath(f.location.path, folder) if is_file(f.location) else f.location.path, name)
        for name, f in rows
    ]
    found.sort(key=lambda row: (row.code, row.path, row.fingerprint))
    return json.dumps(parts.builtins(BaselineV1("theanodiag/baseline/v1", found)), indent=1) + "\n"
