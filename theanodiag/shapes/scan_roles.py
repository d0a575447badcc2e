"""What the inputs and outputs of a Scan are to its inner graph, from its counts or from the links that a text prints.

Order of outer inputs: number of steps, sequences, recurrences (mit-mot, mit-sot, sit-sot), shared, lengths of other outputs, the rest.
Source: Theano 1.0.5 scan_module/scan_op.py, PyTensor 3.3.7 scan/op.py `ScanMethodsMixin`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..ir import FunctionGraph
from .state import Node


@dataclass(frozen=True)
class Roles:
    """The parts of a Scan, by position among the outer inputs."""

    inner: Mapping[int, tuple[int, bool]]
    """Inner input Variable -> (outer input, whether it is one step of that)."""
    buffers: tuple[int, ...]
    """Outer inputs that recurrences are written into, in the order of the outputs."""
    stacked: tuple[tuple[int, int], ...]
    """For each output without a recurrence: the outer input with its length, and the inner output."""
    shared: tuple[int, ...]
    constant: frozenset[int]
    """Outer inputs that are the same at each step."""
    as_while: bool


def roles_of(node: Node) -> Roles | None:
    """The roles; None where neither counts nor links are known."""
    graph = node.op.inner
    if graph is None:
        return None
    return _from_counts(node, graph) if "n_seqs" in graph.info else _from_links(node, graph)


def count(info: Mapping[str, object], name: str) -> int:
    """A number of the `info` of a Scan's inner graph, such as `n_seqs`; 0 where it is not told."""
    value = info.get(name)
    return value if isinstance(value, int) else 0


def slices(info: Mapping[str, object], name: str) -> list[list[int]]:
    """The taps of each recurrence of a kind, such as `sit_sot_in_slices`; none where they are not told."""
    value = info.get(name)
    return value if isinstance(value, list) else []


def _from_counts(node: Node, graph: FunctionGraph) -> Roles:
    """From the counts that a live graph has."""
    info = graph.info
    taps = [t for name in ("mit_mot_in_slices", "mit_sot_in_slices", "sit_sot_in_slices") for t in slices(info, name)]
    n_seqs = count(info, "n_seqs")
    n_shared, n_nit = count(info, "n_shared_outs"), count(info, "n_nit_sot")
    shared = 1 + n_seqs + len(taps)
    lengths, rest = shared + n_shared, shared + n_shared + n_nit
    order = [(1 + k, True) for k in range(n_seqs)]
    order += [(1 + n_seqs + k, True) for k, read in enumerate(taps) for _ in read]
    order += [(shared + k, False) for k in range(n_shared)] + [(k, False) for k in range(rest, node.n_inputs)]
    preallocated = info.get("mitmots_preallocated")
    done = sum(map(bool, preallocated)) if isinstance(preallocated, list) else 0
    first = count(info, "n_mit_mot_outs") - done + count(info, "n_mit_sot") + count(info, "n_sit_sot")
    return Roles(
        {i.variable: row for i, row in zip(graph.inputs, order)},
        tuple(range(1 + n_seqs, shared)),
        tuple((lengths + k, first + k) for k in range(n_nit) if first + k < len(graph.outputs)),
        tuple(range(shared, lengths)),
        frozenset(range(rest, node.n_inputs)),
        info.get("as_while") is True,
    )


def _from_links(node: Node, graph: FunctionGraph) -> Roles | None:
    """From labels of the form `inner_in_seqs-0`, which `print_op_info` adds; other texts do not tell the parts apart."""
    labels = graph.info.get("labels")
    if not isinstance(labels, list) or not labels:
        return None
    matches = [_LABEL.match(v) if isinstance(v, str) else None for v in labels]
    kinds = [(m[1], int(m[2])) for m in matches if m is not None]
    return _from_kinds(node, graph, kinds) if len(kinds) == len(labels) else None


_LABEL = re.compile(r"inner_in_(seqs|mit_mot|mit_sot|sit_sot|shared|non_seqs)-(\d{1,6})(?:-\d{1,6})?$")
_MAPPED = ("seqs", "mit_mot", "mit_sot", "sit_sot")


def _from_kinds(node: Node, graph: FunctionGraph, kinds: Sequence[tuple[str, int]]) -> Roles | None:
    """Only inner inputs that are used are printed: what then does not add up is given up."""
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
