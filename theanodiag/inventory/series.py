"""Which series of Theano have all the names that a source uses."""

from __future__ import annotations

from collections.abc import Iterable

from ..source import legacy

SERIES = ("0.6", "0.7", "0.8", "0.9", "0.10", "1.0")
"""Those whose public names `source/legacy` lists, oldest first."""


def releases(names: Iterable[str]) -> str:
    """The series that have all of these dotted names (`theano.tensor.nnet.conv2d`), as runs: "0.6-0.9", "0.7,1.0"; "none" where none has.

    Names that no series lists (methods, names of the user's own) do not count; empty where no name of Theano is among them.
    """
    left, theano = set(SERIES), False
    for full in set(names):
        root, _, name = full.partition(".")
        theano = theano or root == "theano"
        found = listed(name) if root == "theano" and name else None
        if found is not None:
            left &= found
    return "" if not theano else written(left)


def listed(name: str) -> set[str] | None:
    """The series that list a name without its root, or its longest part that is listed; None where none lists it."""
    while name:
        row = legacy.known("theano", name)
        if row is not None:
            return expanded(row.series)
        name = name.rpartition(".")[0]
    return None


def expanded(text: str) -> set[str]:
    """The series in `0.6-0.8,1.0`."""
    found: set[str] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        begin, end = SERIES.index(first), SERIES.index(last or first)
        found.update(SERIES[begin : end + 1])
    return found


def written(series: set[str]) -> str:
    """Series as runs: `0.6-0.9`, `0.7,1.0`; "none" for no series."""
    runs: list[list[str]] = []
    for k, name in enumerate(SERIES):
        if name not in series:
            continue
        if runs and SERIES.index(runs[-1][-1]) == k - 1:
            runs[-1].append(name)
        else:
            runs.append([name])
    return ",".join(r[0] if len(r) == 1 else f"{r[0]}-{r[-1]}" for r in runs) or "none"
