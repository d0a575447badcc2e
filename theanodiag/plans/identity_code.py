"""Writes the lines of a script without the large matrices that an identity makes unnecessary, in the names and the style of the script.

Where an identity needs to look into a name, it is replaced by what it is bound to: `Wm = T.diag(w)` before `T.dot(Wm, X)`.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Union

from .cells import line_of
from .expressions import argument, dot_of, filled, is_call_of, product_like, transposed, untransposed
from .graphs.identities import NeedlessMatrix
from .graphs.identity_nodes import Equality
from .numbered_rows import NumberedRows
from .source_changes import parsed

Scope = Union[ast.Module, ast.FunctionDef, ast.Lambda]
SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)
"""Statements that can be written anew on one line."""
MOST = 8
"""Most places of one matrix in one statement."""
GENERAL = {
    Equality.SCALED: "w[:, None] * X  # in place of dot(diag(w), X)",
    Equality.CHAIN: "{library}.tensor.dot(A, {library}.tensor.dot(B, x))  # in place of dot(dot(A, B), x)",
    Equality.DIAGONAL: "(A * B.T).sum(axis=1)  # in place of the diagonal of dot(A, B)",
    Equality.TRACE: "(A * B.T).sum()  # in place of trace(dot(A, B))",
    Equality.SUM: "{library}.tensor.dot(A.sum(axis=0), B.sum(axis=1))  # in place of dot(A, B).sum(); mean() likewise",
    Equality.SQUARES: "({library}.tensor.dot(A.T, A) * {library}.tensor.dot(B, B.T)).sum()  # in place of (dot(A, B) ** 2).sum()",
    Equality.ENTRIES: "(A[i] * B.T[j]).sum(axis=1)  # in place of dot(A, B)[i, j]",
    Equality.ROWS: "W[ids]  # in place of dot(one_hot, W), where one_hot has a one in column ids[k] of row k",
    Equality.DERIVATIVE: "{library}.grad(({library}.grad(cost, w) * v).sum(), w, consider_constant=[v])  # for dot(hessian(cost, w), v)",
    Equality.KRONECKER: "{library}.tensor.dot(A, {library}.tensor.dot(x.reshape((A.shape[1], B.shape[1])), B.T)).flatten()"
    "  # in place of dot(kron(A, B), x)",
    Equality.CONSTANT: "x.sum(axis=0)  # in place of dot(ones, x), in each row",
}
"""What each identity is, for a script whose text does not show it."""


def lines_without(text: str, found: Sequence[NeedlessMatrix], library: str) -> tuple[str, ...]:
    """Returns the statements of a script rewritten without these matrices, each with its line; if the script does not show a statement, the
    text of the identity.
    """
    script = ScriptText(text, library)
    missed = []
    for identity in found:
        done = all(line_of(text, site) == site.line for site in identity.sites) and script.change(identity)
        if not done:
            missed.append(identity.form)
        elif identity.given is not None:
            NumberedRows(script, identity).change()
    if script.changed:
        ordered = sorted(script.changed.items(), key=lambda pair: pair[0].lineno)
        texts = [(script.before.get(old), f"{ast.unparse(new)}  # line {old.lineno}") for old, new in ordered]
        return tuple(line for pair in texts for line in pair if line)
    return tuple(GENERAL[form].format(library=library) for form in dict.fromkeys(missed))


@dataclass(frozen=True)
class _Binding:
    """One assignment to a name."""

    line: int
    value: ast.expr | None
    """What is assigned; None for what cannot be seen: an argument, an element of a loop."""
    nested: bool
    """Whether it is within a loop or a condition, and may happen again or not at all."""


class ScriptText:
    """The text of a script, and the statements that were rewritten."""

    def __init__(self, text: str, library: str) -> None:
        self.library = library
        self.tree = parsed(text)
        self.changed: dict[ast.stmt, ast.stmt] = {}
        """Statement -> the same without the matrices."""
        self.before: dict[ast.stmt, str] = {}
        """Statement -> a line that must come before it."""
        self.bound: dict[Scope, dict[str, list[_Binding]]] = {}
        """Scope -> name -> its assignments, in order."""
        self.scopes: dict[ast.stmt, tuple[Scope, ...]] = {}
        """Simple statement -> the scopes around it, the innermost first."""
        self.functions: dict[str, ast.FunctionDef] = {}
        if self.tree is not None:
            self._read(self.tree, (self.tree,), False)

    def _read(self, node: ast.AST, scopes: tuple[Scope, ...], nested: bool) -> None:
        names = self.bound.setdefault(scopes[0], {})
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                self.functions[child.name] = child
                arguments = (*child.args.args, *child.args.kwonlyargs)
                self.bound[child] = {a.arg: [_Binding(child.lineno, None, False)] for a in arguments}
                self._read(child, (child, *scopes), False)
                continue
            targets = (
                child.targets if isinstance(child, ast.Assign) else [child.target] if isinstance(child, (ast.AugAssign, ast.For)) else []
            )
            for target in targets:
                for name, value in _bindings(target, child.value if isinstance(child, ast.Assign) else None):
                    names.setdefault(name, []).append(_Binding(target.lineno, value, nested))
            if isinstance(child, SIMPLE):
                self.scopes[child] = scopes
            self._read(child, scopes, nested or isinstance(child, (ast.For, ast.While, ast.If, ast.Try)))

    def change(self, identity: NeedlessMatrix) -> bool:
        """Rewrites the statements that compute something from this matrix. Returns False if none is found."""
        done = False
        lines = {s.line for s in identity.sites}
        for statement, scopes in self.scopes.items():
            if not identity.made and lines.isdisjoint(range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)):
                continue
            for _ in range(MOST):
                view = _View(self, scopes, identity, statement)
                new = view.visit(copy.deepcopy(self.changed.get(statement, statement)))
                if not view.done:
                    break
                assert isinstance(new, ast.stmt)
                self.changed[statement] = ast.fix_missing_locations(new)
                done = True
        return done


def _bindings(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[str, ast.expr | None]]:
    """The names that an assignment binds, and to what; of a tuple from a call of `scan`, the first is its outputs."""
    if isinstance(target, (ast.Name, ast.Attribute)):
        yield ast.unparse(target), value
    elif isinstance(target, (ast.Tuple, ast.List)):
        for k, part in enumerate(target.elts):
            own = value.elts[k] if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else None
            yield from _bindings(part, own or (value if k == 0 and is_call_of(value, "scan", "map") else None))


class _View(ast.NodeTransformer):
    """Replaces what is computed from one matrix within one statement."""

    def __init__(self, script: ScriptText, scopes: tuple[Scope, ...], identity: NeedlessMatrix, statement: ast.stmt) -> None:
        self.script, self.scopes, self.identity, self.statement = script, scopes, identity, statement
        self.done = False
        self.rule = RULES.get(identity.form)

    def visit(self, node: ast.AST) -> ast.AST:
        """Returns the node with its first match replaced."""
        if isinstance(node, ast.Lambda):
            return node
        if isinstance(node, ast.expr) and not self.done and self.rule is not None:
            new = self.rule(self, node)
            if new is not None:
                self.done = True
                return new
        return self.generic_visit(node)

    def inside(self, node: ast.expr) -> ast.expr:
        """Returns the expression to which a name is bound, if the text shows it and its parts still mean the same; otherwise the name
        itself.
        """
        for _ in range(8):
            if not isinstance(node, (ast.Name, ast.Attribute)) or (isinstance(node, ast.Attribute) and node.attr == "T"):
                break
            binding = self._binding(ast.unparse(node))
            if binding is None or binding.value is None or not self._is_steady(binding):
                break
            node = binding.value
        return node

    def is_argument(self, name: str) -> bool:
        """Returns whether a name is an argument of the function that contains the statement."""
        arguments = self.scopes[0].args if isinstance(self.scopes[0], ast.FunctionDef) else None
        return arguments is not None and name in [a.arg for a in arguments.args]

    def is_made_once(self, products: Mapping[int, int]) -> bool:
        """Returns whether the statement computes its products only once, according to the number of products at each line."""
        lines = range(self.statement.lineno, (self.statement.end_lineno or self.statement.lineno) + 1)
        written = sum(isinstance(n, ast.expr) and dot_of(n) is not None for n in ast.walk(self.statement))
        return 0 < sum(products.get(line, 0) for line in lines) <= written

    def _binding(self, name: str) -> _Binding | None:
        """The assignment that a name has at the statement; None if that is not certain."""
        for scope in self.scopes:
            known = self.script.bound.get(scope, {}).get(name, [])
            if len(known) > 1 and (scope is not self.scopes[0] or any(b.nested for b in known)):
                return None
            before = known if len(known) == 1 else [b for b in known if b.line < self.statement.lineno]
            if before:
                return before[-1]
        return None

    def _is_steady(self, binding: _Binding) -> bool:
        """Whether the names in what was assigned are not assigned again between that line and the statement."""
        for name in {ast.unparse(n) for n in ast.walk(binding.value or ast.Name("_")) if isinstance(n, (ast.Name, ast.Attribute))}:
            for scope in self.scopes:
                known = self.script.bound.get(scope, {}).get(name, [])
                if any(binding.line < b.line < self.statement.lineno or (b.nested and len(known) > 1) for b in known):
                    return False
        return True

    def here(self, node: ast.expr) -> bool:
        """Returns whether a part of the text may create the matrix in question, according to its line."""
        site = self.identity.sites[0] if self.identity.made else None
        if getattr(node, "is_new", False):
            return False
        return site is None or not hasattr(node, "lineno") or node.lineno <= site.line <= (node.end_lineno or node.lineno)

    def factors(self, node: ast.expr, anywhere: bool = False) -> tuple[ast.expr, ast.expr] | None:
        """Returns the factors of a product, possibly transposed. None if the node is not a product, or is a product other than the matrix
        and `anywhere` is false.
        """
        inner = self.inside(node)
        turned = untransposed(inner)
        if turned is not None:
            found = self.factors(turned, anywhere)
            return None if found is None else (transposed(found[1]), transposed(found[0]))
        found = dot_of(inner)
        return found if found is not None and (anywhere or self.here(inner)) else None


def _product_style(view: _View, node: ast.expr) -> ast.expr:
    """A product of the script, after which others are written."""
    inner = view.inside(node)
    turned = untransposed(inner)
    return inner if turned is None else _product_style(view, turned)


def _scaled(view: _View, node: ast.expr) -> ast.expr | None:
    pair = dot_of(node)
    if pair is None:
        return None
    for k, side in enumerate(pair):
        inner = view.inside(untransposed(view.inside(side)) or side)
        if isinstance(inner, ast.Call) and is_call_of(inner, "diag", "alloc_diag") and len(inner.args) == 1 and view.here(inner):
            w, other = inner.args[0], pair[1 - k]
            lines = range(view.statement.lineno, (view.statement.end_lineno or view.statement.lineno) + 1)
            ranks = {rank for line, rank in view.identity.ranks if line is None or line in lines}
            text = "x * w" if k else "w[:, None] * x" if ranks == {2} else "w * x" if ranks == {1} else "(w * x.T).T"
            return filled(text, w=w, x=other)
    return None


def _chain(view: _View, node: ast.expr) -> ast.expr | None:
    pair = dot_of(node)
    if pair is None:
        return None
    outer = view.inside(pair[0])
    if isinstance(outer, ast.Call) and is_call_of(outer, "outer") and len(outer.args) == 2 and view.here(outer):
        text = "a * c" if {rank for _, rank in view.identity.ranks} == {1} else "outer(a, c)"
        new = filled(text, a=outer.args[0], c=product_like(node, outer.args[1], pair[1]))
        if isinstance(new, ast.Call):
            new.func = copy.deepcopy(outer.func)
        return new
    left, right = view.factors(pair[0]), view.factors(pair[1])
    if left is not None:
        return product_like(node, left[0], product_like(_product_style(view, pair[0]), left[1], pair[1]))
    return None if right is None else product_like(node, product_like(_product_style(view, pair[1]), pair[0], right[0]), right[1])


def _trace(view: _View, node: ast.expr) -> ast.expr | None:
    if is_call_of(node, "sum"):
        whole = argument(node, "sum")
        inner = None if whole is None or whole[1] else _diagonal_of(view, view.inside(whole[0]))
    else:
        own = argument(node, "trace")
        inner = None if own is None or own[1] else view.factors(own[0])
    return None if inner is None else filled("(a * b).sum()", a=inner[0], b=transposed(inner[1]))


def _diagonal_of(view: _View, node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    own = argument(node, "diag", "extract_diag", "diagonal")
    return None if own is None or own[1] else view.factors(own[0])


def _diagonal(view: _View, node: ast.expr) -> ast.expr | None:
    inner = _diagonal_of(view, node)
    return None if inner is None else filled("(a * b).sum(axis=1)", a=inner[0], b=transposed(inner[1]))


def _sum(view: _View, node: ast.expr) -> ast.expr | None:
    own = argument(node, "sum", "mean")
    pair = None if own is None or len(own[1]) > 1 else view.factors(own[0])
    if own is None or pair is None or not isinstance(node, ast.Call):
        return None
    name = "sum" if is_call_of(node, "sum") else "mean"
    axis = ast.unparse(own[1][0]) if own[1] else "None"
    texts = {"None": f"dot(a.{name}(axis=0), b.{name}(axis=1))", "0": f"dot(a.{name}(axis=0), b)", "1": f"dot(a, b.{name}(axis=1))"}
    text = texts.get(axis.replace("-2", "0").replace("-1", "1"))
    if text is None:
        return None
    shown = filled(text, a=pair[0], b=pair[1])
    assert isinstance(shown, ast.Call)
    return product_like(_product_style(view, own[0]), shown.args[0], shown.args[1])


def _squares(view: _View, node: ast.expr) -> ast.expr | None:
    own = argument(node, "sum")
    inner = view.inside(own[0]) if own is not None and not own[1] else None
    pairs: Sequence[ast.expr] = ()
    if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Mult):
        pairs = (inner.left, inner.right)
    elif isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Pow) and ast.unparse(inner.right) in ("2", "2.0"):
        pairs = (inner.left, inner.left)
    elif isinstance(inner, ast.Call) and is_call_of(inner, "sqr", "square") and len(inner.args) == 1:
        pairs = (inner.args[0], inner.args[0])
    first, second = (view.factors(pairs[0], True), view.factors(pairs[1], True)) if pairs else (None, None)
    if first is None or second is None or all(view.factors(p) is None for p in pairs):
        return None
    style = _product_style(view, pairs[0])
    small = [product_like(style, transposed(first[0]), second[0]), product_like(style, first[1], transposed(second[1]))]
    same = ast.unparse(small[0]) == ast.unparse(small[1])
    return filled("(a ** 2).sum()" if same else "(a * b).sum()", a=small[0], b=small[1])


def _entries(view: _View, node: ast.expr) -> ast.expr | None:
    places = node.slice if isinstance(node, ast.Subscript) else None
    pair = view.factors(node.value) if isinstance(node, ast.Subscript) and isinstance(places, ast.Tuple) else None
    if pair is None or not isinstance(places, ast.Tuple) or len(places.elts) != 2 or any(isinstance(e, ast.Slice) for e in places.elts):
        return None
    i, j = places.elts
    return filled("(a[i] * b[j]).sum(axis=1)", a=pair[0], b=transposed(pair[1]), i=i, j=j)


def _rows(view: _View, node: ast.expr) -> ast.expr | None:
    pair = dot_of(node)
    if pair is None:
        return None
    inner = view.inside(pair[0])
    while isinstance(inner, ast.Call) and is_call_of(inner, "cast", "astype"):
        inner = view.inside(inner.args[0] if len(inner.args) == 2 else inner.func.value if isinstance(inner.func, ast.Attribute) else inner)
    if view.identity.given is not None:
        names = NumberedRows(view.script, view.identity).names
        base = pair[0]
        while isinstance(base, ast.Subscript):
            base = base.value
        passed = isinstance(base, ast.Name) and view.is_argument(base.id) and view.is_made_once(view.identity.given.products)
        return filled("w[ids]", w=pair[1], ids=pair[0]) if passed or ast.unparse(base) in names else None
    numbers = None
    if isinstance(inner, ast.Call) and is_call_of(inner, "to_one_hot") and inner.args:
        numbers = inner.args[0]
    elif isinstance(inner, ast.Call) and is_call_of(inner, "eq") and isinstance(inner.args[0], ast.Subscript):
        numbers = inner.args[0].value
    elif isinstance(inner, ast.Subscript) and is_call_of(view.inside(inner.value), "eye", "identity_like"):
        numbers = inner.slice
    return None if numbers is None or not view.here(inner) else filled("w[ids]", w=pair[1], ids=numbers)


def _derivative(view: _View, node: ast.expr) -> ast.expr | None:
    pair = dot_of(node)
    if pair is None:
        return None
    for k, side in enumerate(pair):
        v, left = pair[1 - k], k == 0
        inner = view.inside(side)
        turned = untransposed(inner)
        made = _derivatives(view, view.inside(turned) if turned is not None else inner)
        if made is None:
            continue
        y, x, symmetric = made
        lib = view.script.library
        if symmetric:
            return filled(f"{lib}.grad((y * v).sum(), x, consider_constant=[v])", y=y, x=x, v=v)
        if left != (turned is not None):
            view.script.before[view.statement] = f"row = {lib}.tensor.zeros_like({ast.unparse(y)})  # its values do not matter"
            return filled(f"{lib}.gradient.Lop({lib}.gradient.Lop(y, x, row), row, v)", y=y, x=x, v=v)
        return filled(f"{lib}.gradient.Lop(y, x, v)", y=y, x=x, v=v)
    return None


def _derivatives(view: _View, node: ast.expr) -> tuple[ast.expr, ast.expr, bool] | None:
    """What a matrix of derivatives is of: (what is derived, by what, whether it is symmetric); None for another matrix."""
    if not isinstance(node, ast.Call):
        return None
    lib = view.script.library
    if is_call_of(node, "hessian") and len(node.args) >= 2:
        return filled(f"{lib}.grad(c, x)", c=node.args[0], x=node.args[1]), node.args[1], True
    if is_call_of(node, "jacobian") and len(node.args) >= 2:
        return node.args[0], node.args[1], False
    function = node.args[0] if is_call_of(node, "scan", "map") and node.args else None
    others = next((k.value for k in node.keywords if k.arg == "non_sequences"), None)
    if isinstance(function, ast.Name) and function.id in view.script.functions:
        made = view.script.functions[function.id]
        last = made.body[-1]
        body = last.value if len(made.body) == 1 and isinstance(last, ast.Return) else None
        return _of_step(view, made.args, body, others)
    return _of_step(view, function.args, function.body, others) if isinstance(function, ast.Lambda) else None


def _of_step(
    view: _View, arguments: ast.arguments, body: ast.expr | None, others: ast.expr | None
) -> tuple[ast.expr, ast.expr, bool] | None:
    """The same of a step of a loop that returns `grad(y[i], x)`."""
    names = [a.arg for a in arguments.args]
    entry = body.args[0] if isinstance(body, ast.Call) and is_call_of(body, "grad") and len(body.args) >= 2 else None
    if not isinstance(body, ast.Call) or not isinstance(entry, ast.Subscript) or not names or ast.unparse(entry.slice) != names[0]:
        return None
    given = others.elts if isinstance(others, (ast.List, ast.Tuple)) else [others] if others is not None else []
    meant: Mapping[str, ast.expr] = dict(zip(names[1:], given))
    y, x = (filled(ast.unparse(part), **meant) for part in (entry.value, body.args[1]))
    before = view.inside(y)
    symmetric = (
        isinstance(before, ast.Call) and is_call_of(before, "grad") and [ast.unparse(a) for a in before.args[1:2]] == [ast.unparse(x)]
    )
    return y, x, symmetric


def _kronecker(view: _View, node: ast.expr) -> ast.expr | None:
    pair = dot_of(node)
    factors = None if pair is None else _kronecker_factors(view, view.inside(pair[0]))
    if pair is None or factors is None or {rank for _, rank in view.identity.ranks} != {1}:
        return None
    a, b = factors
    rows = filled("x.reshape((a.shape[1], b.shape[1]))", x=pair[1], a=a, b=b)
    return filled("x.flatten()", x=product_like(node, a, product_like(node, rows, transposed(b))))


def _kronecker_factors(view: _View, node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The matrices of `kron(A, B)`, or of `(A[:, None, :, None] * B[None, :, None, :]).reshape(...)`."""
    if isinstance(node, ast.Call) and is_call_of(node, "kron", "kronecker") and len(node.args) == 2:
        return node.args[0], node.args[1]
    both = (
        view.inside(node.func.value)
        if is_call_of(node, "reshape") and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        else None
    )
    if not isinstance(both, ast.BinOp) or not isinstance(both.op, ast.Mult):
        return None
    sides = {
        ast.unparse(side.slice).replace("np.newaxis", "None").replace("numpy.newaxis", "None").strip("()"): side.value
        for side in (both.left, both.right)
        if isinstance(side, ast.Subscript)
    }
    left, right = sides.get(":, None, :, None"), sides.get("None, :, None, :")
    return None if left is None or right is None else (left, right)


RULES: Mapping[Equality, Callable[[_View, ast.expr], ast.expr | None]] = {
    Equality.SCALED: _scaled,
    Equality.CHAIN: _chain,
    Equality.TRACE: _trace,
    Equality.DIAGONAL: _diagonal,
    Equality.SUM: _sum,
    Equality.SQUARES: _squares,
    Equality.ENTRIES: _entries,
    Equality.ROWS: _rows,
    Equality.DERIVATIVE: _derivative,
    Equality.KRONECKER: _kronecker,
}
"""Equality -> what writes an expression anew."""
