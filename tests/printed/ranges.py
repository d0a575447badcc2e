"""python -m tests.printed.ranges > docs/accuracy/printed-graphs.md: what inferring in-place work from PyTensor's texts is worth.

PyTensor does not print which nodes work in place. Beside what `theanodiag.printed` infers stand the two extremes: no node does, and every
node that may does. The texts are those of tests/golden.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tests.golden.recordings import read, texts_file
from theanodiag.ir import FunctionGraph
from theanodiag.printed import read_debugprint
from theanodiag.printed.model import DebugPrint
from theanodiag.printed.overwrite_variants import inside, plan_of, rewritten
from theanodiag.printed.overwritten import infer
from theanodiag.printed.rewriting import rewrite

from .estimated import live, peaks

FRAMEWORKS = {"pytensor": "PyTensor 3.0.7", "pytensor_new": "PyTensor 3.3"}
WORTH = 0.10
"""A function counts where the range of its peak is narrower by more than this share of the peak."""
PAGE = """# Printed graphs of PyTensor: what is overwritten in place

PyTensor does not print which nodes of a compiled function work in place, unless you pass `print_destroy_map=True`. `theanodiag graph`
infers which nodes work in place from types, from the printed order, and from which node reads a value last. If several nodes could
overwrite a value, `theanodiag graph` reports a range for the peak. Without this inference, the range would go from one extreme, *every node
that may work in place does*, to the other, *no node does*.

The inferred range and the range between the extremes were compared with the peak of the compiled functions themselves, for functions of
many kinds (with types printed and shapes given). The inference stays in theanodiag as long as it narrows the range by more than 10 % of the
peak for more than a quarter of the functions. `python -m tests.printed.ranges` prints this page.

In the table, *exact* counts the functions for which the range is a single, correct figure; *inferred* and *extremes* are the two ranges.

| framework | functions | exact: inferred | exact: extremes | peak within the range: inferred | peak within the range: extremes | \
inferred range narrower by more than 10 % of the peak | width of the extremes: median | width of the extremes: 90th percentile |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
"""


@dataclass(frozen=True)
class Ranges:
    """The peak of one function: of the live graph, the range that is inferred, and that of the extremes."""

    live: int
    inferred: tuple[int, int]
    extremes: tuple[int, int]

    @property
    def narrower(self) -> float:
        """By how much the inferred range is narrower, as a share of the peak."""
        return (_width(self.extremes) - _width(self.inferred)) / self.live


def _width(bounds: tuple[int, int]) -> int:
    return bounds[1] - bounds[0]


def nothing_in_place(graph: FunctionGraph) -> FunctionGraph:
    """The graph where no node overwrites an input without the text saying so; those inside of it too."""
    return inside(rewritten(graph, plan_of(graph), {}, range(len(graph.applies))), nothing_in_place)


def all_in_place(graph: FunctionGraph) -> FunctionGraph:
    """The graph where each node overwrites what it is the last to read, whatever is an argument; those inside of it too."""
    graph = inside(graph, _all_in_step)
    free = frozenset(v.id for v in graph.variables if v.owner is None)
    plan = plan_of(graph)
    return rewritten(graph, plan, infer(plan, free).destroy, range(len(graph.applies)))


def _all_in_step(graph: FunctionGraph) -> FunctionGraph:
    graph = inside(graph, _all_in_step)
    plan = plan_of(graph)
    found = rewrite(plan, frozenset(v.id for v in graph.variables if v.owner is None))
    return graph if found is None else rewritten(graph, plan, *found)


def with_extremes(text: DebugPrint) -> DebugPrint:
    """The text with the two extremes for its readings."""
    main = text.main
    other = replace(main, graph=nothing_in_place(main.graph), variants=(all_in_place(main.graph),))
    return replace(text, prints=tuple(other if p is main else p for p in text.prints))


def measured(framework: str) -> Iterator[Ranges]:
    """Each function of a framework."""
    rows: Any = json.loads(read(texts_file(framework)))
    for row in rows.values():
        if "missing" not in row:
            text = read_debugprint(row["texts"]["types"])
            found, bounds = peaks(row, text), peaks(row, with_extremes(text))
            yield Ranges(live(row).figures.live_peak_bytes, (min(found), max(found)), (min(bounds), max(bounds)))


def row_of(name: str, rows: list[Ranges]) -> str:
    """A line of the table."""
    exact = [sum(bounds == (r.live, r.live) for r, bounds in pairs) for pairs in _both(rows)]
    within = [sum(low <= r.live <= high for r, (low, high) in pairs) for pairs in _both(rows)]
    widths = sorted(_width(r.extremes) / r.live for r in rows)
    shares = [statistics.median(widths), widths[int(0.9 * len(widths))]]
    narrower = sum(r.narrower > WORTH for r in rows)
    cells = (name, len(rows), *exact, *within, narrower, *(f"{100 * share:.0f} %" for share in shares))
    return f"| {' | '.join(map(str, cells))} |\n"


def _both(rows: list[Ranges]) -> tuple[list[tuple[Ranges, tuple[int, int]]], list[tuple[Ranges, tuple[int, int]]]]:
    return [(r, r.inferred) for r in rows], [(r, r.extremes) for r in rows]


def page() -> str:
    """The whole page."""
    return PAGE + "".join(row_of(title, list(measured(name))) for name, title in FRAMEWORKS.items())


if __name__ == "__main__":
    print(page(), end="")
