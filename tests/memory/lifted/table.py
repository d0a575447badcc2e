"""Prints a page, with the interpreters in the environment: python -m tests.memory.lifted.table > docs/accuracy/lifted-graphs.md."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import pytest

from .compare import EXAMPLES, FUNCTIONS, MODELS, Pair, pairs

HEAD = """# How far lifted graphs are from the true ones

Theano 0.9 to 1.0.5 can build the graph for a GPU on a machine without one, and theanodiag uses this graph. For other frameworks and
releases (Theano before 0.9, Theano-PyMC, Aesara, PyTensor) theanodiag *lifts* the CPU graph: a table decides which nodes move to the
device, which values are copied to it, and which arrays are overwritten on it.

- Lifted graphs of Theano give figures marked `bounded`: they are at least as large as the real ones.
- Lifted graphs of Aesara and PyTensor, which have no such back-end, give figures marked `estimate`: the memory that Theano's GPU back-end
  would need if it ran these graphs. An estimate is not a bound (see the end of this page), so it never leads to the verdict "fits".

This page compares lifted CPU graphs of Theano 1.0.5 with the GPU graphs that Theano 1.0.5 itself builds for the same functions. Each
function was simulated alone on a device, with `allow_gc` on and off. *Excess* is the amount by which the live peak of the lifted graph is
higher.

The CPU graph alone does not determine everything. theanodiag must assume:

- which of two elementwise nodes overwrites an array that both could overwrite (theanodiag tries three ways, and uses the highest figures),
- which form a convolution takes,
- how expressions are fused,
- which constants are placed on the device before they are fused (theanodiag counts one for each node).

With `allow_gc=False` all arrays are kept, so every wrong assumption affects the peak, and the excess is higher.

`python -m tests.memory.lifted.table` prints this page.
"""
COLUMNS = """| script | function | allow_gc | live peak | lifted | excess | reserved | lifted |
|---|---|---|---:|---:|---:|---:|---:|
"""
OTHERS = """
## Other frameworks

This table compares the lifted graphs of other frameworks, for the same functions, with the GPU graph of Theano 1.0.5. Reports mark such
figures `estimate`. An estimate is not a bound, because these frameworks rewrite graphs differently: the memory that Theano's GPU back-end
needs is that of the graph that *Theano* builds.

| framework | functions | peaks lower | median | lowest | highest |
|---|---:|---:|---:|---:|---:|
"""


def percent(share: float) -> str:
    """`+12.3 %`."""
    return f"{100 * share:+.2f} %"


def summary(rows: Sequence[Pair]) -> str:
    """Counts and errors of many functions."""
    excess = [row.excess for row in rows]
    low = sum(not row.holds for row in rows)
    same = sum(row.reserved[0] == row.reserved[1] for row in rows)
    return (
        f"{low} of {len(rows)} rows have a figure that is too low. "
        f"The excess of the live peak has the median {percent(statistics.median(excess))}, and is at most {percent(max(excess))}. "
        f"The bytes taken from the driver are equal in {same} rows.\n"
    )


def row_of(row: Pair) -> str:
    """A line of the table."""
    gc = "on" if row.allow_gc else "off"
    cells = (row.script, row.function, gc, row.live[1], row.live[0], percent(row.excess), row.reserved[1], row.reserved[0])
    return f"| {' | '.join(map(str, cells))} |"


def other(interpreter: str) -> str:
    """A line about another framework."""
    rows = [r for r in pairs(FUNCTIONS, interpreter=interpreter) if r.allow_gc]
    excess = [r.excess for r in rows]
    figures = " | ".join(percent(f(excess)) for f in (statistics.median, min, max))
    return f"| {interpreter} | {len(rows)} | {sum(e < 0 for e in excess)} | {figures} |\n"


def page() -> str:
    """The whole page."""
    rows = [row for path in (FUNCTIONS, *MODELS, *EXAMPLES) for row in pairs(path)]
    parts = [HEAD, "\n## Theano 1.0.5\n\n"]
    for gc in (True, False):
        parts.append(f"With `allow_gc={gc}`, {summary([r for r in rows if r.allow_gc is gc])}\n")
    parts.append(COLUMNS)
    parts += [row_of(row) + "\n" for row in rows]
    parts.append(OTHERS)
    for interpreter in ("aesara", "pytensor"):
        try:
            parts.append(other(interpreter))
        except pytest.skip.Exception:
            continue
    return "".join(parts)


if __name__ == "__main__":
    print(page(), end="")
