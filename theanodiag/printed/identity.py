"""Resolves which node a line refers to: by its id, or, where no ids are printed, by order number and text."""

from __future__ import annotations

from collections import deque

from .label import split_output
from .model import Label
from .nodes import OpenNode, PrintedNode, Ref, Section

_NEAR = 64
"""Number of recent nodes that are searched for one that has an id for each output."""


class Unclear(Exception):
    """Raised where a line could refer to several nodes, or contradicts another line."""


def resolve(section: Section, entry: OpenNode) -> Ref:
    """The node that `entry` refers to, updated with what the line says; raises Unclear."""
    label, children = entry.label, entry.children
    node = _by_id(section, entry) if label.id else _by_text(section, entry)
    if not node.is_apply and (children or says_apply(entry)):
        node.become_apply()
    output = None
    if node.is_apply and label.text is not node.base:  # the interned text itself has no output number
        base, number = split_output(label.text)
        output = number if base == node.base else None
    node.note(label, output)
    if children and node.children is None:
        node.children = children
        if not node.id or node.n_outputs > 1:
            _remember(section, node)
    # tuple.__new__ takes half the time of Ref(...)
    return tuple.__new__(Ref, (node, output or 0))


def says_apply(entry: OpenNode) -> bool:
    """Whether the line itself shows that it is an Apply."""
    label = entry.label
    return bool(entry.children or entry.dots or label.name is not None or label.order or label.destroy or label.view or entry.inner)


def agrees(node: PrintedNode, label: Label) -> bool:
    """Whether a line with the id of `node` shows the same Op or leaf."""
    if node.head == label.text or node.base == label.text:
        return True
    base = split_output(label.text)[0]
    return base == node.base or base == split_output(node.head)[0] or _squeezed(base) == _squeezed(node.base)


def _squeezed(text: str) -> str:
    """`text` without spaces, which wrapping adds and removes."""
    return "".join(text.split())


def _by_id(section: Section, entry: OpenNode) -> PrintedNode:
    label = entry.label
    node = section.by_id.get(label.id)
    if node is None:
        other = _other_output(section, entry) if label.id.isdigit() else None
        node = section.by_id[label.id] = other or PrintedNode(label, entry.line.number)
        if other is None:
            return node
    if not agrees(node, label):
        raise Unclear(f"id {label.id} already stands for {node.head[:60]!r} of line {node.line}")
    return node


def _other_output(section: Section, entry: OpenNode) -> PrintedNode | None:
    """The Apply of another output, found by text and order: up to Theano 0.5 each output had an id of its own (its Python id)."""
    label = entry.label
    if len(label.id) < 6 or entry.children:
        return None
    base, output = split_output(label.text)
    if output is None:
        return None
    near = list(section.by_text.get(base, ()))[-_NEAR:]
    found = [n for n in near if output not in n.seen and (not label.order or n.order == int(label.order))]
    return found[0] if len(found) == 1 else None


def _remember(section: Section, node: PrintedNode) -> None:
    """Registers a node whose inputs are known, for lines without ids."""
    section.by_text.setdefault(node.base, deque(maxlen=None if not node.id else _NEAR)).append(node)
    for kind in {"", *(s.type for s in node.seen.values())}:
        section.local.setdefault((node.base, kind), []).append(node)
    if not node.id and node.order is not None:
        section.by_order[node.base, node.order] = node


def _by_text(section: Section, entry: OpenNode) -> PrintedNode:
    label = entry.label
    base = split_output(label.text)[0]
    if label.order and len(label.order) < 12:
        known = section.by_order.get((base, int(label.order)))
        return known if known is not None else PrintedNode(label, entry.line.number)
    if entry.children:
        return PrintedNode(label, entry.line.number)
    found = _candidates(section, entry, base)
    if len(found) > 1:
        raise Unclear(f"{len(found)} nodes are called {base[:60]!r}, and without ids nothing tells which one is meant")
    if found:
        return found[0]
    if says_apply(entry):
        return PrintedNode(label, entry.line.number)
    return section.leaves.setdefault((label.text, label.type), PrintedNode(label, entry.line.number))


def _candidates(section: Section, entry: OpenNode, base: str) -> list[PrintedNode]:
    """Nodes with this text and type; for the head of an inner graph, the first without one."""
    if not entry.inner:
        kind = "" if base != entry.label.text else entry.label.type  # for a node with several outputs, not every type is known yet
        return section.local.get((base, kind), [])
    heads = section.by_text.get(base, deque())
    while heads and heads[0].inner is not None:
        heads.popleft()
    return [heads[0]] if heads else []
