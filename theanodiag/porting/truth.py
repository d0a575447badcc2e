"""`if not W: W = theano.shared(...)`, or `self.W = ...`: Theano's variables count as true there, PyTensor's are refused."""

from __future__ import annotations

from .model import Safety
from .session import Session
from .syntax import NAME, Node, first_leaf, symbols

_REASON = "a variable has no truth value in pytensor; 0, or something empty, was replaced as None was"
_ASSERTED = "a variable has no truth value in pytensor; 0, or something empty, was refused as None was"


def write(session: Session) -> None:
    """Asks for None where a name that is not set gets a variable of the framework, and where a parameter is asserted."""
    sym = symbols()
    if session.wish.target != "pytensor":
        return
    own = {id(use.leaves[0]) for use in session.found}
    for leaf in session.tree.leaves:
        if leaf.value == "assert":
            _asserted(session, leaf)
        test = leaf.parent
        if leaf.value != "not" or test is None or test.type != sym.not_test or test.parent is None or test.parent.type != sym.if_stmt:
            continue
        name, branch = test.children[1], test.parent
        if name.children or name.type != NAME or branch.children[1] is not test or not _assigned(branch.children[3], name.value, own):
            continue
        if session.wish.unsafe:
            session.replace(test, None, f"{name.value} is None")
            session.note(test, None, f"not {name.value}", Safety.UNSAFE, _REASON, f"{name.value} is None")


def _asserted(session: Session, leaf: Node) -> None:
    """`assert x` of a parameter that is None by default."""
    sym = symbols()
    statement = leaf.parent
    if statement is None or statement.type != sym.assert_stmt:
        return
    name, function = statement.children[1], statement.parent
    while function is not None and function.type != sym.funcdef:
        function = function.parent
    if function is None or name.children or name.type != NAME or not _none_by_default(function.children[2], name.value):
        return
    if session.wish.unsafe:
        session.replace(name, None, f"{name.value} is not None")
        session.note(name, None, f"assert {name.value}", Safety.UNSAFE, _ASSERTED, f"assert {name.value} is not None")


def _none_by_default(parameters: Node, name: str) -> bool:
    """Whether the parameters of a function have `name=None`."""
    inner = [c for part in parameters.children for c in (part.children if part.children else [part])]
    words = [c.value if not c.children else "" for c in inner]
    return any(words[n : n + 3] == [name, "=", "None"] for n in range(len(words)))


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
