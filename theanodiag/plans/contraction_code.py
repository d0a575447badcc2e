"""Writes sums of products of broadcast arrays as products of matrices, in the names of the script."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from ..findings import identifier
from ..ir import Constant, FunctionGraph, Site
from .cells import line_of
from .expressions import is_call_of
from .graphs.contractions import Term
from .graphs.edit import origin, origin_name
from .source_changes import parsed

NEW = "x"
"""A new axis in the order of a `dimshuffle`."""


@dataclass(frozen=True)
class Named:
    """An array in the text of a script."""

    text: str
    axes: tuple[int, ...]
    """Which axes of the broadcast its axes are."""
    known: bool = True
    """Whether the text or the graph has this name."""

    def turned(self, wanted: Sequence[int]) -> str:
        """Returns the expression of the array with its axes in the order `wanted`; an axis that it lacks becomes a new axis of length 1."""
        if tuple(wanted) == self.axes:
            return self.text
        if len(wanted) == 2 and self.axes == tuple(wanted[::-1]):
            return f"{_factor(self.text)}.T"
        places = [str(self.axes.index(a)) if a in self.axes else f"'{NEW}'" for a in wanted]
        kept = [p for p in places if p.isdigit()]
        if kept == [str(k) for k in range(len(self.axes))]:
            return f"{_factor(self.text)}[{', '.join(':' if p.isdigit() else 'None' for p in places)}]"
        return f"{_factor(self.text)}.dimshuffle({', '.join(places)})"


def expression(
    terms: Sequence[Term], names: Mapping[int, Named], kept: tuple[int, ...], library: str, shape: tuple[int, ...]
) -> str | None:
    """Returns the sum of `terms` as an expression with products of matrices; None if a product has no plain form.

    `names`: the expressions of the arrays; `kept`: the axes of the result; `library`: the name of the framework's module; `shape`: that of
    the broadcast.
    """
    parts = [_term(term, names, library) for term in terms]
    if not parts or None in parts:
        return None
    shown = [(t.coefficient, _times(t, names, shape), p.turned(kept)) for t, p in zip(terms, parts) if p is not None]
    whole = ""
    for coefficient, lengths, text in sorted(shown, key=lambda row: row[0] < 0):
        times = ("" if abs(coefficient) == 1 else f"{abs(coefficient):g} * ") + lengths
        text = _factor(text) if times else text
        sign = (" - " if whole else "-") if coefficient < 0 else " + " if whole else ""
        whole += f"{sign}{times}{text}"
    if sorted(t.coefficient for t in terms) == [-2, 1, 1]:  # squares of differences, which rounding must not make negative
        return f"{library}.tensor.maximum({whole}, 0)"
    return whole


def _term(term: Term, names: Mapping[int, Named], library: str) -> Named | None:
    groups = [_group(term, k, names) for k in range(len(term.groups))]
    if None in groups:
        return None
    left, right = (*(g for g in groups if g is not None), None)[:2]
    if left is None or right is None:
        return left
    axes = (*term.batch, *term.free(0), *term.free(1))
    if not term.inner:
        both = tuple(sorted({*left.axes, *right.axes}))
        return Named(f"{_factor(left.turned(both))} * {_factor(right.turned(both))}", both)
    if not term.batch and len(term.inner) == 1 and max(len(term.free(0)), len(term.free(1))) <= 1:
        pair = f"{left.turned((*term.free(0), *term.inner))}, {right.turned((*term.inner, *term.free(1)))}"
        made = Named(f"{library}.tensor.dot({pair})", axes)
    elif not term.batch:
        inner = [[g.axes.index(a) for a in term.inner] for g in (left, right)]
        made = Named(f"{library}.tensor.tensordot({left.text}, {right.text}, axes={inner})", axes)
    elif len(term.batch) == len(term.inner) == 1 and max(len(term.free(0)), len(term.free(1))) <= 1:
        first = left.turned((*term.batch, *term.free(0), *term.inner))
        second = right.turned((*term.batch, *term.inner, *term.free(1)))
        made = Named(f"{library}.tensor.batched_dot({first}, {second})", axes)
    else:
        return None
    return Named(made.turned(tuple(sorted(axes))), tuple(sorted(axes)))


def _times(term: Term, names: Mapping[int, Named], shape: tuple[int, ...]) -> str:
    """The lengths of axes that are summed over and that a term does not have: it is added that many times."""
    lengths = []
    for axis in term.summed:
        if shape[axis] != 1 and not any(axis in g.axes for g in term.groups):
            own = next((n for n in names.values() if axis in n.axes), None)
            lengths.append(str(shape[axis]) if own is None else f"{_factor(own.text)}.shape[{own.axes.index(axis)}]")
    return "".join(f"{length} * " for length in lengths)


def _group(term: Term, number: int, names: Mapping[int, Named]) -> Named | None:
    powers, axes, alone = term.groups[number].powers, term.groups[number].axes, term.alone(number)
    if any(v not in names for v, _ in powers):
        return None
    powers = tuple(pair for pair in powers if names[pair[0]].text != "1") or powers
    only = [names[v] for v, _ in powers]
    axes = only[0].axes if len(only) == 1 and set(only[0].axes) == set(axes) else axes
    texts = [n.turned(axes) if n.axes else n.text for n in only]
    factors = [_factor(t) if e == 1 else f"{_factor(t)} ** {e}" for t, (_, e) in zip(texts, powers)]
    whole = texts[0] if len(factors) == 1 and powers[0][1] == 1 else " * ".join(factors)
    if not alone:
        return Named(whole, axes)
    over = [axes.index(a) for a in alone]
    summed = f"{_factor(whole)}.sum({over[0] if len(over) == 1 else tuple(over)})"
    return Named(summed, tuple(a for a in axes if a not in alone))


def _factor(text: str) -> str:
    """A text that can be a factor, or have its methods called."""
    node = ast.parse(text, mode="eval").body
    return f"({text})" if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Compare, ast.BoolOp, ast.Lambda)) else text


def names_of(text: str, graph: FunctionGraph, root: int, leaves: Sequence[int], shared: Mapping[int, str]) -> dict[int, Named]:
    """Returns what a script calls the arrays of a broadcast, by the line that makes it, else by the only line that makes such a one, else
    by the names of the Variables (of shared ones, in `shared`); `x`, `c` for those without a name.
    """
    ndim = graph.variables[root].type.ndim
    orders = {v: (*[NEW] * (ndim - graph.variables[v].type.ndim), *_order(graph, v)) for v in leaves}
    site = graph.variables[root].site
    line = line_of(text, site) if site and shows(text, site, ndim) else None  # elsewhere only if this line shows none
    written = _written(text, line, orders)
    names = dict[int, Named]()
    for v, order in orders.items():
        number = graph.variables[v]
        if isinstance(number, Constant) and isinstance(number.value, (int, float)):
            names[v] = Named(f"{number.value:g}", ())
            continue
        axes = tuple(order.index(k) for k in range(len(order) - order.count(NEW)))
        name = shared.get(origin(graph, v)) or origin_name(graph, v)
        own = written.get(v) or (identifier(name, "x") if name != "..." else None)
        names[v] = Named(own or ("c" if "x" in [n.text for n in names.values()] else "x"), axes, own is not None)
    return names


def _order(graph: FunctionGraph, variable: int) -> tuple[object, ...]:
    """The axes of an array in the order that a dimshuffle gives them, before or after functions of each entry."""
    maker = graph.maker(variable)
    while maker is not None and maker.op.name.endswith("Elemwise") and len(maker.inputs) == 1:
        maker = graph.maker(maker.inputs[0])
    order = maker.op.params.get("new_order") if maker is not None and maker.op.name.endswith("DimShuffle") else None
    return tuple(order) if isinstance(order, (list, tuple)) else tuple(range(graph.variables[variable].type.ndim))


def _written(text: str, line: int | None, orders: Mapping[int, tuple[object, ...]]) -> dict[int, str]:
    """The texts of the arrays that a product or difference has in these orders; empty where none, or several, are seen."""
    found = []
    ndim = max((len(o) for o in orders.values()), default=0)
    for pair in operands(text, line, ndim):
        left = dict(orders)
        own = {}
        for name, order in pair:
            v = next((v for v, o in left.items() if order == o or (not order and _is_plain(o))), None)
            if v is not None:
                own[v] = name
                del left[v]
        if len(own) == len(pair):
            found.append(own)
    return found[0] if len({str(own) for own in found}) == 1 else {}


def _is_plain(order: tuple[object, ...]) -> bool:
    """Whether an array has these axes without being turned: new ones only before its own."""
    own = [k for k in order if k != NEW]
    return own == list(range(len(own))) and tuple(order[len(order) - len(own) :]) == tuple(own)


Operand = tuple[str, tuple[object, ...]]
"""The text of an array, and the order of its axes in a broadcast, `x` for new ones."""


def shows(text: str, site: Site, ndim: int) -> bool:
    """Returns whether the line at a place has such arrays as `operands` yields."""
    line = line_of(text, site)
    return line is not None and any(operands(text, line, ndim))


def operands(text: str, line: int | None, ndim: int) -> Iterator[tuple[Operand, Operand]]:
    """Yields the two arrays of each product or difference of arrays of which one at least has new axes: on a line, or in all of a text."""
    tree = parsed(text)
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Mult, ast.Sub)):
            continue
        pair = [_operand(side, ndim) for side in (node.left, node.right)]
        new = any(NEW in order for _, order in pair) or any(is_call_of(side, "alloc") for side in (node.left, node.right))
        if new and (line is None or node.lineno <= line <= (node.end_lineno or node.lineno)):
            yield pair[0], pair[1]


def _operand(node: ast.expr, ndim: int) -> Operand:
    """An operand without the new axes that it is given, or without being repeated along new axes."""
    if isinstance(node, ast.Call) and is_call_of(node, "alloc") and node.args:
        return ast.unparse(node.args[0]), ()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "dimshuffle":
        given = node.args[0].elts if len(node.args) == 1 and isinstance(node.args[0], (ast.Tuple, ast.List)) else node.args
        if all(isinstance(a, ast.Constant) for a in given):
            return ast.unparse(node.func.value), tuple(a.value for a in given if isinstance(a, ast.Constant))
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        new = [(isinstance(p, ast.Constant) and p.value is None) or ast.unparse(p).endswith("newaxis") for p in parts]
        whole = [isinstance(p, ast.Slice) and p.lower is p.upper is p.step is None for p in parts]
        if any(new) and all(n or w for n, w in zip(new, whole)):
            counted, order = count(), list[object]()
            for is_new in (*new, *[False] * (ndim - len(parts))):
                order.append(NEW if is_new else next(counted))
            return ast.unparse(node.value), tuple(order)
    return ast.unparse(node), ()
