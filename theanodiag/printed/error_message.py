"""Reads what stands beside the printed graph of an error: the message, and the list of storages with their shapes.

Sources: Theano 1.0.5 gof/link.py `raise_with_op`, Aesara 2.9.4 and PyTensor 3.3.7 link/utils.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..ir import Constant, FunctionGraph, Shape
from .failed import Failed, find, numbers, read_failed, shapes_of_inputs

_STORAGE = re.compile(
    r"^\W{0,12}- (?P<name>.{1,400}?)(?P<kind>, Shared Input|, Input)?, Shape: \((?P<shape>[\d, ]*)\), ElemSize:", re.MULTILINE
)


class Facts(NamedTuple):
    """What a text says outside of its printed graph."""

    failed: Failed | None
    """What an error message says about the failing node; None where there is no message."""
    by_name: Mapping[str, Shape]
    """Shapes in the list of storages, by name."""
    shared: frozenset[str]
    """Names of shared inputs in the list of storages."""


def read_facts(text: str) -> Facts:
    """The facts in `text`."""
    storages = list(_STORAGE.finditer(text)) if ", ElemSize:" in text else []
    by_name = {m["name"]: numbers(m["shape"]) for m in storages}
    return Facts(read_failed(text), by_name, frozenset(m["name"] for m in storages if m["kind"] == ", Shared Input"))


def shapes_of(graph: FunctionGraph, facts: Facts) -> dict[int, Shape]:
    """Shapes from `facts`, by Variable id of `graph`."""
    shapes = dict(_of_names(graph, facts.by_name))
    node = find(graph, facts.failed) if facts.failed is not None else None
    if node is not None and facts.failed is not None:
        shapes.update(shapes_of_inputs(graph, node, facts.failed))
    return shapes


def _of_names(graph: FunctionGraph, by_name: Mapping[str, Shape]) -> Iterator[tuple[int, Shape]]:
    """Yields shapes by names of inputs, and by `Op.0` where only one node has that text."""
    if not by_name:
        return
    texts: dict[str, list[int]] = {}
    for node in graph.applies:
        texts.setdefault(node.op.text, []).append(node.id)
    for variable in graph.variables:
        if variable.owner is None:
            shape = by_name.get(variable.name or "")
        else:
            node = graph.applies[variable.owner]
            label = f"{node.op.text}.{node.outputs.index(variable.id)}"
            shape = by_name.get(label) if len(texts[node.op.text]) == 1 else None
        if shape is not None and not isinstance(variable, Constant):
            yield variable.id, shape
