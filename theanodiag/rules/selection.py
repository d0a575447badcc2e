"""Which findings are wanted: `--select` and `--ignore` with codes or their beginnings, and comments in the sources."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ..errors import UsageError
from ..findings import Confidence, Finding, Severity
from ..source.ignores import Ignore
from .registry import all_rules


@dataclass(frozen=True)
class Selection:
    """What the command line asks for; codes may be beginnings of codes, such as `TD5`."""

    select: tuple[str, ...] = ()
    """Empty: everything."""
    ignore: tuple[str, ...] = ()

    def wants(self, code: str) -> bool:
        """Whether findings of that code are shown; the longer of two that say the opposite decides."""
        chosen = max((len(c) for c in self.select if code.startswith(c)), default=-1 if self.select else 0)
        refused = max((len(c) for c in self.ignore if code.startswith(c)), default=-1)
        return chosen > refused


@dataclass(frozen=True)
class Sorted:
    """Findings to show, those left out, and the comments that silenced none."""

    shown: tuple[Finding, ...]
    ignored: tuple[tuple[Finding, str], ...]
    """With why: `--ignore`, or the comment's place and reason."""
    unused: tuple[tuple[str, Ignore], ...]
    """Path and comment."""


def codes(text: str | None, option: str) -> tuple[str, ...]:
    """The codes of `--select TD5,TD301`. Raises UsageError, with what may have been meant, where no rule begins like that."""
    found = tuple(part.strip().upper() for part in (text or "").split(",") if part.strip())
    known = [r.code for r in all_rules()] if found else []
    for code in found:
        if not any(k.startswith(code) for k in known):
            near = difflib.get_close_matches(code, known, 1, 0.5)
            help = f"did you mean {near[0]}? " if near else ""
            raise UsageError(f"{option}: no rule begins with {code!r}", help=f"{help}theanodiag rules lists them")
    return found


def sort_out(findings: Iterable[Finding], wanted: Selection, comments: Mapping[str, tuple[Ignore, ...]]) -> Sorted:
    """What of the findings is shown, the worst first and by what they save."""
    shown, left, used = [], [], set()
    for f in findings:
        by = next((i for i in comments.get(f.location.path, ()) if i.covers(f.code, f.location.line)), None)
        if not wanted.wants(f.code):
            left.append((f, "not selected on the command line"))
        elif by is not None:
            used.add((f.location.path, by))
            left.append((f, f"{f.location.path}:{by.line}: {by.reason or 'no reason given'}"))
        else:
            shown.append(f)
    others = ((path, i) for path, rows in comments.items() for i in rows)
    unused = tuple((p, i) for p, i in others if (p, i) not in used and all(map(wanted.wants, i.codes)))
    return Sorted(tuple(sorted(shown, key=order)), tuple(left), unused)


def ranked(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings in their order; a cure of which the figures are bounds is a remark where there is one with exact figures."""
    found = tuple(findings)
    exact = any(f.cures and f.confidence >= Confidence.DERIVED and f.severity >= Severity.WARNING for f in found)
    return tuple(sorted((_beside_exact(f) if exact else f for f in found), key=order))


def _beside_exact(f: Finding) -> Finding:
    bounded = f.cures and f.confidence < Confidence.DERIVED and f.severity is Severity.WARNING
    return replace(f, severity=Severity.INFO) if bounded else f


def order(f: Finding) -> tuple[float, ...]:
    """Errors first; among equals what makes a script fit, then what saves most bytes, then most seconds."""
    saves = f.saves
    return (-f.severity, not f.cures, -(saves.bytes if saves else 0), -(saves.seconds if saves else 0.0))
