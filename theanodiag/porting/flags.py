"""Ports flags: attributes of `theano.config`, and uses of the variable THEANO_FLAGS."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Mapping

from ..errors import TheanodiagError
from ..flags.flags_variable import parse_flags
from ..flags.migrate import target_table
from ..flags.migrate_variable import migrate_flags
from ..flags.model import Computed, FlagTable
from ..flags.names import fold, history
from .model import PortEdit, Safety
from .scopes import Use
from .session import PortSession, Rewriter
from .syntax import STRING, Node, arguments, keyword, listed, symbols
from .targets import LEGACY, Counterpart

METHODS = frozenset(("change_flags", "get_config_hash", "add", "items", "keys", "values"))
"""Attributes of `config` that are not flags."""
_VARIABLE = re.compile(r"(?:THEANO|AESARA|PYTENSOR)_FLAGS\Z")
_RUNNING = (LEGACY, "flags_for_pytensor")
"""Module and name of what translates a text of flags as a script runs."""
_DEEPEST = 6
"""Parts of a flag's name, at most."""
_PATHS = frozenset(("base_compiledir", "compiledir"))
"""Flags whose value is a text in Theano, and a `pathlib.Path` in its successors."""
_TAKE_PATHS = frozenset(("open", "str", "print", "repr", "Path", "exists", "isdir", "isfile", "join", "dirname", "basename", "abspath",
                         "realpath", "expanduser", "relpath", "normpath", "getsize", "makedirs", "mkdir", "listdir", "remove", "unlink",
                         "rmdir", "walk", "stat", "chdir", "rmtree", "copy", "move"))  # fmt: skip
"""Functions that take a path as they take its text."""
_UNKNOWN = "no release of Theano has this flag: setting it has no effect"
_HARMLESS = "PyTensor removed this flag, and behaves as its default did"


@functools.cache
def _table(target: str) -> FlagTable:
    """The flags of the target."""
    return target_table(target)


def flag(session: PortSession, use: Use, counterpart: Counterpart) -> None:
    """Ports a flag such as `theano.config.blas.ldflags`; the name `config` itself is ported like any other."""
    at = session.last_leaf(use, counterpart) + 1
    names = [leaf.value for leaf in use.leaves[at:]]
    if names[:1] == ["change_flags"]:
        _changed(session, use)
    if not names or names[0] in METHODS or names[0].startswith("_"):
        return
    here = _table(session.options.target)
    for end in range(min(len(names), _DEEPEST), 0, -1):
        name = ".".join(names[:end])
        known = here.get(name.replace(".", "__")) or here.get(name)
        if known is not None:
            if known.name in _PATHS and not use.name.startswith("pytensor."):
                _as_text(session, use, at + end - 1)
            if known.name != name:
                session.replace(use.leaves[at], use.leaves[at + end - 1], known.name)
                session.note(use.leaves[at], use.leaves[at + end - 1], use.name, Safety.SAFE, "the flag was renamed", known.name)
            return
    for end in range(min(len(names), _DEEPEST), 0, -1):
        older = history(fold(".".join(names[:end])))
        if older:
            _without(session, use, at + end - 1, older[-1].default)
            return
    session.done.add(use)
    if all(_sets_alone(other) for other in session.names.uses if other.name == use.name):
        session.remove(use.leaves[0].parent.parent)
        session.note(use.leaves[0], use.leaves[-1], use.name, Safety.SAFE, _UNKNOWN, "left out")
        return
    session.note(use.leaves[0], use.leaves[-1], use.name, Safety.BY_HAND, f"{session.options.target} has no such flag", "leave it out")


def _sets_alone(use: Use) -> bool:
    """Whether a use is the target of an assignment that is a statement of its own and has no other target."""
    node = use.leaves[0].parent
    statement = node.parent if node is not None else None
    line = statement.parent if statement is not None else None
    return bool(
        statement is not None and line is not None and statement.type == symbols().expr_stmt and statement.children[0] is node
        and len(statement.children) == 3 and statement.children[1].value == "=" and line.type == symbols().simple_stmt
    )  # fmt: skip


def _as_text(session: PortSession, use: Use, last: int) -> None:
    """Writes `str(config.compiledir)`, now a Path, unless it is assigned or passed to a function that accepts paths."""
    whole = use.leaves[0].parent
    holder = whole.parent if whole is not None else None
    ends = last == len(use.leaves) - 1 and not use.trailers
    if whole is None or holder is None or (ends and (_is_set(whole, holder) or _takes_paths(whole, holder))):
        return
    start, end = session.tree.start(use.leaves[0]), session.tree.end(use.leaves[last])
    session.edits += [PortEdit(start, start, "str("), PortEdit(end, end, ")")]
    reason = f"a text in theano, a pathlib.Path in {session.options.target}"
    session.note(use.leaves[0], use.leaves[last], use.name, Safety.SAFE, reason, "str(...)")


