"""The roles of a Scan's inputs and outputs, from the counts in its `info` or from the labels that a text prints.

`ir/scan.py` describes the order of the outer inputs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..ir import FunctionGraph
from ..ir.scan import ScanInfo, scan_info
from .state import Node


@dataclass(frozen=True)
class Roles:
    """Roles of a Scan's outer inputs, by position."""

    inner: Mapping[int, tuple[int, bool]]
    """Inner input Variable -> (position of the outer input, whether it is one step of that)."""
    buffers: tuple[int, ...]
    """Outer inputs into which recurrences are written, in the order of the outputs."""
    stacked: tuple[tuple[int, int], ...]
    """For each output without a recurrence: the outer input with its length, and the position of the inner output."""
    shared: tuple[int, ...]
    """Outer inputs that are shared variables."""
    constant: frozenset[int]
    """Outer inputs that are the same in each step."""
    as_while: bool
    """Whether a stopping condition may end the loop earlier."""


def roles_of(node: Node) -> Roles | None:
    """The roles of a Scan's inputs; None where neither counts nor labels are known."""
    graph = node.op.inner
    if graph is None:
        return None
    info = scan_info(graph.info)
    return _from_counts(node, graph, info) if info is not None else _from_links(node, graph)


def _from_counts(node: Node, graph: FunctionGraph, info: ScanInfo) -> Roles:
    """Roles from the counts that a live graph's `info` has."""
    first = info.first_nit_sot()
    return Roles(
        {i.variable: row for i, row in zip(graph.inputs, info.inner_inputs(node.n_inputs))},
        tuple(info.recurrences),
        tuple((info.lengths_at + k, first + k) for k in range(info.n_nit_sot) if first + k < len(graph.outputs)),
        tuple(info.shared),
        frozenset(range(info.others_at, node.n_inputs)),
        info.as_while,
    )


def _from_links(node: Node, graph: FunctionGraph) -> Roles | None:
    """Roles from labels such as `inner_in_seqs-0`, which `print_op_info` prints; None where they are missing."""
    labels = graph.info.get("labels")
    if not isinstance(labels, list) or not labels:
        return None
    matches = [_LABEL.match(v) if isinstance(v, str) else None for v in labels]
    kinds = [(m[1], int(m[2])) for m in matches if m is not None]
    return _from_kinds(node, graph, kinds) if len(kinds) == len(labels) else None


_LABEL = re.compile(r"inner_in_(seqs|mit_mot|mit_sot|sit_sot|shared|non_seqs)-(\d{1,6})(?:-\d{1,6})?$")
_MAPPED = ("seqs", "mit_mot", "mit_sot", "sit_sot")


def _from_kinds(node: Node, graph: FunctionGraph, kinds: Sequence[tuple[str, int]]) -> Roles | None:
    """Roles from (kind, number) of each inner input; None where they do not add up, since only inputs that are used are printed."""
    counts = {name: max((k + 1 for n, k in kinds if n == name), default=0) for name in (*_MAPPED, "shared", "non_seqs")}
    starts, at = {}, 1
    for name in (*_MAPPED, "shared"):
        starts[name], at = at, at + counts[name]
    n_nit = node.n_outputs - (starts["shared"] - starts["mit_mot"]) - counts["shared"]
    rest = starts["non_seqs"] = at + n_nit
    as_while = node.params.get("as_while") is True
    last = len(graph.outputs) - as_while - counts["shared"] - n_nit
    if n_nit < 0 or last < 0 or rest + counts["non_seqs"] != node.n_inputs or not all(_is_length(node, p) for p in range(at, rest)):
        return None
    return Roles(
        {i.variable: (starts[n] + k, n in _MAPPED) for i, (n, k) in zip(graph.inputs, kinds)},
        tuple(range(starts["mit_mot"], starts["shared"])),
        tuple((at + k, last + k) for k in range(n_nit)),
        tuple(range(starts["shared"], at)),
        frozenset(range(rest, node.n_inputs)),
        as_while,
    )


def _is_length(node: Node, position: int) -> bool:
    kind = node.type(position)
    return kind.ndim == 0 and (kind.dtype or "").startswith(("int", "uint"))
