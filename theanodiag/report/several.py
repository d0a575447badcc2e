"""What `theanodiag check A.py B.py` says: a verdict a script, with its findings below, and how many fit."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Sequence

from ..findings import Severity
from ..inventory.model import FileFacts
from .page import Page, Text
from .terminal import print_finding

STYLES = {True: "bold green", False: "bold red", None: "bold yellow"}


def text(scripts: Sequence[FileFacts], *, width: int, color: bool, verbose: bool = False) -> str:
    """The verdicts, `width` columns wide; findings that are remarks are counted, and shown where `verbose`."""
    out = io.StringIO()
    console = Page(out, color, width)
    for script in scripts:
        for line, style in verdicts(script):
            console.print(Text.assemble((f"{script.path}: ", "bold"), (line, style)))
        found = script.run.findings if script.run else ()
        shown = [f for f in found if verbose or f.severity > Severity.INFO]
        for finding in sorted(shown, key=lambda f: -f.severity):
            print_finding(console, finding)
        if len(shown) < len(found):
            console.print(f"  {len(found) - len(shown)} more of little effect: --verbose")
        console.print()
    console.print(Text(summary(scripts)))
    return out.getvalue()


def verdicts(script: FileFacts) -> Iterator[tuple[str, str]]:
    """A line, and its style, for each device that a script was checked for; one where it did not run."""
    run = script.run
    if run is None:
        yield f"not read: {script.reason}", "bold red"
    elif run.outcome != "ran":
        yield ": ".join(filter(None, (run.outcome, run.reason))), "bold red"
    else:
        for card in run.cards.values():
            yield card.verdict, STYLES[False if card.peak_bytes is None else card.fits]


def summary(scripts: Sequence[FileFacts]) -> str:
    """How many fit, and how many are not known to."""
    cards = [card for s in scripts if s.run and s.run.outcome == "ran" for card in s.run.cards.values()]
    fits = Counter(card.fits for card in cards if card.peak_bytes is not None)
    without, ended = sum(card.peak_bytes is None for card in cards), len(scripts) - len(cards)
    counts = {"fit": fits[True], "do not fit": fits[False], "may not fit": fits[None], "compile no function": without, "did not run": ended}
    told = [f"{n} of {len(scripts)} {what}" for what, n in counts.items() if n]
    return f"{', '.join(told)}. For the full report on one script: theanodiag check with that script alone."
