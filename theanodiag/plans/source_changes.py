"""Applies the changes of a plan to the text of a script: finds the lines that they may refer to, the most likely first.

The text does not show whether a 128 is the batch: the script is checked again with another number there. Sources of Python 2 and 3 are
read; only strings, comments, names and numbers are recognised.
"""

from __future__ import annotations

import ast
import contextlib
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Union

from ..findings import Change, DtypeChange, LengthChange

MOST = 6
"""Maximum number of texts tried: each is a run of the script."""
TOKEN = re.compile(
    r"""(?P<string>(?:\b[rRbBuUfF]{1,2})?(?:\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))"""
    r"""|(?P<comment>\#[^\n]*)|(?P<name>[^\W\d]\w*)|(?P<number>(?:\d[\w.]*|\.\d\w*))|(?P<other>[^\w\s])""",
    re.DOTALL,
)
ASSIGNED = re.compile(r"[A-Za-z_]\w*\s*=\s*$|^[\w\s,]+=[\w\s,.]*$|default\s*=\s*$")
"""Matches the text before a number that is given a name: `n = `, `B, N = 128, `, `train(size=`."""


@dataclass(frozen=True)
class SourceEdit:
    """Replaces the characters from `start` to `end` by `text`."""

    start: int
    end: int
    text: str


def changed_texts(text: str, changes: Sequence[Change]) -> Iterator[str]:
    """Returns texts with the changes applied, at most `MOST`, the most likely first. Returns the original text if only flags change, and
    nothing if a number does not occur in it.
    """
    choices = [list(_edits(text, change)) for change in changes]
    seen: set[str] = set()
    for edits in product(*choices):
        flat = sorted({e for group in edits for e in group}, key=lambda e: e.start)
        if any(a.end > b.start for a, b in zip(flat, flat[1:])):
            continue  # two changes of one number
        new = _applied(text, flat)
        if new not in seen:
            seen.add(new)
            yield new
        if len(seen) == MOST:
            return


OTHERS = re.compile(r"hidden|seed|epoch|iter|unit|layer|dim|vocab|embed|step|channel|filter|feature|class|rank|width|height", re.I)
"""In names of numbers that are no number of rows."""


def setting(text: str, before: int, after: int, meant: str) -> str | None:
    """Returns the assignment of the number `before` as `text` writes it, with the value `after`: `BATCHSIZE = 70`, `--batch 70`, `"batch":
    70`.

    None, unless all numbers of this value whose name matches the pattern `meant` have the same name, or the value occurs once and its name
    does not mean something else, such as `n_hidden` or `seed`.
    """
    forms = [_named(text, m.start()) for m in _numbers(text, before)]
    sure = {form for form in forms if form is not None and re.search(meant, form, re.IGNORECASE)}
    named = sure or {form for form in forms if form is not None and len(forms) == 1 and not OTHERS.search(form)}
    form = named.pop() if len(named) == 1 else None
    return None if form is None else form.format(after)


NO_LENGTH = re.compile(r"\brange\s*\(|seed|epoch|iter(?!at\w*_?(mini)?_?batch)", re.I)
"""In statements with a number that counts no rows or steps of data."""
LEAST_LENGTH = 10
"""A smaller number without a name may be anything."""


def statement_of(text: str, before: int, after: int) -> str | None:
    r"""Returns the line with the number `before`, with `after` in its place, if a text has the number once, and without a name. If it has
    several, all without a name, returns a remark with their lines.

    >>> statement_of("x = load(12000)  # steps", 12000, 8379)
    'x = load(8379)'
    >>> statement_of("net = Net(500)\nx = load(500)", 500, 157)
    '# by hand, where 500 is that length (lines 1, 2): 157'
    """
    places = [m.start() for m in _numbers(text, before)]
    lines = [_line(text, at) for at in places]
    if not places or before < LEAST_LENGTH or any(_named(text, at) for at in places) or any(map(NO_LENGTH.search, lines)):
        return None
    if len(places) > 1:
        numbers = list(dict.fromkeys(text.count("\n", 0, at) + 1 for at in places))
        listed = f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"
        return f"# by hand, where {before} is that length ({listed}): {after}"
    start = len(_before(text, places[0]))
    return f"{lines[0][:start]}{after}{re.sub(r'^[0-9]+[lL]?', '', lines[0][start:])}".strip()