def _is_set(whole: Node, holder: Node) -> bool:
    """Whether `holder` is an assignment and `whole`, its child, is not the value."""
    return holder.type == symbols().expr_stmt and holder.children[-1] is not whole


def _takes_paths(whole: Node, holder: Node) -> bool:
    """Whether a name is an argument of a function that accepts paths, or is formatted into a string by `%`."""
    sym = symbols()
    if holder.type == sym.term and holder.children[-1] is whole and holder.children[-2].value == "%":
        return bool(holder.children[0].type == STRING)
    trailer = holder.parent if holder.type == sym.arglist else holder
    if trailer is None or trailer.type != sym.trailer or trailer.children[0].value != "(":
        return False
    before = trailer.prev_sibling
    function = before.children[-1] if before is not None and before.children else before
    return function is not None and not function.children and function.value in _TAKE_PATHS


def _changed(session: PortSession, use: Use) -> None:
    """Removes the flags that the target lacks from a call such as `config.change_flags(compute_test_value="off")`."""
    given = arguments(use.trailers[0]) if use.trailers else _decorated(use)
    here = _table(session.options.target)
    for number, argument in enumerate(given):
        name = keyword(argument)
        if name is None or name in ("*", "**") or here.get(name) is not None or not history(fold(name)):
            continue
        start, end = session.tree.start(argument), session.tree.end(argument)
        if number + 1 < len(given):
            end = session.tree.start(given[number + 1])
        elif number:
            start = session.tree.end(given[number - 1])
        session.edits.append(PortEdit(start, end, ""))
        session.note(argument, None, use.name, Safety.SAFE, _HARMLESS.replace("pytensor", session.options.target), "left out")


def _decorated(use: Use) -> list[Node]:
    """The arguments of a call that is a decorator, which the tree does not hold as a call."""
    sym, node = symbols(), use.leaves[-1].parent
    node = node.parent if node is not None and node.type == sym.dotted_name else node
    inside = node.children[3:-2] if node is not None and node.type == sym.decorator and len(node.children) > 5 else []
    return listed(inside[0], sym.arglist) if inside else []


def _without(session: PortSession, use: Use, last: int, default: object) -> None:
    """Ports a flag that the target removed: an assignment is left out, a read becomes the default value."""
    session.done.add(use)
    node = use.leaves[0].parent
    statement = node.parent if node is not None else None
    line = statement.parent if statement is not None else None
    sets = statement is not None and statement.type == symbols().expr_stmt and statement.children[0] is node
    alone = line is not None and line.type == symbols().simple_stmt and last == len(use.leaves) - 1
    reason = _HARMLESS.replace("pytensor", session.options.target)
    if statement is not None and sets and alone and len(statement.children) == 3:
        session.remove(statement)
        session.note(use.leaves[0], use.leaves[-1], use.name, Safety.SAFE, reason, "left out")
    elif sets or isinstance(default, Computed):
        session.note(use.leaves[0], use.leaves[-1], use.name, Safety.BY_HAND, f"{session.options.target} has no such flag", "leave it out")
    else:
        session.replace(use.leaves[0], use.leaves[last], repr(default))
        session.note(use.leaves[0], use.leaves[last], use.name, Safety.SAFE, reason, repr(default))


def _change_flags(session: PortSession, use: Use, counterpart: Counterpart) -> None:
    """Ports `theano.configparser.change_flags(...)` to the method of `config`, without flags that the target lacks."""
    if session.options.target != "pytensor" or session.last_leaf(use, counterpart) != len(use.leaves) - 1:
        return
    _changed(session, use)
    session.rename(use, counterpart, session.express("config.change_flags", use))
    session.done.add(use)
    session.note(use.leaves[0], use.leaves[-1], use.name, Safety.SAFE, "renamed in pytensor", "pytensor.config.change_flags")


_CHANGE_FLAGS = dict.fromkeys(("change_flags", "configparser.change_flags", "configdefaults.change_flags"), _change_flags)
REWRITERS: Mapping[str, Rewriter] = _CHANGE_FLAGS | dict.fromkeys(
    ("config", "configdefaults.config", "compile.config", "tensor.config"), flag
)
"""Name -> what writes its uses."""


