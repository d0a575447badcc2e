"""Reads what accompanies the printed graph of an error: the message, the storage list with shapes, and the Apply node that failed, which
is located in the graph.

Sources: Theano 1.0.5 gof/link.py `raise_with_op` (the node as text, its number, the types and the shapes of its inputs), Aesara 2.9.4 and
PyTensor 3.3.7 link/utils.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from ..ir import Apply, Constant, FunctionGraph, Shape, Type, TypeKind, Variable
from ..ops.parameters import split_top
from .nodes import read_type

_STORAGE = re.compile(
    r"^\W{0,12}- (?P<name>.{1,400}?)(?P<kind>, Shared Input|, Input)?, Shape: \((?P<shape>[\d, ]*)\), ElemSize:", re.MULTILINE
)


class Facts(NamedTuple):
    """Facts that a text contains outside of its printed graph."""

    failed: Failed | None
    """What an error message says about the failing node; None where there is no message."""
    by_name: Mapping[str, Shape]
    """Shapes in the list of storages, by name."""
    shared: frozenset[str]
    """Names of shared inputs in the list of storages."""


def read_facts(text: str) -> Facts:
    """Parses what `text` contains outside of its graph: the failing node in an error message, and shapes and names in a list of
    storages.
    """
    storages = list(_STORAGE.finditer(text)) if ", ElemSize:" in text else []
    by_name = {m["name"]: numbers(m["shape"]) for m in storages}
    return Facts(read_failed(text), by_name, frozenset(m["name"] for m in storages if m["kind"] == ", Shared Input"))


def shapes_of(graph: FunctionGraph, facts: Facts) -> dict[int, Shape]:
    """Returns the shapes that `facts` give for Variables of `graph`, by Variable id."""
    shapes = dict(_of_names(graph, facts.by_name))
    node = find(graph, facts.failed) if facts.failed is not None else None
    if node is not None and facts.failed is not None:
        shapes.update(shapes_of_inputs(graph, node, facts.failed))
    return shapes


def _of_names(graph: FunctionGraph, by_name: Mapping[str, Shape]) -> Iterator[tuple[int, Shape]]:
    """Yields (Variable id, shape) for the names of inputs, and for `Op.0` if only one node has that text."""
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


_NODE = re.compile(r"^.{0,80}Apply node that caused the error: ?(?P<op>.*)$", re.MULTILINE)
_INDEX = re.compile(r"Toposort index: ?(\d{1,9})")
_TYPES = re.compile(r"Inputs types: ?\[")
_SHAPES = re.compile(r"Inputs shapes: ?\[(?P<rows>[^\]]*)\]")
_VALUES = re.compile(r"Inputs values: ?\[")
_NUMBER = re.compile(r"array\((?P<value>-?\d{1,18})L?(?:, dtype=u?int\d{1,2})?\)$")
_TUPLE = re.compile(r"\((?P<shape>[\d\sL,]*)\)$")
_INTEGER = re.compile(r"\d{1,18}")
_MAX_MESSAGE = 2_000_000
_MAX_TYPES = 100_000


class Failed(NamedTuple):
    """What an error message says about the node that failed."""

    text: str
    """The node as printed in the message: Op and inputs."""
    number: int | None
    """Its topological position (`Toposort index`); None where it is not given."""
    types: tuple[Type, ...]
    """Types of its inputs; empty where they are not given."""
    shapes: tuple[Shape | None, ...]
    """Shapes of its inputs; None for an input without a shape."""
    values: tuple[int | None, ...] = ()
    """Values of its inputs that are integers; None for other inputs."""


def read_failed(text: str) -> Failed | None:
    """Parses an error message in `text` about the node that failed; None if there is no such message."""
    node = _NODE.search(text) if "Apply node that caused" in text else None
    if node is None:
        return None
    end = node.end() + _MAX_MESSAGE
    index, types, shapes, values = (p.search(text, node.end(), end) for p in (_INDEX, _TYPES, _SHAPES, _VALUES))
    kinds = tuple(read_type(" ".join(t.split())) for t in _listed(text, types.end())) if types else ()
    rows = tuple(_shape(r) for r in split_top(shapes["rows"])) if shapes else ()
    known = tuple(int(m["value"]) if (m := _NUMBER.match(v)) else None for v in _listed(text, values.end())) if values else ()
    return Failed(node["op"].strip(), int(index[1]) if index else None, kinds, rows, known)


def _listed(text: str, start: int) -> list[str]:
    """The items of the bracketed list that starts at `start`."""
    depth = 1
    for at in range(start, min(len(text), start + _MAX_TYPES)):
        depth += (text[at] == "[") - (text[at] == "]")
        if not depth:
            return split_top(text[start:at])
    return []


def _shape(text: str) -> Shape | None:
    match = _TUPLE.match(text)
    return numbers(match["shape"]) if match else None


def numbers(text: str) -> Shape:
    """Returns all integers in `text`, in order."""
    return tuple(int(d) for d in _INTEGER.findall(text))


def find(graph: FunctionGraph, failed: Failed) -> Apply | None:
    """Finds the node of `graph` that `failed` describes: by its text, by number and names of its inputs, by its position, or as an output.

    None if several nodes match, or none.
    """
    nodes = [n for n in graph.applies if failed.text.startswith((f"{n.op.text}(", f"{n.op.text}.0("))]
    for fits in (_counts, _called, _numbered, _is_root):
        if len(nodes) > 1:
            nodes = [n for n in nodes if fits(graph, n, failed)] or nodes
    return nodes[0] if len(nodes) == 1 and _counts(graph, nodes[0], failed) else None


def _counts(graph: FunctionGraph, node: Apply, failed: Failed) -> bool:
    """Whether the node has as many inputs as the message lists."""
    return all(not rows or len(rows) == len(node.inputs) for rows in (failed.types, failed.shapes))


def _called(graph: FunctionGraph, node: Apply, failed: Failed) -> bool:
    """Whether the node's inputs have the names in the message."""
    return failed.text.partition(node.op.text)[2].lstrip(".0")[1:].rstrip().rstrip(")") == ", ".join(_names(graph, node))