def parameter_of(text: str, number: int) -> str | None:
    r"""Returns the name of the parameter to which a call in the text passes the number by position; None if there is no such function, or
    several.

    >>> parameter_of("def batches(x, size):\n    pass\nfor b in batches(X, 128):\n    train(b)", 128)
    'size'
    """
    tree = parsed(text)
    made = {n.name: [a.arg for a in n.args.args] for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)} if tree is not None else {}
    found = {
        made[name][k]
        for call in _calls(text)
        for name in [_unparsed(call.func)]
        for k, a in enumerate(call.args)
        if name in made and k < len(made[name]) and isinstance(a, ast.Constant) and a.value == number
    }
    return found.pop() if len(found) == 1 else None


def argument_of(text: str, function: str, position: int | str, *, all_of_loop: bool = False) -> str | None:
    r"""Returns the expression that the calls of a function in a text have at a position or keyword.

    None if there are several, if it needs the variable of a comprehension, which has no meaning outside of it, or if the text cannot be
    parsed. `all_of_loop`: in place of the variable of a loop or comprehension, return what the loop iterates over.

    >>> argument_of("h = T.dot(x, W)\ng = T.grad(loss, [W])", "grad", 0)
    'loss'
    >>> argument_of("g = [T.grad(cost, p) for p in net.params]", "grad", 1, all_of_loop=True)
    'net.params'
    >>> argument_of("f = function([x], cost, updates=ups)", "function", "updates")
    'ups'
    """
    found = {argument for c in calls_of(text, function) for argument in _arguments(text, c, position, all_of_loop)}
    return found.pop() if len(found) == 1 else None


MOST_CALLS = 4
"""Functions that are followed from the one in which a call is to those that call it."""


def _arguments(text: str, call: ast.Call, position: int | str, all_of_loop: bool, depth: int = 0) -> Iterator[str | None]:
    """What one call has at a position. What the function around it is called with, if it is an argument of that: `adam(cost, params)`."""
    value = _given(call, position)
    if value is None:
        return
    around = _calls(text)[call]
    function = next((n for n in reversed(around) if isinstance(n, ast.FunctionDef)), None)
    loops = tuple(n for n in around if not isinstance(n, ast.FunctionDef))
    argument = _argument(value, loops, all_of_loop)
    names = [a.arg for a in function.args.args] if function is not None else []
    callers = calls_of(text, function.name) if function is not None and argument in names and depth < MOST_CALLS else []
    if function is None or not callers:
        yield argument
        return
    own = names.index(argument or "") - (names[:1] == ["self"])
    for caller in callers:
        by_name = _given(caller, argument or "") is not None
        yield from _arguments(text, caller, (argument or "") if by_name else own, all_of_loop, depth + 1)


def given_as(text: str, function: str, name: str) -> str:
    r"""Returns the expression that the script passes for `name`, if `name` is an argument of one of the script's own functions; otherwise
    `name` itself.

    >>> given_as("def epoch(x):\n    f(x[:9])\nepoch(images)", "f", "x")
    'images'
    """
    for call in calls_of(text, function):
        around = next((n for n in reversed(_calls(text)[call]) if isinstance(n, ast.FunctionDef)), None)
        names = [a.arg for a in around.args.args] if around is not None else []
        if around is not None and name in names:
            position = names.index(name) - (names[:1] == ["self"])
            return argument_of(text, around.name, position) or argument_of(text, around.name, name) or name
    return name


DIFFERENTIATE = ("grad", "sgd", "momentum", "nesterov_momentum", "adagrad", "rmsprop", "adadelta", "adam", "adamax", "amsgrad")
"""Functions that take a cost and the parameters by which it is differentiated: grad, and Lasagne 0.2's updates.py, which others follow."""


def cost_of(text: str) -> str:
    """Returns the expression of the cost that a text differentiates; `cost` if it shows none, or several."""
    return next((cost for name in DIFFERENTIATE if (cost := argument_of(text, name, 0)) is not None), "cost")


def parameters_of(text: str) -> str | None:
    """Returns the expression of the parameters with respect to which a text differentiates its cost; None if it shows none, or several."""
    found = (argument_of(text, name, 1, all_of_loop=True) for name in DIFFERENTIATE)
    return next((parameters for parameters in found if parameters is not None), None)


def value_of(text: str, name: str) -> str | None:
    """Returns the call that a text assigns to a name, once; None if it assigns something else, or several times."""
    tree = parsed(text)
    assigned = [n for n in ast.walk(tree) if isinstance(n, ast.Assign) and name in map(_unparsed, n.targets)] if tree is not None else []
    return _unparsed(assigned[0].value) if len(assigned) == 1 and isinstance(assigned[0].value, ast.Call) else None


