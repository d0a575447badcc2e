"""Which expressions of a source are certainly symbolic variables, rather than lists or numbers.

In tests such as `if not W: W = theano.shared(...)`, Theano's variables count as true; PyTensor's raise an error.
"""

from __future__ import annotations

import re

from .model import Safety
from .scopes import Scope
from .session import PortSession
from .syntax import NAME, Node, dotted, first_leaf, listed, statements, symbols

_MANY = frozenset((
    "grad", "jacobian", "hessian", "split", "nonzero", "mgrid", "ogrid", "meshgrid", "max_and_argmax", "slogdet", "eig", "eigh", "svd",
    "qr", "unstack", "broadcast_arrays", "where", "verify_grad",
))  # fmt: skip
"""Functions of `tensor` that return, or may return, several variables."""
_PLURAL = re.compile(r"[a-z]*(?:scalars|vectors|matrices|rows|cols|tensors[345])\Z")


def is_variable(session: PortSession, node: Node) -> bool:
    """Returns whether an expression is certainly a Variable: a call of `tensor` or of a PyMC class, an item of such a value, or a name
    bound only to such values.
    """
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


def _scopes(session: PortSession, leaf: Node) -> list[Scope]:
    """All scopes that bind a name with this text, even unrelated ones: they can only make the answer negative."""
    return [scope for scope in session.names.scopes if leaf.value in scope.others]


def _is_given_one(session: PortSession, leaf: Node) -> bool:
    """Whether a leaf is bound by `name = a call`."""
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


def _is_made(session: PortSession, power: Node) -> bool:
    """Whether a call returns exactly one variable."""
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


def _uses(session: PortSession) -> dict[int, str]:
    """Identity of the first leaf of each use -> full dotted name."""
    return {id(use.leaves[0]): use.name for use in session.names.uses}


def _pymc(session: PortSession) -> set[str]:
    """The names that refer to PyMC in the source."""
    sym, aliases = symbols(), set[str]()
    for statement in statements(session.tree.root):
        if statement.type == sym.import_name:
            for part in listed(statement.children[1], sym.dotted_as_names):
                name = dotted(part.children[0]) if part.children and part.type == sym.dotted_as_name else dotted(part)
                if name in ("pymc", "pymc3"):
                    aliases.add(str(part.children[2].value) if part.children and part.type == sym.dotted_as_name else name)
    return aliases


_REASON = "a variable has no truth value in pytensor; 0, or something empty, was replaced as None was"
_ASSERTED = "a variable has no truth value in pytensor; 0, or something empty, counted as None did"


def write(session: PortSession) -> None:
    """Changes truth tests of variables to comparisons with None, if the code sets a default or asserts a parameter there."""
    sym = symbols()
    if session.options.target != "pytensor":
        return
    own = {id(use.leaves[0]) for use in session.counterparts}
    for leaf in session.tree.leaves:
        if leaf.value == "assert":
            _asserted(session, leaf)
        elif leaf.value in ("if", "or"):
            _chosen(session, leaf, own)
            _given(session, leaf)
        test = leaf.parent
        if leaf.value != "not" or test is None or test.type != sym.not_test or test.parent is None or test.parent.type != sym.if_stmt:
            continue
        name, branch = test.children[1], test.parent
        if name.children or name.type != NAME or branch.children[1] is not test or not _assigned(branch.children[3], name.value, own):
            continue
        if session.options.unsafe:
            session.replace(test, None, f"{name.value} is None")
        session.note(test, None, f"not {name.value}", Safety.UNSAFE, _REASON, f"{name.value} is None")


def _chosen(session: PortSession, leaf: Node, own: set[int]) -> None:
    """Changes `x if x else a value of the framework`, and `x or` such a value, to a choice by comparison with None."""
    sym, choice = symbols(), leaf.parent
    if choice is None or not choice.children or choice.children[0].type != NAME or id(first_leaf(choice.children[-1])) not in own:
        return
    name, parts, around = choice.children[0].value, choice.children, choice.parent
    if choice.type == sym.test and len(parts) == 5 and not parts[2].children and parts[2].value == name:
        first, last, text = parts[2], parts[2], f"{name} is not None"
    elif (
        choice.type == sym.or_test
        and len(parts) == 3
        and around is not None
        and around.type in (sym.expr_stmt, sym.return_stmt, sym.argument, sym.arglist, sym.atom, sym.trailer)
    ):
        first, last, text = parts[0], parts[1], f"{name} if {name} is not None else"
    else:
        return
    if session.options.unsafe:
        session.replace(first, last, text)
    session.note(choice, None, f"{name} {leaf.value}", Safety.UNSAFE, _REASON, f"{name} if {name} is not None else ...")


def _given(session: PortSession, leaf: Node) -> None:
    """Changes `if x:`, for a parameter that is None by default and that its function elsewhere compares with None, to such a comparison."""
    branch = leaf.parent
    if branch is None or branch.type != symbols().if_stmt or branch.children[0] is not leaf or branch.children[1].type != NAME:
        return
    name, function = branch.children[1], _function(branch)
    compared = function is not None and (id(function), name.value) in session.once(_compared)
    if function is None or not compared or not _none_by_default(function.children[2], name.value):
        return
    if session.options.unsafe:
        session.replace(name, None, f"{name.value} is not None")
    session.note(name, None, f"if {name.value}", Safety.UNSAFE, _ASSERTED, f"if {name.value} is not None")


def _compared(session: PortSession) -> set[tuple[int, str]]:
    """The names that a function compares with None: its identity, and the name."""
    leaves, compared = session.tree.leaves, set()
    for n, leaf in enumerate(leaves):
        if leaf.value == "is" and "None" in [one.value for one in leaves[n + 1 : n + 3]] and (n < 2 or leaves[n - 2].value != "."):
            function = _function(leaf)
            if function is not None:
                compared.add((id(function), leaves[n - 1].value))
    return compared


def _function(node: Node) -> Node | None:
    """The innermost function definition around a node."""
    around = node.parent
    while around is not None and around.type != symbols().funcdef:
        around = around.parent
    return around


def _asserted(session: PortSession, leaf: Node) -> None:
    """Changes `assert x`, for a parameter that is None by default, to a comparison with None."""
    sym = symbols()
    statement = leaf.parent
    if statement is None or statement.type != sym.assert_stmt:
        return
    name, function = statement.children[1], _function(statement)
    if function is None or name.children or name.type != NAME or not _none_by_default(function.children[2], name.value):
        return
    if session.options.unsafe:
        session.replace(name, None, f"{name.value} is not None")
    session.note(name, None, f"assert {name.value}", Safety.UNSAFE, _ASSERTED, f"assert {name.value} is not None")


def _none_by_default(parameters: Node, name: str) -> bool:
    """Whether the parameters of a function include `name=None`."""
    inner = [c for part in parameters.children for c in (part.children if part.children else [part])]
    words = [c.value if not c.children else "" for c in inner]
    return any(words[n : n + 3] == [name, "=", "None"] for n in range(len(words)))


def _assigned(suite: Node, name: str, own: set[int]) -> bool:
    """Whether a statement of the block assigns a value of the framework to the name; `own`: identities of the first leaves of uses."""
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
    """The name assigned to, which is `input` for `self.input` too; None for other targets."""
    last = target
    while last.children and last.type in (symbols().power, symbols().trailer):
        last = last.children[-1]
    return None if last.children or last.type != NAME else str(last.value)
