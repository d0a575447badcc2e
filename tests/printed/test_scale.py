"""Large graphs and texts."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from itertools import count

import pytest

from theanodiag.printed import read_debugprint

from .printer import print_graph


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


def updates(n: int) -> str:
    """`n` results, each of which could be the new value of an input."""
    kind = "<Vector(float64, shape=(?,))>"
    return "".join(f"Exp [id {2 * i + 1}] {kind} {i}\n └─ x{i} [id {2 * i + 2}] {kind}\n" for i in range(n))


def calls(text: str) -> int:
    """How many functions one reading calls, those in C too: the same on every machine."""
    counter = count()
    sys.setprofile(lambda *_: next(counter))
    try:
        read_debugprint(text)
    finally:
        sys.setprofile(None)
    return next(counter)


@pytest.mark.parametrize("text", [wide, updates])
def test_growth_is_linear(text: Callable[[int], str]) -> None:
    """Ten times the nodes take less than 10 ** 1.2 times the calls."""
    calls(text(10))  # what is read for the first time is kept
    assert calls(text(5000)) < 10**1.2 * calls(text(500))


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