def reduction_of(text: str, function: str) -> str | None:
    """Returns `sum` or `mean`, whichever is applied to the result of the calls of a function, or to a name that gets the result; None if
    that is not clear.

    >>> reduction_of("loss = T.sum(categorical_crossentropy(p, y))", "categorical_crossentropy")
    'sum'
    """
    tree = parsed(text)
    wanted = {id(c) for c in calls_of(text, function)}
    nodes = [] if tree is None else list(ast.walk(tree))
    made = [n for n in nodes if isinstance(n, ast.Assign) and any(id(c) in wanted for c in ast.walk(n.value))]
    names = {_unparsed(t) for n in made for t in n.targets if isinstance(t, (ast.Name, ast.Attribute))}
    found = set()
    for node in nodes:
        name = _unparsed(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
        parts = list(ast.walk(node)) if name in ("sum", "mean") else []
        if any(id(n) in wanted or (isinstance(n, (ast.Name, ast.Attribute)) and _unparsed(n) in names) for n in parts):
            found.add(name)
    return found.pop() if len(found) == 1 else None


def _given(call: ast.Call, position: int | str) -> ast.expr | None:
    """What a call has at a position or keyword; None if it has nothing there, or something starred before it."""
    if isinstance(position, str):
        return next((k.value for k in call.keywords if k.arg == position), None)
    starred = any(isinstance(a, ast.Starred) for a in call.args[: position + 1])
    return None if starred or position >= len(call.args) else call.args[position]


def _argument(value: ast.expr, around: Loops, all_of_loop: bool) -> str | None:
    """The result of `argument_of` for one call."""
    inner = [loop for loop in around if all_of_loop or isinstance(loop, ast.comprehension)]
    bound = {name for loop in inner for name in _names(loop.target)}
    if all_of_loop and isinstance(value, ast.Name):
        value = next((n.iter for n in reversed(around) if isinstance(n.target, ast.Name) and n.target.id == value.id), value)
    return _unparsed(value) if bound.isdisjoint(_names(value)) else None


def _names(node: ast.expr) -> set[str]:
    """The names in an expression."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def owner(expression: str) -> str:
    """Returns what must be deleted so that an expression's value is freed. For an element of a list it is the whole list, because the
    positions of other elements would change.
    """
    return re.sub(r"\[\d+\].*", "", expression)


def calls_of(text: str, function: str) -> list[ast.Call]:
    """Returns the calls of a function in a text, whatever module or object it belongs to; empty if the text cannot be parsed."""
    return [c for c in _calls(text) if _unparsed(c.func).rpartition(".")[2] == function]


Loops = tuple[Union[ast.For, ast.comprehension], ...]
"""The loops and comprehensions around a node, the outermost first."""
Around = tuple[Union[ast.For, ast.comprehension, ast.FunctionDef], ...]
"""The same with the functions."""


OLD = ((r"^(\s*)print\b(?!\s*\(.*\)\s*$).*", r"\1pass"), (r"^(\s*except\s+[\w., ()]+?)\s*,\s*(\w+)\s*:", r"\1 as \2:"))
"""Statements of Python 2 on one line, and others in their place."""


@lru_cache(maxsize=4)
def parsed(text: str) -> ast.Module | None:
    """Returns the tree of a source. If the source is Python 2, its print statements are left out. None if it cannot be parsed."""
    old = text
    for pattern, instead in OLD:
        old = re.sub(pattern, instead, old, flags=re.MULTILINE)
    for one in (text, old):
        with contextlib.suppress(SyntaxError, ValueError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(one)
    return None


@lru_cache(maxsize=4)
def _calls(text: str) -> dict[ast.Call, Around]:
    """All calls in a text, with what is around each."""
    tree = parsed(text)
    todo: list[tuple[ast.AST, Around]] = [] if tree is None else [(tree, ())]
    for node, around in todo:
        inner = (node,) if isinstance(node, (ast.For, ast.FunctionDef)) else getattr(node, "generators", ())
        todo.extend((child, (*around, *inner)) for child in ast.iter_child_nodes(node))
    return {node: around for node, around in todo if isinstance(node, ast.Call)}


def _unparsed(node: ast.expr) -> str:
    """The text of an expression, on one line."""
    return " ".join(ast.unparse(node).split())


def _numbers(text: str, value: int) -> Iterator[re.Match[str]]:
    """The numbers of this value in a text, those with Python 2's `L` too."""
    return (m for m in TOKEN.finditer(text) if m.lastgroup == "number" and m.group().rstrip("lL") == str(value))


def _named(text: str, at: int) -> str | None:
    """The text that names the number at offset `at`, with `{}` in place of the number; None if it has no name."""
    line = _before(text, at)
    call = text[max(0, text.rfind("add_argument(", 0, at)) : at]
    options = re.findall(r"""["'](--[\w-]+)["']""", call)
    if options and call.startswith("add_argument(") and call.count("(") > call.count(")") and re.search(r"default\s*=\s*$", line):
        return f"{options[0]} {{}}"
    key = re.search(r"""(["'])([\w-]+)\1\s*:\s*$""", line)
    if key is not None:
        return f'"{key[2]}": {{}}'
    several = re.match(r"\s*([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)+)\s*=([^=]*)$", line)
    continued = text[: at - len(line)].rstrip().endswith((",", "(", "[", "{"))  # an argument of a call
    if several is not None and not continued:
        targets, values = several[1].split(","), _line(text, at).partition("=")[2].split(",")
        index = several[2].count(",")
        fits = len(targets) == len(values) and not re.search(r"[(\[{]", line)
        return f"{targets[index].strip()} = {{}}" if fits else None
    single = re.search(r"""([A-Za-z_]\w*(?:\.\w+|\[["']\w+["']\])*)\s*=\s*$""", line)
    return None if single is None else f"{single[1]} = {{}}"


def _applied(text: str, edits: Sequence[SourceEdit]) -> str:
    for edit in reversed(edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _edits(text: str, change: Change) -> Iterator[tuple[SourceEdit, ...]]:
    """The ways to make one change, each as edits that belong together: no edit for a flag."""
    if isinstance(change, LengthChange):
        yield from _lengths(text, change)
    elif isinstance(change, DtypeChange):
        yield ()  # shared variables that follow floatX need no edit
        yield tuple(e for line in change.lines for e in _converted(text, line, change.dtype))
    else:
        yield ()


def _lengths(text: str, change: LengthChange) -> Iterator[tuple[SourceEdit, ...]]:
    """Yields edits of one number of this value at a time (named batch first, other names, then unnamed ones), of all unnamed ones, and of
    all.
    """
    edits = {m.start(): SourceEdit(m.start(), m.end(), str(change.after)) for m in _numbers(text, change.before)}
    named = sorted((at for at in edits if _assigned(text, at)), key=lambda at: not re.search("batch", _line(text, at), re.IGNORECASE))
    others = [at for at in edits if at not in named]
    for places in (*([at] for at in (*named, *others)[: MOST - 2]), others, list(edits)):
        if places:
            yield tuple(edits[at] for at in places)


def _line(text: str, at: int) -> str:
    """The line of a position, without its comment."""
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    return text[start : end if end >= 0 else len(text)].partition("#")[0]


def _assigned(text: str, at: int) -> bool:
    """Whether the number at offset `at` is assigned to a name."""
    return ASSIGNED.search(_before(text, at)) is not None


def _before(text: str, at: int) -> str:
    """The part of a position's line that is before it."""
    return text[text.rfind("\n", 0, at) + 1 : at]


def _converted(text: str, line: int, dtype: str) -> Iterator[SourceEdit]:
    """The first argument of each call of `shared` that begins in a line, as an array of that dtype."""
    starts = [0, *(m.end() for m in re.finditer("\n", text)), len(text)]
    if not 0 < line < len(starts):
        return
    for call in re.finditer(r"\bshared\s*\(\s*", text[starts[line - 1] : starts[line]]):
        start = starts[line - 1] + call.end()
        end = _end_of_argument(text, start)
        argument = text[start:end].rstrip()
        if argument and "=" not in argument.partition("(")[0]:
            whole = argument if re.fullmatch(r"\w+", argument) else f"({argument})"
            yield SourceEdit(start, start + len(argument), f'{whole}.astype("{dtype}")')


def _end_of_argument(text: str, start: int) -> int:
    """Position of the comma or bracket that ends the argument starting at `start`."""
    depth = 0
    for token in TOKEN.finditer(text, start):
        sign = token.group()
        if depth == 0 and sign in ",)":
            return token.start()
        depth += (sign in "([{") - (sign in ")]}")
    return len(text)
