"""Subclasses of Ops that a source defines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .calls import call, whole
from .model import Safety
from .scopes import Use
from .session import PortSession, Rewriter
from .syntax import NAME, Node, symbols
from .targets import LEGACY, Counterpart

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
    classes = session.once(_classes)
    in_c = _run_in_c(classes, node.children[1].value)
    if in_c:
        session.named[use] = "link.c.op.COp"
        session.note(use.leaves[0], use.leaves[-1], use.name, Safety.SAFE, "an Op with c_code derives from COp", "pytensor.link.c.op.COp")
        for one in in_c:
            reason = _BOTH if "perform" in _inherited(classes, one) else _C_ONLY
            session.note(classes[one].name, None, one, Safety.BY_HAND, reason, _C_MODE)
    elif "perform" not in _methods(node) and node.children[1].value in session.once(_thunks):
        session.done.add(use)
        session.rename(use, counterpart, session.piece((LEGACY, "ThunkOp")))
        session.note(
            use.leaves[0],
            use.leaves[-1],
            use.name,
            Safety.SAFE,
            "in pytensor every Op needs a perform",
            "theanodiag's ThunkOp, whose perform runs the thunk",
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


class _Class(NamedTuple):
    """A class of the source: its name's leaf, the names in its list of bases, and the names of its methods."""

    name: Node
    bases: list[str]
    methods: set[str]


def _classes(session: PortSession) -> dict[str, _Class]:
    """The classes of the source, by name."""
    sym = symbols()
    nodes = [leaf.parent for leaf in session.tree.leaves if leaf.value == "class" and getattr(leaf.parent, "type", 0) == sym.classdef]
    return {
        c.children[1].value: _Class(c.children[1], [f.value for p in c.children[2:-1] for f in p.leaves() if f.type == NAME], _methods(c))
        for c in nodes
    }


def _inherited(classes: dict[str, _Class], name: str) -> set[str]:
    """Names of the methods of a class and of its base classes in the source."""
    known, left, methods = set(), [name], set()
    while left:
        one = left.pop()
        if one in classes and one not in known:
            known.add(one)
            methods |= classes[one].methods
            left += classes[one].bases
    return methods


def _run_in_c(classes: dict[str, _Class], name: str) -> list[str]:
    """Names of the classes whose C code Theano ran, among the class `name` and those derived from it, without those derived from a listed
    one: their c_code may be their own, or that of any of their base classes in the source."""
    listed, derived, left = [], set(), [name]
    while left:
        one = left.pop(0)
        if one in derived:
            continue
        derived.add(one)
        if "c_code" in _inherited(classes, one):
            listed.append(one)
        else:
            left += [other for other, held in classes.items() if one in held.bases]
    return listed


def _thunks(session: PortSession) -> set[str]:
    """Names of the source's classes that define `make_thunk` but not `perform`, and of their base classes in it that do not either."""
    classes = session.once(_classes)
    thunks: set[str] = set()
    left = [name for name, one in classes.items() if "make_thunk" in one.methods and "perform" not in one.methods]
    while left:
        name = left.pop()
        if name not in thunks:
            thunks.add(name)
            left += [base for base in classes[name].bases if base in classes and "perform" not in classes[base].methods]
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
