"""Tells which inputs of a Scan's step are not read again after it, so that the inner graph may overwrite them.

Sources: PyTensor 3.0.7 link/numba/dispatch/scan.py; PyTensor 3.3.7 scan/rewriting/inner_graph.py `find_overwritten_reads`, and scan/op.py
`inner_destroyable_inputs`: states of which the last value is kept; the oldest entry of a ring that has room for no more; in 3.3, of what
recurrences of several taps read, that which they write in the same step.
"""

from __future__ import annotations

from typing import NamedTuple

from ..ir import Apply, FunctionGraph
from ..ir.scan import scan_info


class Discarded(NamedTuple):
    """Inner inputs that may be overwritten, by Variable id."""

    states: frozenset[int]
    """States of which only the last value is kept."""
    oldest: frozenset[int]
    """The oldest entries of ring buffers without room for more."""
    rewritten: frozenset[int]
    """Entries that mit-mot recurrences write in the same step (PyTensor 3.3)."""


def discarded(graph: FunctionGraph, node: Apply) -> Discarded:
    """What the Scan `node` of `graph` may overwrite; nothing where its layout is not known."""
    inner = node.op.inner
    info = scan_info(inner.info) if inner is not None else None
    if inner is None or info is None:
        return Discarded(frozenset(), frozenset(), frozenset())
    fed = info.inner_inputs(len(node.inputs))
    variables = [entry.variable for entry in inner.inputs]
    states = frozenset(v for v, (outer, _) in zip(variables, fed) if outer in info.shared)
    oldest, rewritten = set(), set()
    at = info.n_seqs
    for k, read in enumerate(info.taps):
        wrote = info.mit_mot_out[k] if k < info.n_mit_mot else ()
        length = graph.variables[node.inputs[info.recurrences[k]]].type.shape[:1]
        for tap, variable in zip(read, variables[at : at + len(read)]):
            if tap in wrote:
                rewritten.add(variable)
            elif not wrote and tap == min(read) and length == (-tap,):
                oldest.add(variable)
        at += len(read)
    return Discarded(states, frozenset(oldest), frozenset(rewritten))