def variables(session: PortSession) -> None:
    """Ports statements such as `os.environ["THEANO_FLAGS"] = "floatX=float32"`, and other uses of the variable."""
    if "_FLAGS" not in session.tree.text:
        return
    for leaf in session.tree.leaves:
        if leaf.type == STRING and _VARIABLE.match(_literal(leaf) or ""):
            _variable(session, leaf)


def _literal(leaf: Node) -> str | None:
    """The value of a string literal; None if it is not a str."""
    try:
        value = ast.literal_eval(leaf.value)
    except (ValueError, SyntaxError):
        return None
    return value if isinstance(value, str) else None


def _variable(session: PortSession, leaf: Node) -> None:
    """Ports a literal that names the variable, and the flags, if they are a string literal too."""
    old = str(_literal(leaf))
    new = f"{session.options.target.upper()}_FLAGS"
    if session.options.target == "aesara" and old == "AESARA_FLAGS":
        return
    if old == new:
        value = _value(leaf)
        if value is not None and value.type == STRING and (text := _literal(value)) is not None:
            _migrated(session, leaf, value, text)
        return
    start = session.tree.start(leaf) + leaf.value.index(old)
    session.edits.append(PortEdit(start, start + len(old), new))
    value = _value(leaf)
    if value is None:
        session.note(leaf, None, old, Safety.SAFE, "the environment variable was renamed", new)
    elif value.type == STRING and (text := _literal(value)) is not None:
        _migrated(session, leaf, value, text)
    else:
        _as_it_runs(session, value, old)


def _as_it_runs(session: PortSession, value: Node, old: str) -> None:
    """Ports flags that are computed at run time: for PyTensor, a call of the compat layer translates them then; otherwise by hand."""
    why = "the flags are computed at run time"
    if session.options.target != "pytensor" or session.tree.path.endswith(".ipynb"):
        advice = f"theanodiag config rewrite --flags TEXT --to {session.options.target} says what its flags become"
        session.note(value, None, old, Safety.BY_HAND, why, advice)
        return
    text, written = session.tree.text, f"{_RUNNING[1]}("
    if text.startswith(written, session.tree.start(value)):
        return
    start, end = session.tree.start(value), session.tree.end(value)
    session.edits += [PortEdit(start, start, written), PortEdit(end, end, ")")]
    statement = f"from {_RUNNING[0]} import {_RUNNING[1]}"
    if statement not in session.on_top:
        session.on_top.append(statement)
    session.note(value, None, old, Safety.SAFE, why, f"{_RUNNING[1]} of theanodiag.legacy translates them there")


def _value(leaf: Node) -> Node | None:
    """The node of the value given to the variable: right of `=`, or the second argument of `setdefault` and the like; None if there is
    none.
    """
    sym = symbols()
    node = leaf
    while node.parent is not None and node.parent.type in (sym.subscriptlist, sym.trailer, sym.power):
        node = node.parent
        if node.type == sym.trailer and node.children[0].value != "[":
            return None
    parent = node.parent
    if parent is None:
        return None
    if parent.type == sym.expr_stmt and parent.children[0] is node:
        return parent.children[-1]
    if parent.type == sym.arglist and node is leaf and parent.children[0] is leaf and _sets(parent):
        return parent.children[2] if len(parent.children) > 2 else None
    return None


def _sets(arglist: Node) -> bool:
    """Whether the function called with these arguments sets a variable: `os.environ.setdefault`, `os.putenv`."""
    trailer = arglist.parent
    before = trailer.prev_sibling if trailer is not None else None
    return before is not None and bool(before.children) and before.children[-1].value in ("setdefault", "putenv", "setenv")


def _migrated(session: PortSession, leaf: Node, value: Node, text: str) -> None:
    """Ports the flags `text` in the literal `value`, by the rules of `config rewrite`."""
    try:
        after = migrate_flags(parse_flags(text), _table(session.options.target), unsafe=session.options.unsafe).after
    except TheanodiagError as error:
        session.note(value, None, "THEANO_FLAGS", Safety.BY_HAND, error.message, error.help or "write the flags again")
        return
    if after != text:
        body = value.value
        quote = re.match(r"""[a-zA-Z]*('''|\"\"\"|'|")""", body)
        at = body.find(text) if quote else -1
        if at >= 0:
            start = session.tree.start(value) + at
            session.edits.append(PortEdit(start, start + len(text), after))
        else:
            session.replace(value, None, repr(after))
    elif _literal(leaf) == f"{session.options.target.upper()}_FLAGS":
        return
    session.note(leaf, None, "THEANO_FLAGS", Safety.SAFE, "the flags were renamed", after)
