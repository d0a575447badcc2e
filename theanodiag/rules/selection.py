"""Selects which findings are shown: by `--select` and `--ignore` with codes or their beginnings, per file, and by comments in sources."""

from __future__ import annotations

import difflib
import fnmatch
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ..errors import Span, UsageError
from ..findings import Confidence, Finding, Results, Severity
from ..porting.model import Ignore


@dataclass(frozen=True)
class Selection:
    """The user's selection; an entry may be a prefix of codes, such as `TD5`."""

    select: tuple[str, ...] = ()
    """Codes to show; empty: all."""
    ignore: tuple[str, ...] = ()
    """Codes not to show."""
    by_file: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """(Pattern of paths, such as `old/*.py`; codes that are ignored in files that match)."""
    folder: str = ""
    """Folder to which the patterns are relative."""

    def wants(self, code: str) -> bool:
        """Returns whether findings with this code are shown; if entries conflict, the longer one decides."""
        chosen = max((len(c) for c in self.select if code.startswith(c)), default=-1 if self.select else 0)
        refused = max((len(c) for c in self.ignore if code.startswith(c)), default=-1)
        return chosen > refused

    def refusal(self, f: Finding) -> str | None:
        """Returns why a finding is not shown; None if it is shown."""
        if not self.wants(f.code):
            return "not selected"
        path = os.path.relpath(f.location.path, self.folder) if self.by_file else ""
        inside = path.replace(os.sep, "/")
        pattern = next((p for p, codes in self.by_file if f.code.startswith(codes) and _matches(inside, p)), None)
        return None if pattern is None else f"per-file-ignores: {pattern}"


@dataclass(frozen=True)
class Sorted:
    """Findings to show, findings left out, and unused ignore comments."""

    shown: tuple[Finding, ...]
    """Findings to show, in order."""
    ignored: tuple[tuple[Finding, str], ...]
    """Findings left out, each with the reason: `not selected`, or place and reason of the comment."""
    unused: tuple[tuple[str, Ignore], ...]
    """(Path, comment) of comments that silenced nothing."""


def _matches(path: str, pattern: str) -> bool:
    """Whether a pattern matches a relative path, or its last component."""
    return fnmatch.fnmatchcase(path, pattern) or fnmatch.fnmatchcase(path.rpartition("/")[2], pattern)


def codes(text: str | None, option: str) -> tuple[str, ...]:
    """Returns the codes in the value of `--select` or `--ignore` (`TD5,TD301`).

    Raises UsageError, with a suggestion, for a text that is not the beginning of any rule's code.
    """
    whole = text or ""
    codes = tuple(part.strip() for part in whole.split(",") if part.strip())
    if not codes:
        return ()
    from .registry import all_rules  # which imports every rule

    known = [r.code for r in all_rules()]
    for code in codes:
        if not any(k.startswith(code.upper()) for k in known):
            near = difflib.get_close_matches(code.upper(), known, 1, 0.5)
            help = f"did you mean {near[0]}? " if near else ""
            at = whole.index(code)
            span = Span(option, whole, at, at + len(code))
            raise UsageError(
                f"no rule begins with {code!r}",
                span=span,
                help=f"{help}theanodiag rules lists them",
                option=option.strip("-").replace("-", "_"),
            )
    return tuple(code.upper() for code in codes)


def sort_out(findings: Iterable[Finding], wanted: Selection, comments: Mapping[str, tuple[Ignore, ...]]) -> Sorted:
    """Sorts findings into shown and left out, worst first (`order`); `comments` are the ignore comments by path."""
    shown, left, used = [], [], set()
    for f in findings:
        by = next((i for i in comments.get(f.location.path, ()) if i.covers(f.code, f.location.line)), None)
        refusal = wanted.refusal(f)
        if refusal is not None:
            left.append((f, refusal))
        elif by is not None:
            used.add((f.location.path, by))
            left.append((f, f"{f.location.path}:{by.line}: {by.reason or 'no reason given'}"))
        else:
            shown.append(f)
    others = ((path, i) for path, rows in comments.items() for i in rows)
    unused = tuple((p, i) for p, i in others if (p, i) not in used and all(map(wanted.wants, i.codes)))
    return Sorted(tuple(sorted(shown, key=order)), tuple(left), unused)


def ranked(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Returns the findings, most severe first (`order`). If a finding with exact figures makes the script fit, findings with bounded
    figures become INFO, except for the codes in `STAYING`, whose savings do not depend on the batch.
    """
    findings = tuple(findings)
    exact = any(f.cures and f.confidence >= Confidence.DERIVED and f.severity >= Severity.WARNING for f in findings)
    return tuple(sorted((_beside_exact(f) if exact else f for f in findings), key=order))


def _beside_exact(f: Finding) -> Finding:
    """The finding as INFO if it is a WARNING that makes the script fit only by bounded figures and its code is not in `STAYING`."""
    stays = f.code in STAYING or (f.code == "TD320" and f.cost is not None and not f.cost.work)  # a dot in place of a broadcast
    bounded = f.cures and f.confidence < Confidence.DERIVED and f.severity is Severity.WARNING and not stays
    return replace(f, severity=Severity.INFO) if bounded else f


PRICES = {
    "TD310": 0, "TD311": 0, "TD401": 0, "TD331": 1, "TD330": 1, "TD323": 1, "TD324": 1, "TD326": 2, "TD328": 2, "TD329": 2, "TD320": 2,
    "TD321": 2, "TD334": 1, "TD335": 1, "TD336": 1, "TD314": 4, "TD325": 4,
}  # fmt: skip
"""Rule -> effort of its fix: 0 for a flag, 1 or 2 for some lines of code, 4 for time in each call. Other rules (`USUAL`) change the
batch or copy data."""
USUAL = 3
USUALLY_MEANT = ("TD401",)
"""Rules whose change gives what is usually meant: float64 is the default of floatX, and float32 what a GPU is for."""
EFFECTS = {Results.SAME: 0, Results.ROUNDED: 0, Results.SAME_FOR_MEANS: 0, Results.TRAINED_OTHERWISE: 1}
"""Effect on the results -> its rank: the same, then those of other training, such as a smaller batch; others (2) are worse results."""
STAYING = ("TD326", "TD328", "TD329", "TD334", "TD335", "TD336")


def order(f: Finding) -> tuple[float, ...]:
    """Returns the sort key of a finding. First comes the highest severity; then fixes that make the script fit (with the same results, with
    other training, with worse results; each from cheap to expensive); then most bytes saved; then most seconds saved.
    """
    saves = f.saves
    price = PRICES.get(f.code, USUAL) if f.cures else 0
    effect = EFFECTS.get(f.cost.results, 2) if f.cures and f.cost is not None and f.code not in USUALLY_MEANT else 0
    return (-f.severity, not f.cures, effect, price, -(saves.bytes if saves else 0), -(saves.seconds if saves else 0.0))
