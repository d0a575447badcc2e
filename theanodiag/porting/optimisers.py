"""`optimiser.optimize(fgraph)`, which is `rewrite(fgraph)` in PyTensor."""

from __future__ import annotations

from collections.abc import Iterator

from .calls import call
from .model import Safety
from .scopes import Use
from .session import Session
from .syntax import NAME, Node, symbols

_NAME = "optimize"
_ADVICE = "rewrite(fgraph)"
_REASON = "an optimiser of pytensor has no optimize"


def write(session: Session) -> None:
    """Renames the method of optimisers that the source makes; of other objects it is left to do by hand, if the source has optimisers."""
    if session.wish.target != "pytensor" or not any(leaf.value == _NAME for leaf in session.tree.leaves):
        return
    makers = [use for use in session.found if _is_optimiser(use)]
    made = {id(call(use)) for use in makers}
    names = {name for use in makers for name in _bound(use)}
    for receiver, method in _methods(session) if makers else ():
        known = id(receiver) in made or (not receiver.children and receiver.value in names)
        if known:
            session.replace(method, None, "rewrite")
        safety, why = (Safety.SAFE, _REASON) if known else (Safety.BY_HAND, f"{_REASON}, if this is one")
        session.note(method, None, f".{_NAME}", safety, why, _ADVICE)


def _is_optimiser(use: Use) -> bool:
    """Whether a use makes an optimiser: a class of that name is called, or `optdb` is asked."""
    last = str(use.leaves[-1].value)
    return call(use) is not None and (last.endswith("Optimizer") or use.name.endswith(".optdb.query"))


def _bound(use: Use) -> Iterator[str]:
    """The name that is bound to what a use makes."""
    whole = use.leaves[0].parent
    statement = whole.parent if whole is not None else None
    if whole is None or statement is None or statement.type != symbols().expr_stmt or whole.children[-1] is not call(use):
        return
    target = statement.children[0]
    if len(statement.children) == 3 and statement.children[2] is whole and not target.children and target.type == NAME:
        yield str(target.value)


def _methods(session: Session) -> Iterator[tuple[Node, Node]]:
    """What stands before each `.optimize(...)`, and the method's name."""
    for leaf in session.tree.leaves:
        trailer = leaf.parent
        if leaf.value != _NAME or trailer is None or trailer.type != symbols().trailer or trailer.children[0].value != ".":
            continue
        before, behind = trailer.prev_sibling, trailer.next_sibling
        if before is not None and behind is not None and behind.children and behind.children[0].value == "(":
            yield before, leaf
