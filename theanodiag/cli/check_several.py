"""`theanodiag check A.py B.py`: checks each script in its own process, as `scan --run` does, with all options of `check`."""

from __future__ import annotations

import dataclasses
import io
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..errors import ExitCode, UsageError
from ..findings import Severity
from ..report import listings, scanned
from ..report.rich_text import Page, Text
from ..report.terminal import print_finding
from ..scanned_files.model import FileFacts
from . import finding_filters, output, scan
from .parameters import Arguments

if TYPE_CHECKING:
    from ..requests import CheckRequest
    from ..rules.selection import Selection

FORMATS = (*output.FORMATS, "html", *listings.FORMATS)
ALONE = ("log", "fix", "diff", "calibrate", "confirm", "function")
"""Options that apply only to a single script."""


def require_suited(args: Arguments) -> None:
    """Raises `UsageError` for an option that does not apply to several scripts."""
    for name in ALONE:
        if name in args.given:
            raise UsageError(
                f"--{name} is for a single script, but {len(args.models)} are given", help="name one, or leave it out", option=name
            )
    if args.format not in FORMATS:
        raise UsageError(
            f"--format {args.format} is for a single script, but {len(args.models)} are given", help=f"one of {', '.join(FORMATS)}"
        )


def check(args: Arguments, request: CheckRequest, wanted: Selection) -> ExitCode:
    """Checks the scripts and prints a verdict for each. Returns the exit code: 53 if one does not fit, else 3 if one did not run, else 1 if
    there are findings, else 0.
    """
    from ..requests import FOUND, RunRequest
    from ..workflows.scan_repository import is_bad
    from ..workflows.scan_repository import scan as read
    from ..workflows.scan_workers import Watch, Workers
    from .progress import Progress

    card = args.gpu if args.gpu is not None else FOUND
    run = RunRequest((card,), request, memory_bytes=None, sandboxed=False, named=True)
    watch = Watch()
    with Progress(f"running {', '.join(args.models)}", watch.text):
        facts = list(read(args.models, workers=Workers(min(len(args.models), os.cpu_count() or 1), None), run=run, watch=watch))
    facts = [dataclasses.replace(f, findings=()) for f in sorted(facts, key=lambda f: f.path)]  # what reading alone finds is scan's
    shown = finding_filters.chosen(scanned.findings(facts), args, wanted)
    if args.format == "text":
        color = output.has_color(sys.stdout) and args.output in (None, "-")
        kept = scanned.with_findings(facts, shown)
        output.deliver(text(kept, width=output.width(), color=color, verbose=args.verbose), args.output, _counts(facts))
    else:
        scan.deliver(facts, shown, args, args.models, _counts(facts), named=True)
    if any(scanned.too_large(f) for f in facts):
        return ExitCode.OUT_OF_MEMORY
    if any(is_bad(f) or f.run is None or any(c.peak_bytes is None for c in f.run.cards.values()) for f in facts):
        return ExitCode.UNREADABLE
    return ExitCode.FINDINGS if any(f.severity >= Severity[args.fail_on.upper()] for f in shown) else ExitCode.CLEAN


STYLES = {True: "bold green", False: "bold red", None: "bold yellow"}


def text(scripts: Sequence[FileFacts], *, width: int, color: bool, verbose: bool = False) -> str:
    """Returns the verdicts as text of `width` columns. Findings of severity info are shown with `verbose`, and otherwise only counted."""
    out = io.StringIO()
    console = Page(out, color, width)
    for script in scripts:
        for line, style in verdicts(script):
            console.print(Text.assemble((f"{script.path}: ", "bold"), (line, style)))
        findings = script.run.findings if script.run else ()
        shown = [f for f in findings if verbose or f.severity > Severity.INFO]
        for finding in sorted(shown, key=lambda f: -f.severity):
            print_finding(console, finding)
        if len(shown) < len(findings):
            n = len(findings) - len(shown)
            console.print(f"  {n} more finding{'s' * (n > 1)} of little effect: --verbose")
        console.print()
    console.print(Text(summary(scripts)))
    return out.getvalue()


def verdicts(script: FileFacts) -> Iterator[tuple[str, str]]:
    """Returns a line and its style for each device on which a script was checked; only one line if the script did not run."""
    run = script.run
    if run is None:
        yield f"not read: {script.reason}", "bold red"
    elif run.outcome != "ran":
        yield ": ".join(filter(None, (run.outcome, run.reason))), "bold red"
    else:
        for card in run.cards.values():
            yield card.verdict, STYLES[False if card.peak_bytes is None else card.fits]


def summary(scripts: Sequence[FileFacts]) -> str:
    """Returns how many scripts fit, for how many this is unknown, and how to see more."""
    return f"{_counts(scripts)}. For the full report on one script: theanodiag check with that script alone."


def _counts(scripts: Sequence[FileFacts]) -> str:
    cards = [card for s in scripts if s.run and s.run.outcome == "ran" for card in s.run.cards.values()]
    fits = Counter(card.fits for card in cards if card.peak_bytes is not None)
    without, ended = sum(card.peak_bytes is None for card in cards), len(scripts) - len(cards)
    counts = {"fit": fits[True], "do not fit": fits[False], "may not fit": fits[None], "compile no function": without, "did not run": ended}
    parts = [f"{n} of {len(scripts)} {what}" for what, n in counts.items() if n]
    return ", ".join(parts)