def _names(graph: FunctionGraph, node: Apply) -> Iterator[str]:
    for variable in (graph.variables[v] for v in node.inputs):
        owner = None if variable.owner is None else graph.applies[variable.owner]
        yield variable.name or "" if owner is None else variable.name or f"{owner.op.text}.{owner.outputs.index(variable.id)}"


def _numbered(graph: FunctionGraph, node: Apply, failed: Failed) -> bool:
    return node.id == failed.number


def _is_root(graph: FunctionGraph, node: Apply, failed: Failed) -> bool:
    return not set(graph.outputs).isdisjoint(node.outputs)


def shapes_of_inputs(graph: FunctionGraph, node: Apply, failed: Failed) -> Iterator[tuple[int, Shape]]:
    """Yields (Variable id, shape) of the node's inputs whose shapes in the message agree with their types."""
    for number, shape in zip(node.inputs, failed.shapes):
        kind = graph.variables[number].type
        fits = not kind.text or (len(kind.shape) == len(shape or ()) and all(a is None or a == b for a, b in zip(kind.shape, shape or ())))
        if shape is not None and fits and not isinstance(graph.variables[number], Constant):
            yield number, shape


def typed(graph: FunctionGraph, untyped: frozenset[int], node: Apply, failed: Failed) -> tuple[FunctionGraph, frozenset[int]]:
    """Completes types from an error message. Returns `graph` with the types of the failing node's inputs, and the ids of the Variables that
    still have no type.
    """
    types = {v: t for v, t in zip(node.inputs, failed.types) if v in untyped and t.kind is not TypeKind.OTHER}
    if not types:
        return graph, untyped
    rows: tuple[Variable, ...] = tuple(replace(v, type=types[v.id]) if v.id in types else v for v in graph.variables)
    return replace(graph, variables=rows), untyped - types.keys()
