"""Scores explain-log on labelled logs: `python -m tests.logs.score FOLDER`.

FOLDER has `labels.tsv` and a file `ID.txt` for each row. The columns of a row, apart by tabulators, after one row of headings:

    id  source  cause  bytes  solution  advice

`cause` names the causes that count as right, apart by `/` or `,`; words in parentheses are a remark. `bytes` is the size of the request,
empty where the log has none. `solution` says what ended the trouble, for people. `advice`, which may be left out, is a regular expression
that advice which would have led there has somewhere.

Printed are a row for each log that is not right in everything, and the counts. Exit code 1 where a wrong cause is stated of any.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from theanodiag.logs import Cause, Diagnosis, explain_log

NAMES = {
    "model:start-values": "start-values",
    "model:nan": "not-finite",
    "model:zero gradient": "zero-gradient",
    "graph:missing input": "missing-input",
    "usage main guard": "process-lost",
    "recursion": "recursion-limit",
    "config:lib.cnmem = true": "configuration",
    "blas": "blas-settings",
}
"""What labels call causes that have another name in JSON."""
NOTHING = "no error"
KNOWN = {cause.value for cause in Cause} | {NOTHING}


@dataclass(frozen=True)
class Label:
    """What is known of a log."""

    name: str
    causes: frozenset[str]
    bytes: int | None
    solution: str
    advice: str | None
    """A pattern; None where advice is not judged."""


@dataclass(frozen=True)
class Score:
    """What the tool says of a log, judged by its label."""

    label: Label
    diagnosis: Diagnosis | None

    @property
    def stated(self) -> str:
        """The cause that is stated."""
        return NOTHING if self.diagnosis is None else self.diagnosis.cause.value

    @property
    def cause(self) -> str:
        """Whether the cause is `right`, `wrong` or `unknown`."""
        if self.stated in self.label.causes:
            return "right"
        return "unknown" if self.diagnosis is None or self.diagnosis.cause is Cause.NOT_RECOGNISED else "wrong"

    @property
    def bytes(self) -> str:
        """Whether the size of the request is `right` or `wrong`."""
        request = self.diagnosis.request.bytes if self.diagnosis is not None and self.diagnosis.cause.is_memory else None
        return "right" if request == self.label.bytes else "wrong"

    @property
    def words(self) -> str:
        """The advice and the next command."""
        diagnosis = self.diagnosis
        return "" if diagnosis is None else "\n".join((*diagnosis.advice, *([diagnosis.command] if diagnosis.command else [])))

    @property
    def advice(self) -> str:
        """Whether the advice `fits`, is `none`, only looks at another machine (`doctor`), is `other`, or is not judged (`?`)."""
        if self.diagnosis is None and NOTHING in self.label.causes:
            return "fits"
        lines = [line for line in self.words.splitlines() if "LOG" not in line]
        if not lines:
            return "none"
        if all("theanodiag doctor" in line for line in lines):
            return "doctor"
        if self.label.advice is None:
            return "?"
        return "fits" if re.search(self.label.advice, self.words, re.IGNORECASE) else "other"


def label(row: str) -> Label:
    """A row of labels.tsv. Raises ValueError where it names a cause that there is not."""
    name, _, causes, size, solution, *advice = [column.strip() for column in row.split("\t")]
    parts = (part.strip() for part in re.split(r"[/,]", re.sub(r"\([^)]*\)", "", causes)))
    stated = frozenset(NAMES.get(part.lower(), part) for part in parts if part and not part.startswith("NOT "))
    if not stated <= KNOWN:
        raise ValueError(f"{name}: no such cause: {', '.join(sorted(stated - KNOWN))}")
    return Label(name, stated, int(size) if size else None, solution, advice[0] if advice and advice[0] else None)


def scores(folder: Path) -> Iterator[Score]:
    """The score of each log of a folder, in the order of its labels."""
    for row in (folder / "labels.tsv").read_text("utf-8").splitlines()[1:]:
        known = label(row)
        text = (folder / f"{known.name}.txt").read_text("utf-8", "replace")
        yield Score(known, explain_log(text))


def table(judged: list[Score]) -> Iterator[str]:
    """A row for each log that is not right in everything, then the counts."""
    for s in judged:
        if (s.cause, s.bytes, s.advice) != ("right", "right", "fits"):
            wanted = "/".join(sorted(s.label.causes))
            yield f"{s.label.name}  {s.stated:<22} {s.cause:<8} ({wanted})  bytes {s.bytes}  advice {s.advice}"
            yield f"      solved by: {s.label.solution}"
            yield from (f"      says: {line}" for line in s.words.splitlines())
    for name in ("cause", "bytes", "advice"):
        counts = Counter(getattr(s, name) for s in judged)
        yield f"{name:<7} " + ", ".join(f"{word} {count} ({100 * count / len(judged):.0f} %)" for word, count in counts.most_common())


def main(arguments: list[str]) -> int:
    """Prints the scores of the folder that is named."""
    if len(arguments) != 1:
        print("usage: python -m tests.logs.score FOLDER", file=sys.stderr)
        return 2
    judged = list(scores(Path(arguments[0])))
    print("\n".join(table(judged)))
    return int(any(s.cause == "wrong" for s in judged))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
