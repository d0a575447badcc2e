"""`if not W: W = theano.shared(...)`, or `self.W = ...`: Theano's variables count as true there, PyTensor's are refused."""

from __future__ import annotations

from .model import Safety
from .session import Session
from .syntax import NAME, Node, first_leaf, symbols

_REASON = "a variable has no truth value in pytensor; 0, or something empty, was replaced as None was"


def write(session: Session) -> None:
    """Asks for None where a name that is not set gets a variable of the framework."""
    sym = symbols()
    if session.wish.target != "pytensor":
        return
    own = {id(use.leaves[0]) for use in session.found}
    for leaf in session.tree.leaves:
        test = leaf.parent
        if leaf.value != "not" or test is None or test.type != sym.not_test or test.parent is None or test.parent.type != sym.if_stmt:
            continue
        name, branch = test.children[1], test.parent
        if name.children or name.type != NAME or branch.children[1] is not test or not _assigned(branch.children[3], name.value, own):
            continue
        if session.wish.unsafe:
            session.replace(test, None, f"{name.value} is None")
            session.note(test, None, f"not {name.value}", Safety.UNSAFE, _REASON, f"{name.value} is None")


def _assigned(suite: Node, name: str, own: set[int]) -> bool:
    """Whether a statement of the branch gives the name something of the framework's."""
    sym = symbols()
    lines = [line for line in suite.children if line.children and line.type == sym.simple_stmt] if suite.type == sym.suite else [suite]
    for line in lines:
        for statement in line.children:
            if statement.children and statement.type == sym.expr_stmt and len(statement.children) == 3:
                target, value = statement.children[0], statement.children[2]
                if _called(target) == name and id(first_leaf(value)) in own:
                    return True
    return False


def _called(target: Node) -> str | None:
    """The name that is assigned to, `input` of `self.input` too."""
    last = target
    while last.children and last.type in (symbols().power, symbols().trailer):
        last = last.children[-1]
    return None if last.children or last.type != NAME else str(last.value)
