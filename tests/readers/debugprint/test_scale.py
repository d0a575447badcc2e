"""Large graphs and texts."""

from __future__ import annotations

import time
import tracemalloc

from theanodiag.readers.debugprint import read_debugprint
from theanodiag.readers.debugprint.printer import print_graph


def wide(n: int) -> str:
    """A Join of `n` nodes, two lines each."""
    rows = (
        f" |Elemwise{{exp,no_inplace}} [id {2 * i + 1}] <TensorType(float64, vector)> ''   {i}\n"
        f" | |x{i} [id {2 * i + 2}] <TensorType(float64, vector)>\n"
        for i in range(n)
    )
    return f"Join [id 0] <TensorType(float64, vector)> ''   {n}\n" + "".join(rows)


def deep(n: int) -> str:
    """A chain of `n` nodes."""
    return "\n".join(f"{'  ' * (i - 1) + ' |' if i else ''}exp [id {i}] ''" for i in range(n)) + "\n" + "  " * (n - 1) + " |x [id x]"


def seconds(text: str) -> float:
    """Processor time of one reading."""
    begin = time.process_time()
    read_debugprint(text)
    return time.process_time() - begin


def test_growth_is_linear() -> None:
    """Ten times the nodes take less than 10 ** 1.2 times the time."""
    small = min(seconds(wide(3000)) for _ in range(3))
    assert seconds(wide(30_000)) < 10**1.2 * small


def test_deep_chains() -> None:
    """Depth costs no recursion, in reading and in printing."""
    graph = read_debugprint(deep(3000)).graph
    assert len(graph.applies) == 3000
    assert len(read_debugprint(print_graph(graph, "theano")).graph.applies) == 3000


def test_memory_is_linear() -> None:
    """Eight times the text needs at most some eight times the memory."""
    peaks = []
    for n in (2000, 16_000):
        text = wide(n)
        tracemalloc.start()
        read_debugprint(text)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 10 * peaks[0]
