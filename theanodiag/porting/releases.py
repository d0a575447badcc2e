"""Ports PyTensor 2 to 3: renamed arguments, removed flags, methods of Ops, and return values of `scan`."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from ..compat.names import legacy
from . import flags
from .calls import allowed, call
from .model import PortEdit, Safety
from .scopes import Use
from .session import ARGUMENTS, PortSession
from .syntax import NAME, Node, arguments, first_leaf, keyword, listed, symbols
from .targets import Counterpart, CounterpartKind

_OPS = ("graph.op.Op", "link.c.op.COp", "link.c.op.ExternalCOp", "link.c.op.OpenMPOp")
_RENAMED_METHOD = (
    "pytensor 3.3 asks pullback first: the grad or L_op of a class elsewhere that derives from this one is not called any more"
)
_SCAN = "the loop is refused if it updates shared variables, as old random streams do; before, these updates were left out"
_STREAM = "deprecated, though it still works; shared_rng draws other numbers from the same seed"
_STREAM_ADVICE = "rng = pt.random.shared_rng(seed); next_rng, x = rng.normal(...); function(..., updates={rng: next_rng})"


def write(session: PortSession) -> None:
    """Rewrites what differs between the releases of PyTensor, at each use of a name of PyTensor, and of a name of Aesara that PyTensor
    still has.
    """
    if session.options.target != "pytensor":
        return
    for use in session.names.uses:
        root, _, inside = use.name.partition(".")
        counterpart = session.counterparts.get(use)
        kept = root == "aesara" and counterpart is not None and counterpart.kind is CounterpartKind.NAME
        if not (root == "pytensor" or kept) or not inside or use in session.done:
            continue
        name = _defined(counterpart.new if counterpart is not None and counterpart.new else inside)
        if name in ARGUMENTS:
            _renamed(session, use, ARGUMENTS[name])
        if name in _SPECIAL:
            _SPECIAL[name](session, use)
        if name in _OPS:
            _class(session, use)
        if counterpart is None:
            _flags(session, use, inside)


def _defined(name: str) -> str:
    """The full name under which PyTensor defines the object called `name`."""
    return (name, *legacy.origin("pytensor", name))[-1]


def _note(session: PortSession, use: Use, safety: Safety, reason: str, advice: str) -> None:
    session.note(use.leaves[0], use.leaves[-1], use.name, safety, reason, advice)


def _renamed(session: PortSession, use: Use, names: Mapping[str, str]) -> None:
    trailer = call(use)
    given = [(a, keyword(a)) for a in arguments(trailer)] if trailer is not None else []
    taken = {name for _, name in given}
    for argument, name in given:
        if name is not None and name in names and names[name] not in taken:
            start = session.tree.start(argument)
            session.edits.append(PortEdit(start, start + len(name), names[name]))
            _note(session, use, Safety.SAFE, f"the argument {name} was renamed in pytensor 3", f"{names[name]}=")


def _gamma(session: PortSession, use: Use) -> None:
    """Replaces `gamma`'s argument `rate`, which was removed, by `scale=1 / rate`."""
    trailer = call(use)
    given = arguments(trailer) if trailer is not None else []
    plain = [a for a in given if keyword(a) is None]
    rate = next((a for a in given if keyword(a) == "rate"), plain[1] if len(plain) == 2 else None)
    if rate is None or any(keyword(a) in ("*", "scale") for a in given):
        return
    start = session.tree.start(rate.children[2] if keyword(rate) else rate)
    end = session.tree.end(rate)
    session.edits += [PortEdit(session.tree.start(rate), start, "scale=1.0 / ("), PortEdit(end, end, ")")]
    _note(session, use, Safety.SAFE, "the rate is deprecated: scale is its inverse", "scale=1.0 / rate")


def _eigh(session: PortSession, use: Use) -> None:
    """Replaces `UPLO="L"` by `lower=True` if the letter is a literal."""
    trailer = call(use)
    given = arguments(trailer) if trailer is not None else []
    plain = [a for a in given if keyword(a) is None]
    letter = next((a for a in given if keyword(a) == "UPLO"), plain[1] if len(plain) == 2 else None)
    if letter is None:
        return
    try:
        value = ast.literal_eval(session.tree.source(letter.children[2] if keyword(letter) else letter))
    except (ValueError, SyntaxError):
        return
    if value in ("L", "U"):
        session.replace(letter, None, f"lower={value == 'L'}")
        _note(session, use, Safety.SAFE, "UPLO is deprecated", "lower=True")


def _scan(session: PortSession, use: Use) -> None:
    """Changes `outs, updates = scan(...)` to `outs = scan(..., return_updates=False)` if nothing reads the updates."""
    trailer = call(use)
    whole = use.leaves[0].parent
    statement = whole.parent if whole is not None else None
    if trailer is None or statement is None or statement.type != symbols().expr_stmt or len(statement.children) != 3:
        return
    targets = listed(statement.children[0], symbols().testlist_star_expr)
    given = arguments(trailer)
    if statement.children[2] is not whole or whole.children[-1] is not trailer or len(targets) != 2 or not allowed(session, Safety.UNSAFE):
        return
    updates = targets[1]
    read = session.once(_written)[updates.value] if not updates.children else 0
    if (read != 1 and getattr(updates, "value", "") != "_") or not given or any(keyword(a) in ("**", "return_updates") for a in given):
        return
    end, behind = session.tree.end(targets[0]), session.tree.end(given[-1])
    session.edits += [PortEdit(end, session.tree.end(updates), ""), PortEdit(behind, behind, ", return_updates=False")]
    _note(session, use, Safety.UNSAFE, _SCAN, "outs = pytensor.scan(..., return_updates=False)")


