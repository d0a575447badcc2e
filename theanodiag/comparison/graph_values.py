"""The graph of one call as the user wrote it, with the value of each Variable, as written by `agent/record/recompute.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..ir.graph import Site


@dataclass(frozen=True)
class ValuedVariable:
    """A Variable and its value in the call."""

    name: str | None
    constant: bool
    site: Site | None
    """Where an input was created; None for the result of a node."""
    shape: tuple[int, ...] | None
    """The shape; None if the value is not a numeric array or could not be computed."""
    dtype: str | None
    file: str | None
    """The file with the value; None if it was not kept."""
    state: str | None
    """Type and digest of the state of a random generator."""


@dataclass(frozen=True)
class ValuedNode:
    """An application of an Op."""

    op: str
    """Class name of the Op; for elementwise Ops that of the scalar Op."""
    text: str
    params: str
    """Digest of the Op's parameters, comparable within one release of a framework."""
    reads: tuple[int, ...]
    makes: tuple[int, ...]
    site: Site | None
    failure: str | None
    """Why it could not be computed; None if it was."""
    inner: tuple[ValuedGraph, ...] = ()
    """The first steps of a loop."""


@dataclass(frozen=True)
class ValuedGraph:
    """Nodes in topological order; Variables by their number."""

    nodes: tuple[ValuedNode, ...]
    variables: tuple[ValuedVariable, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    roles: tuple[str, ...] = ()
    """`shared` or `argument` for each input; empty for a step of a loop."""

    @cached_property
    def owner(self) -> Mapping[int, int]:
        """Variable -> the number of the node that makes it."""
        return {v: n for n, node in enumerate(self.nodes) for v in node.makes}


def read(document: Mapping[str, Any], roles: Sequence[str] = ()) -> ValuedGraph:
    """The graph in a document of `agent/record/graph_values.py`."""
    nodes = tuple(
        ValuedNode(
            str(row["op"]), str(row["text"]), str(row["params"]), tuple(row["reads"]), tuple(row["makes"]), _site(row["site"]),
            row["failure"], tuple(read(step) for step in row["inner"]),
        )
        for row in document["nodes"]
    )  # fmt: skip
    variables = tuple(
        ValuedVariable(
            row["name"], bool(row["constant"]), _site(row["site"]), None if row["shape"] is None else tuple(row["shape"]), row["dtype"],
            row["file"], row["state"],
        )
        for row in document["variables"]
    )  # fmt: skip
    return ValuedGraph(nodes, variables, tuple(document["inputs"]), tuple(document["outputs"]), tuple(roles))


def _site(row: Mapping[str, Any] | None) -> Site | None:
    return None if row is None else Site(str(row["path"]), int(row["line"]), row.get("function"), row.get("code"))
