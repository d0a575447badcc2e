"""TD228: a setting that another one overrides

What it finds
    Entries that lose: the variable beats the files, a later file beats an earlier one, in the variable the last one counts.

Why it matters
    A change to the line that loses has no effect.

Example
    `floatX = float64` in the file and `THEANO_FLAGS=floatX=float32`.

What to do
    Change the one that wins, or take the other out.

Limits
    Only where the two differ.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding for each entry that loses to a different text."""
    for w in s.written:
        winner = s.winner(w.flag.dotted) if w.flag else None
        if winner and winner is not w and w.value is not None and winner.value != w.value:
            message = f"{w.shown} = {w.value} has no effect: {winner.key_span} sets {winner.value}"
            yield finding("TD228", Severity.INFO, w, message, fix(f"change {winner.key_span} instead"))


RULE = Rule(
    "TD228",
    "overridden",
    check,
    __doc__,
    fires=lambda: config("[global]\nfloatX = float64\n", flags="floatX=float32"),
    silent=lambda: config("[global]\nfloatX = float32\n", flags="floatX=float32"),
)
