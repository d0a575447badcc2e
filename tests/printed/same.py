"""Whether a graph that was read from text is the one that the live reader gives for the same function."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from theanodiag.ir import Constant, FunctionGraph
from theanodiag.printed import Print

Live = Mapping[str, Any]
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")


def differences(live: Live, found: Print) -> list[str]:
    """What differs, followed from the outputs; empty where the graphs are isomorphic."""
    return list(_compare(live, found.graph, found.untyped))


def _text(text: str) -> str:
    return _ADDRESS.sub("0x", "".join(text.split()))


def _compare(live: Live, graph: FunctionGraph, untyped: frozenset[int] | None) -> Iterator[str]:
    if len(live["outputs"]) != len(graph.outputs):
        yield f"{len(live['outputs'])} outputs, {len(graph.outputs)} read"
        return
    owners = {v: (n, i) for n, a in enumerate(live["applies"]) for i, v in enumerate(a["outputs"])}
    pairs: dict[int, int] = {}
    nodes: dict[int, int] = {}
    queue = list(zip(live["outputs"], graph.outputs))
    while queue:
        a, b = queue.pop()
        if a in pairs:
            if pairs[a] != b and a in owners:
                yield f"variable {a} is read as {pairs[a]} and {b}"
            continue
        pairs[a] = b
        yield from _variables(live, a, graph, b, untyped)
        owner = graph.variables[b].owner
        if (a in owners) != (owner is not None):
            yield f"variable {a} ({live['variables'][a]}) has an owner on one side: {graph.variables[b]}"
        elif owner is not None:
            n, position = owners[a]
            node = graph.applies[owner]
            if nodes.setdefault(n, owner) != owner or node.outputs.index(b) != position:
                yield f"node {n} output {position} is read as node {owner} output {node.outputs.index(b)}"
            yield from _nodes(live["applies"][n], node, n)
            queue.extend(zip(live["applies"][n]["inputs"], node.inputs))
    if len(nodes) != len(graph.applies) or len(live["applies"]) != len(graph.applies):
        yield f"{len(live['applies'])} nodes, {len(graph.applies)} read"


def _nodes(live: Live, node: Any, n: int) -> Iterator[str]:
    if _text(live["op"]["text"]) != _text(node.op.text):
        yield f"node {n}: {live['op']['text']} read as {node.op.text}"
    if live["op"]["name"] != node.op.name:
        yield f"node {n}: class {live['op']['name']} read as {node.op.name} ({node.op.text})"
    if len(live["inputs"]) != len(node.inputs):
        yield f"node {n} ({node.op.text}): {len(live['inputs'])} inputs, {len(node.inputs)} read"
    inner = live["op"].get("inner")
    # Up to PyTensor 3.0.7 the inner graph of an OpFromGraph is printed as it was before any rewriting.
    if inner is not None and node.op.inner is not None and inner["outputs"] and node.op.name != "OpFromGraph":
        found = [list(_compare(g, node.op.inner, None)) for g in (_written_last(inner), inner)]  # without types it is left as printed
        yield from (f"inner graph of node {n}: {d}" for d in min(found, key=len))


def _written_last(inner: Live) -> Live:
    """The inner graph of a Scan with what its recurrences of several taps write behind its other results, as the readers have it."""
    wrote = sum(map(len, inner.get("info", {}).get("mit_mot_out_slices", ())))
    if not wrote or any("update" in i for i in inner["inputs"]):
        return inner
    return {**inner, "outputs": [*inner["outputs"][wrote:], *inner["outputs"][:wrote]]}


def _variables(live: Live, a: int, graph: FunctionGraph, b: int, untyped: frozenset[int] | None) -> Iterator[str]:
    row, read = live["variables"][a], graph.variables[b]
    if untyped is not None and b not in untyped and row["type"]["text"] != read.type.text and not read.type.text.startswith("shape="):
        yield f"variable {a}: type {row['type']['text']} read as {read.type.text}"
    elif untyped is not None and b not in untyped and read.type.dtype and list(read.type.shape) != row["type"]["shape"]:
        yield f"variable {a}: shape {row['type']['shape']} read as {read.type}"
    elif untyped is not None and b not in untyped and read.type.dtype and row["type"]["kind"] != read.type.kind.value:
        yield f"variable {a}: kind {row['type']['kind']} read as {read.type}"
    if ("constant" in row) != isinstance(read, Constant):
        yield f"variable {a} ({row}) is a constant on one side: {read}"
    elif isinstance(read, Constant):
        value = row["constant"].get("value")
        if read.value is not None and value is not None and not _close(value, read.value):
            yield f"constant {a}: {value} read as {read.value}"
        if all(isinstance(d, int) for d in read.shape) and list(read.shape) != row["constant"]["shape"]:
            yield f"constant {a}: shape {row['constant']['shape']} read as {read.shape}"
    elif untyped is not None and row["name"] != read.name and row["name"]:
        yield f"variable {a}: name {row['name']} read as {read.name}"


def _close(a: Any, b: Any) -> bool:
    """Equal but for the digits that numpy does not print."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_close, a, b))
    return isinstance(a, (int, float)) and isinstance(b, (int, float)) and abs(a - b) <= 1e-6 * max(abs(a), abs(b))