def _stream(session: PortSession, use: Use) -> None:
    """Reports each creation of a `RandomStream`, to be ported by hand."""
    if call(use) is not None:
        _note(session, use, Safety.BY_HAND, _STREAM, _STREAM_ADVICE)


_SPECIAL: Mapping[str, Callable[[PortSession, Use], None]] = {
    "tensor.random.basic.gamma": _gamma,
    "tensor.linalg.decomposition.eigen.eigh": _eigh,
    "tensor.linalg.decomposition.eigen.Eigh": _eigh,
    "scan.basic.scan": _scan,
    "tensor.random.utils.RandomStream": _stream,
}
"""Function -> function that rewrites its calls."""


def _flags(session: PortSession, use: Use, inside: str) -> None:
    """Ports a flag that PyTensor 3 removed."""
    parts = inside.split(".")
    if "config" not in parts:
        return
    old = ".".join(parts[: parts.index("config") + 1])
    if _defined(old) == "configdefaults.config":
        flags.flag(session, use, Counterpart(CounterpartKind.NAME, old, old))


def _class(session: PortSession, use: Use) -> None:
    """Ports the methods `infer_shape`, `L_op` and `grad` of a class derived from Op."""
    node = use.leaves[0]
    sym = symbols()
    while node is not None and node.type not in (sym.classdef, sym.suite, sym.funcdef):
        node = node.parent
    if node is None or node.type != sym.classdef or call(use) is not None:
        return
    methods = {m.children[1].value: m for m in _methods(node)}
    if "infer_shape" in methods:
        _infer_shape(session, use, methods["infer_shape"])
    method = methods.get("L_op") or methods.get("grad")
    if method is None or "pullback" in methods or not allowed(session, Safety.UNSAFE) or _asked(session, node):
        return
    names = _parameters(method)
    wanted = 4 if method.children[1].value == "L_op" else 3
    if names is None or len(names) != wanted:
        return
    if wanted == 3:
        if any(leaf.value == "outputs" for leaf in method.leaves() if leaf.type == NAME):
            return
        start = session.tree.start(names[2])
        session.edits.append(PortEdit(start, start, "outputs, "))
    session.replace(method.children[1], None, "pullback")
    advice = "def pullback(self, inputs, outputs, cotangents)"
    session.note(method.children[1], None, f"{use.name}.{method.children[1].value}", Safety.UNSAFE, _RENAMED_METHOD, advice)


def _asked(session: PortSession, node: Node) -> bool:
    """Whether the source calls a gradient method by its old name, or derives another class from this one."""
    return bool(session.once(_gradients_called)) or node.children[1].value in session.once(_bases)


def _written(session: PortSession) -> Counter[str]:
    """Name -> number of its occurrences in the source."""
    return Counter(leaf.value for leaf in session.tree.leaves if leaf.type == NAME)


def _gradients_called(session: PortSession) -> bool:
    """Whether the source calls a gradient of `self` or `super()` by its old name."""
    called = [leaf for leaf in session.tree.leaves if leaf.value in ("L_op", "grad") and leaf.type == NAME]
    trailers = [leaf.parent for leaf in called if leaf.parent is not None and leaf.parent.type == symbols().trailer]
    return any(getattr(trailer.parent.children[0], "value", "") in ("self", "super") for trailer in trailers)


def _bases(session: PortSession) -> set[str]:
    """All names in the lists of base classes."""
    sym, names = symbols(), set[str]()
    for leaf in session.tree.leaves:
        if leaf.value == "class" and leaf.parent is not None and leaf.parent.type == sym.classdef:
            inside = leaf.parent.children[2:-1]
            names |= {inner.value for part in inside for inner in part.leaves() if inner.type == NAME and _in_bases(inner)}
    return names


def _in_bases(leaf: Node) -> bool:
    """Whether a name is in the list of base classes of a class."""
    sym, node, below = symbols(), leaf.parent, leaf
    while node is not None and node.type in (sym.arglist, sym.power, sym.trailer):
        node, below = node.parent, node
    return node is not None and node.type == sym.classdef and below is not node.children[1] and below is not node.children[-1]


def _infer_shape(session: PortSession, use: Use, method: Node) -> None:
    """Removes the parameter `fgraph` of `infer_shape(self, fgraph, node, shapes)`; by hand if the method uses it."""
    names = _parameters(method)
    if names is None or len(names) != 4:
        return
    name = first_leaf(names[1]).value
    if sum(leaf.type == NAME and leaf.value == name for leaf in method.leaves()) != 1:
        advice = "infer_shape(self, node, shapes), without the graph"
        session.note(method.children[1], None, f"{use.name}.infer_shape", Safety.BY_HAND, f"{name} is None in pytensor 3", advice)
        return
    session.edits.append(PortEdit(session.tree.start(names[1]), session.tree.start(names[2]), ""))
    reason = "infer_shape is not given the graph any more"
    session.note(method.children[1], None, f"{use.name}.infer_shape", Safety.SAFE, reason, "infer_shape(self, node, shapes)")


def _methods(node: Node) -> Iterator[Node]:
    """Yields the functions that a class body defines."""
    sym = symbols()
    for child in node.children[-1].children:
        inner = child.children[-1] if child.children and child.type == sym.decorated else child
        if inner.children and inner.type == sym.funcdef:
            yield inner


def _parameters(method: Node) -> list[Node] | None:
    """The parameters of a function; None if one has a default or a star."""
    inside = method.children[2].children[1:-1]
    parts = [
        c for c in (inside[0].children if inside and inside[0].type == symbols().typedargslist else inside) if c.children or c.value != ","
    ]
    if any(not p.children and p.value in ("=", "*", "**", "/") for p in parts):
        return None
    return parts
