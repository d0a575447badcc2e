"""Subclasses of Ops that a source defines."""

from __future__ import annotations

from collections.abc import Mapping

from .calls import call, whole
from .model import Safety
from .scopes import Use
from .session import PortSession, Rewriter
from .syntax import NAME, Node, symbols
from .targets import LEGACY, Counterpart

_THUNK = (LEGACY, "ThunkOp")
_THUNK_REASON = "in pytensor every Op needs a perform"
_BOTH = "PyTensor's default mode runs its perform, where Theano ran its C code: another result if they differ"
_C_ONLY = "in PyTensor every Op needs a perform, and C code runs only in the C mode"
_C_MODE = "a perform that computes what the C code does; pytensor.function(..., mode=Mode(linker='cvm')) runs the C code"


def _op(session: PortSession, use: Use, counterpart: Counterpart) -> None:
    """Ports the base class of an Op: COp if it has C code, which PyTensor's default mode does not run; compat's class, whose `perform` runs
    thunks, if it only makes thunks."""
    node = use.leaves[0]
    sym = symbols()
    while node is not None and node.type not in (sym.classdef, sym.suite, sym.funcdef):
        node = node.parent
    if (
        node is None
        or node.type != sym.classdef
        or call(use)
        or not whole(session, use, counterpart)
        or session.options.target != "pytensor"
    ):
        return
    methods = _methods(node)
    if "c_code" in methods:
        session.named[use] = "link.c.op.COp"
        session.note(use.leaves[0], use.leaves[-1], use.name, Safety.SAFE, "an Op with c_code derives from COp", "pytensor.link.c.op.COp")
        reason = _BOTH if "perform" in methods else _C_ONLY
        session.note(node.children[1], None, node.children[1].value, Safety.BY_HAND, reason, _C_MODE)
    elif "perform" not in methods and node.children[1].value in session.once(_thunks):
        session.done.add(use)
        session.rename(use, counterpart, session.piece(_THUNK))
        session.note(
            use.leaves[0], use.leaves[-1], use.name, Safety.SAFE, _THUNK_REASON, "theanodiag's ThunkOp, whose perform runs the thunk"
        )


def _methods(node: Node) -> set[str]:
    """Names of the functions that a class body defines or assigns."""
    sym = symbols()
    names = set()
    for child in node.children[-1].children:
        inner = child.children[-1] if child.children and child.type == sym.decorated else child
        if inner.children and inner.type == sym.funcdef:
            names.add(inner.children[1].value)
        elif inner.children and inner.type == sym.simple_stmt and inner.children[0].children and inner.children[0].type == sym.expr_stmt:
            names.add(getattr(inner.children[0].children[0], "value", ""))
    return names


def _thunks(session: PortSession) -> set[str]:
    """Names of the source's classes that define `make_thunk` but not `perform`, and of their base classes in it that do not either."""
    sym = symbols()
    classes = [leaf.parent for leaf in session.tree.leaves if leaf.value == "class" and getattr(leaf.parent, "type", 0) == sym.classdef]
    bases = {c.children[1].value: [leaf.value for p in c.children[2:-1] for leaf in p.leaves() if leaf.type == NAME] for c in classes}
    methods = {c.children[1].value: _methods(c) for c in classes}
    thunks: set[str] = set()
    left = [name for name, held in methods.items() if "make_thunk" in held and "perform" not in held]
    while left:
        name = left.pop()
        if name not in thunks:
            thunks.add(name)
            left += [base for base in bases[name] if base in bases and "perform" not in methods[base]]
    return thunks


_OPS = (
    "gof.Op",
    "Op",
    "gof.op.Op",
    "tensor.Op",
    "graph.op.Op",
    "gof.PureOp",
    "gof.op.PureOp",
    "ifelse.PureOp",
    "scan_module.scan_op.PureOp",
)
REWRITERS: Mapping[str, Rewriter] = dict.fromkeys(_OPS, _op)
"""Name -> function that rewrites its uses."""
