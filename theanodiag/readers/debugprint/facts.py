"""What else a paste says: the message and the list of storages that stand beside the printed graph of an error.

Sources: Theano 1.0.5 gof/link.py `raise_with_op`, Aesara 2.9.4 and PyTensor 3.3.7 link/utils.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...ir import Constant, FunctionGraph, Shape
from .literals import split_top

_NODE = re.compile(r"^.{0,80}Apply node that caused the error: ?(?P<op>.*)$", re.MULTILINE)
_SHAPES = re.compile(r"Inputs shapes: ?\[(?P<rows>[^\]]*)\]")
_STORAGE = re.compile(
    r"^\W{0,12}- (?P<name>.{1,400}?)(?P<kind>, Shared Input|, Input)?, Shape: \((?P<shape>[\d, ]*)\), ElemSize:", re.MULTILINE
)
_TUPLE = re.compile(r"\((?P<shape>[\d\sL,]*)\)$")
_INTEGER = re.compile(r"\d{1,18}")
_MAX_MESSAGE = 2_000_000


class Facts(NamedTuple):
    """What a text says beside its printed graph."""

    failed: str
    """The Apply node of an error message, as printed there; empty where there is none."""
    inputs: tuple[Shape | None, ...]
    """Shapes of the failed node's inputs."""
    by_name: Mapping[str, Shape]
    shared: frozenset[str]


def read_facts(text: str) -> Facts:
    """The facts of `text`."""
    node = _NODE.search(text) if "Apply node that caused" in text else None
    rows: tuple[Shape | None, ...] = ()
    if node:
        found = _SHAPES.search(text, node.end(), node.end() + _MAX_MESSAGE)
        rows = tuple(_shape(r) for r in split_top(found["rows"])) if found else ()
    storages = list(_STORAGE.finditer(text)) if ", ElemSize:" in text else []
    by_name = {m["name"]: _numbers(m["shape"]) for m in storages}
    return Facts(node["op"].strip() if node else "", rows, by_name, frozenset(m["name"] for m in storages if m["kind"] == ", Shared Input"))


def _shape(text: str) -> Shape | None:
    match = _TUPLE.match(text)
    return _numbers(match["shape"]) if match else None


def _numbers(text: str) -> Shape:
    return tuple(int(d) for d in _INTEGER.findall(text))


def shapes_of(graph: FunctionGraph, facts: Facts) -> dict[int, Shape]:
    """The shapes that `facts` give, by Variable id of `graph`."""
    shapes = dict(_of_names(graph, facts.by_name))
    for node in _failed(graph, facts.failed):
        shapes.update((v, s) for v, s in zip(graph.applies[node].inputs, facts.inputs) if s is not None)
    return shapes


def _of_names(graph: FunctionGraph, by_name: Mapping[str, Shape]) -> Iterator[tuple[int, Shape]]:
    """By the names of inputs, and by `Op.0` where only one node is called so."""
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


def _failed(graph: FunctionGraph, text: str) -> list[int]:
    """The node of which an error message speaks: the root of the graph printed beside it, if it is called so."""
    roots = {graph.variables[v].owner for v in graph.outputs}
    found = [n.id for n in graph.applies if n.id in roots and text.startswith((f"{n.op.text}(", f"{n.op.text}.0("))]
    return found if len(found) == 1 else []
