"""`theanodiag check A.py B.py`: each script in a process of its own, as `scan --run` does it, with all options of `check`."""

from __future__ import annotations

import dataclasses
import os
import sys
from typing import TYPE_CHECKING

from ..errors import ExitCode, UsageError
from ..findings import Severity
from ..report import listings, scanned
from ..report import several as report
from . import output, scan, selecting
from .parameters import Arguments

if TYPE_CHECKING:
    from ..requests import CheckRequest
    from ..rules.selection import Selection

FORMATS = (*output.FORMATS, "html", *listings.FORMATS)
ALONE = ("log", "fix", "diff", "calibrate", "confirm", "function")
"""Options about one script."""


def require_suited(args: Arguments) -> None:
    """Raises `UsageError` for an option that says nothing about several scripts."""
    for name in ALONE:
        if name in args.given:
            raise UsageError(
                f"--{name} is about one script, and {len(args.models)} are named", help="name one, or leave it out", option=name
            )
    if args.format not in FORMATS:
        raise UsageError(f"--format {args.format} is of one script, and {len(args.models)} are named", help=f"one of {', '.join(FORMATS)}")


def check(args: Arguments, request: CheckRequest, wanted: Selection) -> ExitCode:
    """Checks them and prints a verdict each: 53 where one does not fit, 3 where one did not run, 1 where there are findings, else 0."""
    from ..requests import FOUND, RunRequest
    from ..workflows.scan_repository import is_bad
    from ..workflows.scan_repository import scan as read
    from ..workflows.scan_watch import Watch
    from ..workflows.scan_workers import Workers
    from .progress import Progress

    card = args.gpu if args.gpu is not None else FOUND
    run = RunRequest((card,), request, memory_bytes=None, sandboxed=False, named=True)
    watch = Watch()
    with Progress(f"running {', '.join(args.models)}", watch.text):
        found = list(read(args.models, workers=Workers(min(len(args.models), os.cpu_count() or 1), None), run=run, watch=watch))
    found = [dataclasses.replace(f, findings=()) for f in sorted(found, key=lambda f: f.path)]  # what reading alone finds is scan's
    shown = selecting.chosen(scanned.findings(found), args, wanted)
    if args.format == "text":
        color = output.has_color(sys.stdout) and args.output in (None, "-")
        kept = scanned.with_findings(found, shown)
        output.deliver(report.text(kept, width=output.width(), color=color, verbose=args.verbose), args.output)
    else:
        scan.deliver(found, shown, args, args.models)
    if any(scanned.too_large(f) for f in found):
        return ExitCode.OUT_OF_MEMORY
    if any(is_bad(f) or f.run is None or any(c.peak_bytes is None for c in f.run.cards.values()) for f in found):
        return ExitCode.UNREADABLE
    return ExitCode.FINDINGS if any(f.severity >= Severity[args.fail_on.upper()] for f in shown) else ExitCode.CLEAN
