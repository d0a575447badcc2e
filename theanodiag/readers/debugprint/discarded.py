"""What is fed into a step of a Scan and not read again after it, so that the graph inside may overwrite it.

Sources: PyTensor 3.0.7 link/numba/dispatch/scan.py; PyTensor 3.3.7 scan/rewriting/inner_graph.py `find_overwritten_reads`, and scan/op.py
`inner_destroyable_inputs`: states of which the last value is kept; the oldest entry of a ring that has room for no more; in 3.3, of what
recurrences of several taps read, that which they write in the same step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...ir import Apply, FunctionGraph


class Discarded(NamedTuple):
    """Inner inputs, by Variable."""

    states: frozenset[int]
    oldest: frozenset[int]
    rewritten: frozenset[int]


_TAPS = ("mit_mot_in_slices", "mit_sot_in_slices", "sit_sot_in_slices")


def discarded(graph: FunctionGraph, node: Apply) -> Discarded:
    """What the Scan `node` of `graph` discards; nothing where its parts are not known."""
    inner = node.op.inner
    if inner is None or not isinstance(inner.info.get("n_shared_outs"), int) or not isinstance(inner.info.get("n_non_seqs"), int):
        return Discarded(frozenset(), frozenset(), frozenset())
    variables = [entry.variable for entry in inner.inputs]
    end = len(variables) - _number(inner, "n_non_seqs")
    states = frozenset(variables[end - _number(inner, "n_shared_outs") : end])
    oldest, rewritten = set(), set()
    outer, at = 1 + _number(inner, "n_seqs"), _number(inner, "n_seqs")
    for read, wrote in _recurrences(inner):
        length = graph.variables[node.inputs[outer]].type.shape[:1]
        for tap, variable in zip(read, variables[at : at + len(read)]):
            if tap in wrote:
                rewritten.add(variable)
            elif not wrote and tap == min(read) and length == (-tap,):
                oldest.add(variable)
        outer, at = outer + 1, at + len(read)
    return Discarded(states, frozenset(oldest), frozenset(rewritten))


def _recurrences(inner: FunctionGraph) -> Iterator[tuple[list[int], list[int]]]:
    """The taps that each recurrence reads, and those that it writes where they are not just the next one."""
    writes = inner.info.get("mit_mot_out_slices")
    wrote = list(writes) if isinstance(writes, list) else []
    for name in _TAPS:
        rows = inner.info.get(name)
        for row in rows if isinstance(rows, list) else []:
            yield row, wrote.pop(0) if wrote else []


def _number(inner: FunctionGraph, name: str) -> int:
    value = inner.info.get(name)
    return value if isinstance(value, int) else 0
