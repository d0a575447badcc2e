"""Classes of Ops that a source derives."""

from __future__ import annotations

from collections.abc import Mapping

from .calls import call, whole
from .model import Safety
from .scopes import Use
from .session import Rewriter, Session
from .syntax import Node, symbols
from .targets import Counterpart


def _op(session: Session, use: Use, found: Counterpart) -> None:
    """An Op with C code derives from COp."""
    node = use.leaves[0]
    sym = symbols()
    while node is not None and node.type not in (sym.classdef, sym.suite, sym.funcdef):
        node = node.parent
    if node is None or node.type != sym.classdef or call(use) or not whole(session, use, found) or session.wish.target != "pytensor":
        return
    if "c_code" in _methods(node):
        session.named[use] = "link.c.op.COp"
        session.note(use.leaves[0], use.leaves[-1], use.name, Safety.SAFE, "an Op with c_code derives from COp", "pytensor.link.c.op.COp")


def _methods(node: Node) -> set[str]:
    """Names of the functions that a class defines."""
    sym = symbols()
    suite = node.children[-1]
    inner = [c.children[-1] if c.type == sym.decorated else c for c in suite.children]
    return {c.children[1].value for c in inner if c.type == sym.funcdef}


REWRITERS: Mapping[str, Rewriter] = dict.fromkeys(("gof.Op", "Op", "gof.op.Op", "tensor.Op", "graph.op.Op"), _op)
"""Name -> what writes its uses."""
