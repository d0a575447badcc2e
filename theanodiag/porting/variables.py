"""Which expressions of a source are symbolic variables for sure: no list, and no number."""

from __future__ import annotations

import re

from .scopes import Scope
from .session import Session
from .syntax import NAME, Node, dotted, listed, statements, symbols

_MANY = frozenset((
    "grad", "jacobian", "hessian", "split", "nonzero", "mgrid", "ogrid", "meshgrid", "max_and_argmax", "slogdet", "eig", "eigh", "svd",
    "qr", "unstack", "broadcast_arrays", "where", "verify_grad",
))  # fmt: skip
"""Functions of `tensor` that give several variables, or may."""
_PLURAL = re.compile(r"[a-z]*(?:scalars|vectors|matrices|rows|cols|tensors[345])\Z")
_PYMC = ("pymc", "pymc3")


def is_variable(session: Session, node: Node) -> bool:
    """Whether an expression is a call of `tensor` or of a class of PyMC's, an item of such, or a name that nothing else is given to."""
    sym = symbols()
    if node.children:
        if node.type != sym.power:
            return False
        if node.children[-1].children and node.children[-1].children[0].value == "[" and not node.children[0].children:
            return len(node.children) == 2 and is_variable(session, node.children[0])
        return _is_made(session, node)
    if node.type != NAME:
        return False
    bound = [leaf for scope in _scopes(session, node) for leaf in scope.others.get(node.value, ())]
    return bool(bound) and all(_is_given_one(session, leaf) for leaf in bound)


def _scopes(session: Session, leaf: Node) -> list[Scope]:
    """All scopes that bind a name of this text: one that is not the name's own can only make the answer no."""
    return [scope for scope in session.names.scopes if leaf.value in scope.others]


def _is_given_one(session: Session, leaf: Node) -> bool:
    """Whether what binds a name is `name = a call`."""
    parent = leaf.parent
    return (
        parent is not None
        and parent.type == symbols().expr_stmt
        and len(parent.children) == 3
        and parent.children[0] is leaf
        and parent.children[1].value == "="
        and bool(parent.children[2].children)
        and parent.children[2].type == symbols().power
        and _is_made(session, parent.children[2])
    )


def _is_made(session: Session, power: Node) -> bool:
    """Whether a call makes one variable."""
    last, head = power.children[-1], power.children[0]
    if not last.children or last.children[0].value != "(" or head.children:
        return False
    names = [trailer.children[1].value for trailer in power.children[1:-1] if trailer.children and trailer.children[0].value == "."]
    if len(names) != len(power.children) - 2:
        return False
    name = names[-1] if names else head.value
    if head.value in session.once(_pymc) and names:
        return bool(name[:1].isupper()) and name != "Model"
    use = session.once(_uses).get(id(head))
    inside = use.partition(".")[2] if use is not None else ""
    return inside == "shared" or (inside.startswith("tensor.") and name not in _MANY and not _PLURAL.match(name) and name[:1].islower())


def _uses(session: Session) -> dict[int, str]:
    """The names of the framework that are used, by the identity of their first leaf."""
    return {id(use.leaves[0]): use.name for use in session.names.uses}


def _pymc(session: Session) -> set[str]:
    """What PyMC is called in the source."""
    sym, found = symbols(), set[str]()
    for statement in statements(session.tree.root):
        if statement.type == sym.import_name:
            for part in listed(statement.children[1], sym.dotted_as_names):
                name = dotted(part.children[0]) if part.children and part.type == sym.dotted_as_name else dotted(part)
                if name in _PYMC:
                    found.add(str(part.children[2].value) if part.children and part.type == sym.dotted_as_name else name)
    return found
