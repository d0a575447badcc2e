"""How many bytes of temporaries a call needs: buffers that share memory, and those that lie where a result will be.

Source: openxla/xla, service/buffer_assignment.cc: buffers are placed by size, the largest first; one goes into an earlier buffer that is
large enough and not in use at the same time, the results' among them; what an element-wise loop, an update of a slice or a loop of steps
writes may take the place of an operand that nobody reads later.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass

from ...ir import Apply, FunctionGraph
from .fusion import FEW, LOOPS, VIEWS
from .products import PRODUCTS

ALIGNED = 128
"""Bytes added to each buffer, since XLA aligns buffers."""
IN_PLACE = ("Elemwise", "IncSubtensor", "AdvancedIncSubtensor", "AdvancedIncSubtensor1", "Scan")
"""Ops whose results may take the place of an operand of the same size."""
FOREVER = 1 << 60
"""The last use of a result, beyond every node."""


@dataclass
class Block:
    """Memory that one value lies in after another."""

    nbytes: int
    first: int
    """Node that writes the first value."""
    last: int
    """Last node that reads it."""
    is_result: bool


def temporaries(graph: FunctionGraph, size: Callable[[int], int], work: Mapping[int, int], unwritten: Container[int]) -> int:
    """The highest sum of the bytes of temporaries and workspace (`work`, by node) in use at once, with nodes in the order of the graph."""
    blocks = _blocks(graph, size, unwritten)
    places: list[tuple[int, list[Block]]] = [(b.nbytes, [b]) for b in blocks if b.is_result]
    left: list[Block] = []
    for block in sorted((b for b in blocks if not b.is_result), key=lambda b: -b.nbytes):
        for room, held in places if block.nbytes > FEW else ():
            if block.nbytes <= room and all(block.last < other.first or other.last < block.first for other in held):
                held.append(block)
                break
        else:
            left.append(block)
    change: dict[int, int] = {}
    for block in left:
        change[block.first] = change.get(block.first, 0) + block.nbytes + ALIGNED
        change[block.last + 1] = change.get(block.last + 1, 0) - block.nbytes - ALIGNED
    live = most = 0
    for node in range(len(graph.applies) + 1):
        live += change.get(node, 0)
        most = max(most, live + work.get(node, 0))
    return most


def _blocks(graph: FunctionGraph, size: Callable[[int], int], unwritten: Container[int]) -> list[Block]:
    """The blocks of all values that are written."""
    ends, results = _ends(graph, unwritten), frozenset(graph.outputs)
    block_of: dict[int, Block] = {}
    blocks: list[Block] = []
    for node in graph.applies:
        for v in node.outputs:
            is_result = v in results
            if v in unwritten or (is_view(graph, node) and not is_result) or not (is_result or graph.clients[v]):
                continue
            nbytes = size(v)
            last = FOREVER if is_result else ends.get(v, node.id)
            taken = None
            if nbytes > FEW and (node.op.name in IN_PLACE or (node.op.name in VIEWS and is_result)):
                operands = (block_of.get(u) for u in _operands(graph, node, unwritten))
                taken = next((b for b in operands if b and not b.is_result and b.last <= node.id and b.nbytes == nbytes), None)
            if taken is None:
                taken = Block(nbytes, node.id, last, is_result)
                blocks.append(taken)
            taken.last, taken.is_result = last, is_result
            block_of[v] = taken
    return blocks


def is_view(graph: FunctionGraph, node: Apply) -> bool:
    """Whether the node's result is its input's memory in another shape: not where dimensions are exchanged and no loop reads it."""
    if node.op.name not in VIEWS:
        return False
    in_loops = all(graph.applies[n].op.name in (*LOOPS, *PRODUCTS) for v in node.outputs for n, _ in graph.clients[v])
    return in_loops or is_upright(graph, node.outputs[0])


def is_upright(graph: FunctionGraph, variable: int) -> bool:
    """Whether a Variable is not the result of a DimShuffle that exchanges dimensions."""
    owner = graph.variables[variable].owner
    order = () if owner is None else graph.applies[owner].op.params.get("new_order")
    kept = [d for d in order if isinstance(d, int)] if isinstance(order, (list, tuple)) else []
    return kept == sorted(kept)


def _ends(graph: FunctionGraph, unwritten: Container[int]) -> dict[int, int]:
    """The last node that reads each value, through views of it and through values that are computed where they are read."""
    last: dict[int, int] = {}
    results = frozenset(graph.outputs)
    for node in reversed(graph.applies):
        through = is_view(graph, node)
        own = (FOREVER if v in results and through else last.get(v, 0) for v in node.outputs if v in unwritten or through)
        end = max([node.id, *own])
        for v in node.inputs:
            last[v] = max(last.get(v, 0), end)
    return last


def _operands(graph: FunctionGraph, node: Apply, unwritten: Container[int]) -> list[int]:
    """The written values that a node reads, also through element-wise values that it computes itself."""
    found: list[int] = []
    seen: set[int] = set()
    todo = list(node.inputs)
    while todo:
        v = todo.pop()
        owner = graph.variables[v].owner
        if v in seen or owner is None:
            continue
        seen.add(v)
        maker = graph.applies[owner]
        if (v in unwritten and maker.op.name == "Elemwise") or is_view(graph, maker):
            todo.extend(maker.inputs)
        else:
            found.append(v)
    return found
