"""Sums of products of broadcast arrays as products of matrices, node by node.

`(A[:, None] * B).sum(2)` makes an array as large as all axes together. Each axis is in A alone, in B alone, or in both, and is summed over
or kept: those in one factor alone are summed first, those in both are the inner axis of a product, and kept axes of both are a batch of
products. The same holds for each term of a polynomial: `((x[:, None] - c) ** 2).sum(2)`, and what its gradient sums.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...ir import Apply, FunctionGraph, Op, Shape, ShapeTable, Type, Unknown
from ...memory.script import Script
from ...ops import op_info
from ...ops.arrays import exact
from .edit import Rewrite, reads_lengths, with_graph

Powers = tuple[tuple[int, int], ...]
"""A product of powers: (id of a Variable, exponent) in the order of the ids; () is 1."""
Polynomial = Mapping[Powers, float]
"""Product of powers -> coefficient. Coefficients of scalars that are Variables are not known: these are powers as others are."""
MOST_TERMS = 6
"""Polynomials with more terms are not examined."""
CASTS = ("cast", "identity")


@dataclass(frozen=True)
class FactorGroup:
    """One of the groups into which the factors of a term are divided."""

    powers: Powers
    axes: tuple[int, ...]
    """Axes longer than 1 of their product, of those of the array that is summed."""


@dataclass(frozen=True)
class Term:
    """One product of a sum, as at most two groups of factors."""

    coefficient: float
    groups: tuple[FactorGroup, ...]
    summed: tuple[int, ...]
    """Axes that are summed over."""

    def alone(self, number: int) -> tuple[int, ...]:
        """Returns the axes of group `number` that are summed over and that the other group does not have."""
        others = {a for k, g in enumerate(self.groups) if k != number for a in g.axes}
        return tuple(a for a in self.groups[number].axes if a in self.summed and a not in others)

    def left(self, number: int) -> tuple[int, ...]:
        """Returns the axes of group `number` that remain after summing over the axes of `alone`."""
        return tuple(a for a in self.groups[number].axes if a not in self.alone(number))

    @property
    def shared(self) -> tuple[int, ...]:
        """The axes that both groups have."""
        return tuple(a for a in self.groups[0].axes if self.groups[1:] and a in self.groups[1].axes)

    @property
    def inner(self) -> tuple[int, ...]:
        """Axes of both groups that are summed over."""
        return tuple(a for a in self.shared if a in self.summed)

    @property
    def batch(self) -> tuple[int, ...]:
        """Axes of both groups that are kept."""
        return tuple(a for a in self.shared if a not in self.summed)

    def free(self, number: int) -> tuple[int, ...]:
        """Returns the axes of group `number` that are kept, and that the other group does not have."""
        return tuple(a for a in self.left(number) if a not in self.shared)


@dataclass(frozen=True)
class Reduction:
    """A node that reduces an array, possibly after neighbouring axes were joined."""

    node: Apply
    array: int
    """The Variable that is reduced, as it is before axes are joined."""
    summed: tuple[int, ...]
    """The axes of the array that are reduced."""
    last: Apply
    """The node whose output is the result: `node`, or the one that takes joined axes apart again."""


def reductions(graph: FunctionGraph, table: ShapeTable, arrays: Sequence[int]) -> Iterator[Reduction]:
    """Yields the nodes that reduce these arrays."""
    for v in arrays:
        for number, _ in graph.clients[v]:
            node = graph.applies[number]
            ndim = len(graph.variables[v].type.shape)
            if op_info(node.op.name).reduces:
                yield Reduction(node, v, _over(node, tuple((a,) for a in range(ndim))), node)
            elif (joined := joined_axes(table, node)) is not None:
                for client, _ in graph.clients[node.outputs[0]]:
                    reduction = graph.applies[client]
                    yield Reduction(reduction, v, _over(reduction, joined), _apart(graph, reduction))


def joined_axes(table: ShapeTable, node: Apply) -> tuple[tuple[int, ...], ...] | None:
    """Returns for each axis of a reshaped array the neighbouring axes of the original array that were joined to it; None if the node joins
    none.
    """
    before, after = (exact(table.shape(v)) for v in (node.inputs[0], node.outputs[0])) if node.op.name.endswith("Reshape") else ((), ())
    if isinstance(before, Unknown) or isinstance(after, Unknown) or not after:
        return None
    groups, at = list[tuple[int, ...]](), 0
    for length in after:
        end, size = at, 1
        while end < len(before) and size != length:
            size, end = size * before[end], end + 1
        if size != length or end == at:
            return None
        groups.append(tuple(range(at, end)))
        at = end
    return tuple(groups) if at == len(before) else None


def _over(node: Apply, axes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The axes that a reduction reduces, of an array whose axes are joined in this way."""
    over = node.op.params.get("axis")
    return tuple(a for k, group in enumerate(axes) if not isinstance(over, (list, tuple)) or k in over for a in group)


def _apart(graph: FunctionGraph, node: Apply) -> Apply:
    """The only reader of a result, if it reshapes it; else the node itself."""
    clients = graph.clients[node.outputs[0]]
    reader = graph.applies[clients[0][0]] if len(clients) == 1 and node.outputs[0] not in graph.outputs else None
    return reader if reader is not None and reader.op.name.endswith("Reshape") else node


def terms_of(graph: FunctionGraph, table: ShapeTable, arrays: Sequence[int], reduction: Reduction) -> tuple[Term, ...] | None:
    """Returns what a reduction of one of `arrays` computes, as a sum of products of what these arrays are made of; None if it is no such
    sum.
    """
    node = reduction.node
    before, value = node.op.params.get("pre_scalar_op"), _Arrays(graph, set(arrays)).value(reduction.array)
    if node.op.params.get("scalar_op") != "Add" or before not in (None, "None", "sqr") or value is None:
        return None
    value = _product(value, value) if before == "sqr" else value
    if not value or len(value) > MOST_TERMS:
        return None
    ndim = graph.variables[reduction.array].type.ndim
    terms = [_term(table, powers, coefficient, reduction.summed, ndim) for powers, coefficient in value.items()]
    return None if None in terms else tuple(t for t in terms if t is not None)


def _term(table: ShapeTable, powers: Powers, coefficient: float, summed: tuple[int, ...], ndim: int) -> Term | None:
    """A product as groups; None if three factors have different axes."""
    axes = {v: _axes(table, v, ndim) for v, _ in powers}
    if None in axes.values():
        return None
    sets = sorted({frozenset(a or ()) for a in axes.values()}, key=lambda s: -len(s))
    largest = [s for s in sets if s and not any(s < other for other in sets)]
    if not 0 < len(largest) <= 2:
        return None
    own: dict[frozenset[int], list[tuple[int, int]]] = {s: [] for s in largest}
    for v, exponent in powers:
        fitting = [s for s in largest if frozenset(axes[v] or ()) <= s]
        own[fitting[0]].append((v, exponent))
    return Term(coefficient, tuple(FactorGroup(tuple(p), tuple(sorted(s))) for s, p in own.items()), summed)


def _axes(table: ShapeTable, variable: int, ndim: int) -> tuple[int, ...] | None:
    """The axes longer than 1 of an array, of those of an array with `ndim` axes to which it is broadcast."""
    shape = exact(table.shape(variable))
    return None if isinstance(shape, Unknown) else tuple(k for k, n in enumerate(shape, ndim - len(shape)) if n != 1)


class _Arrays:
    """The arrays of one broadcast, as polynomials of what they are made of."""

    def __init__(self, graph: FunctionGraph, arrays: set[int]) -> None:
        self.graph, self.arrays = graph, arrays

    def value(self, variable: int) -> Polynomial | None:
        """Returns a Variable as a polynomial of the arrays from which it is computed; None if that is not possible."""
        node = self.graph.maker(variable) if variable in self.arrays else None
        if node is None:
            return {((variable, 1),): 1.0}
        if node.op.name.endswith("Alloc"):
            return {((node.inputs[0], 1),): 1.0}
        inputs = [self.value(v) for v in node.inputs]
        text = str(node.op.params.get("scalar_text", ""))
        name = str(node.op.params.get("scalar_op") or text)
        if any(i is None for i in inputs):
            return None
        known = [i for i in inputs if i is not None]
        if name != "Composite":
            return _called(name, known)
        body = re.sub(r"\{\w+\}", "", text.strip().removeprefix("Composite{").removesuffix("}"))
        try:
            return _computed(ast.parse(body, mode="eval").body, known)
        except (SyntaxError, RecursionError):
            return None


def _computed(node: ast.expr, inputs: Sequence[Polynomial]) -> Polynomial | None:
    """What the text of a Composite computes, `((i0 * i1) - i2)`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return {(): float(node.value)}
    if isinstance(node, ast.Name) and re.fullmatch(r"i\d+", node.id) and int(node.id[1:]) < len(inputs):
        return inputs[int(node.id[1:])]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _called("neg", [v for v in [_computed(node.operand, inputs)] if v is not None])
    names = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv"}
    if isinstance(node, ast.BinOp):
        name, operands = names.get(type(node.op), ""), [node.left, node.right]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        name, operands = node.func.id, list(node.args)
    else:
        return None
    values = [_computed(n, inputs) for n in operands]
    return None if None in values else _called(name, [v for v in values if v is not None])


def _called(name: str, values: Sequence[Polynomial]) -> Polynomial | None:
    """What a scalar Op makes of polynomials; None for an Op that makes none."""
    short = re.sub(r"\W.*|_", "", name.lower())
    if not values:
        return None
    if short in ("sqr", "square"):
        return _product(values[0], values[0])
    if short == "neg":
        return {p: -c for p, c in values[0].items()}
    if short in CASTS:
        return values[0]
    result: Polynomial | None = values[0]
    for value in values[1:]:
        factor = _inverse(value) if short == "truediv" else value
        if result is None or factor is None or short not in OPERATIONS:
            return None
        result = _product(result, factor) if short in ("mul", "truediv") else _sum(result, value, -1 if short == "sub" else 1)
    return result if short in OPERATIONS else None


OPERATIONS = ("add", "sub", "mul", "truediv")
"""Scalar Ops of which a polynomial is made."""


def _inverse(value: Polynomial) -> Polynomial | None:
    """One divided by a polynomial; None if it has several terms."""
    if len(value) != 1 or 0 in value.values():
        return None
    ((powers, coefficient),) = value.items()
    return {tuple((v, -exponent) for v, exponent in powers): 1 / coefficient}


def _sum(a: Polynomial, b: Polynomial, sign: int) -> Polynomial:
    return {p: a.get(p, 0) + sign * b.get(p, 0) for p in {**a, **b}}


def _product(a: Polynomial, b: Polynomial) -> Polynomial | None:
    if len(a) * len(b) > MOST_TERMS**2:
        return None
    result: dict[Powers, float] = {}
    for p, c in a.items():
        for q, d in b.items():
            powers = dict(p)
            for v, exponent in q:
                powers[v] = powers.get(v, 0) + exponent
            key = tuple(sorted(power for power in powers.items() if power[1]))
            result[key] = result.get(key, 0) + c * d
    return result


def squares(terms: Sequence[Term], kept: tuple[int, ...]) -> Term | None:
    """Returns the sum of the squares of a product over all axes but `kept`, if these terms compute its gradient: `a * b * b` for `(a * b)
    ** 2`.

    None for another gradient.
    """
    powers = [p for t in terms for g in t.groups for p in g.powers]
    if len(terms) != 1 or len(powers) != 2 or sorted(e for _, e in powers) != [1, 2]:
        return None
    groups = tuple(FactorGroup(tuple((v, 2) for v, _ in g.powers), g.axes) for g in terms[0].groups)
    return Term(1.0, groups, tuple(a for a in sorted({a for g in groups for a in g.axes}) if a not in kept))


Sized = tuple[int, tuple[int, ...]]
"""A Variable, and which axes of the array that is summed its axes are."""


@dataclass
class _Change:
    """A graph in which sums of one broadcast are products, with the shapes of the new Variables."""

    rewrite: Rewrite
    graph: FunctionGraph
    root: int
    """The Variable whose shape has all axes."""
    like: Type
    gpu: str
    """`Gpu` on a device."""
    shapes: dict[int, tuple[int, ...]]
    """New Variable -> its axes."""

    def put(self, node: Apply, name: str, inputs: Sequence[int], axes: tuple[int, ...], **more: object) -> int:
        """Adds a node in place of `node`. Returns the output of the new node, which has these axes."""
        new = self.rewrite.variable(Type(self.like.kind, self.like.dtype, (None,) * len(axes)))
        self.shapes[new] = axes
        self.end(node, name, inputs, new, **more)
        return new

    def end(self, node: Apply, name: str, inputs: Sequence[int], output: int, **more: object) -> None:
        """Adds a node with this output in place of `node`."""
        params: dict[str, object] = {k: v for k, v in more.items() if k not in ("view", "destroys")}
        view = {0: (0,)} if more.get("view") else {}
        at = more.get("destroys")
        op = Op(f"{self.gpu}{name}", name, params=params, view_map=view, destroy_map={0: (at,)} if isinstance(at, int) else {})
        self.rewrite.put(node.id, op, inputs, output)

    def group(self, node: Apply, term: Term, number: int) -> Sized:
        """Returns a group of factors as one array, without the axes that are summed over first."""
        powers, axes, alone = term.groups[number].powers, term.groups[number].axes, term.alone(number)
        ((first, exponent), *others) = powers
        squared = exponent == 2 and not others
        value = self._view(node, first, axes) if (exponent == 1 or squared) and not others else None
        if value is None or (squared and not alone):
            value = self.put(node, "Elemwise", [v for v, _ in powers], axes, scalar_text="mul")
            squared = False
        if not alone:
            return value, axes
        over = [axes.index(a) for a in alone]
        summed = {"scalar_op": "Add", "axis": over, "pre_scalar_op": "sqr" if squared else None}
        name = "CAReduceCuda" if self.gpu else "Sum"
        if squared and not self.gpu:  # on the GPU the reduction itself squares its input
            value, summed["pre_scalar_op"] = self.put(node, "Elemwise", [value], axes, scalar_text="sqr"), None
        left = tuple(a for a in axes if a not in alone)
        return self.put(node, name, [value], left, **summed), left

    def _view(self, node: Apply, variable: int, axes: tuple[int, ...]) -> int:
        """An array without its axes of length 1, or the one that it is a view of."""
        own, whole = (len(self.graph.variables[v].type.shape) for v in (variable, self.root))
        if len(axes) == own < whole:
            return variable
        maker = self.graph.maker(variable)
        order = maker.op.params.get("new_order") if maker and maker.op.name.endswith("DimShuffle") else None
        places = tuple(at for at, k in enumerate(order) if k != "x") if isinstance(order, (list, tuple)) else ()
        if (
            maker is not None
            and isinstance(order, (list, tuple))
            and places == axes
            and [order[at] for at in axes] == list(range(len(axes)))
        ):
            return maker.inputs[0]
        return self.put(node, "DimShuffle", [variable], axes, view=True, new_order=[a - (whole - own) for a in axes])

    def turned(self, node: Apply, value: Sized, parts: Sequence[tuple[int, ...]]) -> int:
        """Returns a Variable with the axes of an array in the order of `parts`; the axes of each part are joined to one."""
        variable, axes = value
        wanted = tuple(a for part in parts for a in part)
        if wanted != axes:
            order = [axes.index(a) for a in wanted]
            variable = self.put(node, "DimShuffle", [variable], wanted, view=True, new_order=order)
        if all(len(part) == 1 for part in parts):
            return variable
        return self.put(node, "Elemwise", [variable], wanted, scalar_text="copy")  # a reshape copies what is not in order

    def product(self, node: Apply, term: Term, left: Sized, right: Sized, output: int | None) -> Sized:
        """Returns the product of two groups over their inner axes, as `output` where that is given."""
        axes = (*term.batch, *term.free(0), *term.free(1))
        batch: tuple[tuple[int, ...], ...] = (term.batch,) if term.batch else ()
        inputs = [
            self.turned(node, left, (*batch, *filter(None, [term.free(0)]), term.inner)),
            self.turned(node, right, (*batch, term.inner, *filter(None, [term.free(1)]))),
        ]
        order = tuple(sorted(axes))
        direct = output if order == axes else None
        if not axes:  # an inner product: its factors are multiplied, and summed over all axes
            multiplied = self.put(node, "Elemwise", inputs, term.inner, scalar_text="mul")
            name, over = "CAReduceCuda" if self.gpu else "Sum", list(range(len(term.inner)))
            return self._made(node, name, [multiplied], axes, output, scalar_op="Add", axis=over, pre_scalar_op=None), axes
        name = "GemmBatch" if term.batch else "Dot22" if term.free(0) and term.free(1) else "Gemv"
        if name != "Dot22":
            inputs = [self.put(node, "AllocEmpty", [], axes), *inputs]
        made = self._made(node, name, inputs, axes, direct, destroys=None if name == "Dot22" else 0)
        if order == axes:
            return made, axes
        new_order = [axes.index(a) for a in order]
        return self._made(node, "DimShuffle", [made], order, output, view=True, new_order=new_order), order

    def _made(self, node: Apply, name: str, inputs: Sequence[int], axes: tuple[int, ...], output: int | None, **more: object) -> int:
        if output is None:
            return self.put(node, name, inputs, axes, **more)
        self.end(node, name, inputs, output, **more)
        return output


def as_products(script: Script, function: int, arrays: Sequence[int]) -> Script | None:
    """Returns the script with products in place of sums of these arrays, the first of which is the broadcast; None if that is not
    possible.
    """
    graph = script.functions[function].graph
    call = next(iter(script.calls(function)), None)
    maker = graph.maker(arrays[0])
    if call is None or maker is None:
        return None
    gpu = "Gpu" if maker.op.name.startswith("Gpu") else ""
    change = _Change(Rewrite(graph), graph, arrays[0], graph.variables[arrays[0]].type, gpu, {})
    for reduction in reductions(graph, call.shapes, arrays):
        terms = terms_of(graph, call.shapes, arrays, reduction)
        if terms is None:
            return None
        if reduction.last is not reduction.node:
            change.rewrite.remove(reduction.node.id)
        _replace(change, reduction.last, terms)
    for v in arrays:
        for own in (graph.maker(v), *(graph.applies[n] for n, _ in graph.clients[v])):
            if own is not None and reads_lengths(own):
                change.rewrite.put(own.id, own.op, [maker.inputs[0]], own.outputs[0])
            elif own is not None and (own.outputs[0] in arrays or own.op.name.endswith("Reshape")):
                change.rewrite.remove(own.id)

    def reshape(table: ShapeTable) -> Mapping[int, Shape]:
        whole = table.shape(arrays[0])
        return {} if isinstance(whole, Unknown) else {v: tuple(whole[a] for a in axes) for v, axes in change.shapes.items()}

    return with_graph(script, function, change.rewrite.build(), reshape)


def _replace(change: _Change, node: Apply, terms: Sequence[Term]) -> None:
    """Computes what a reduction computes as a sum of these terms."""
    out, values, products = node.outputs[0], list[int](), list[Sized]()
    for term in terms:
        groups = [change.group(node, term, k) for k in range(len(term.groups))]
        if not term.inner:
            values += [v for v, _ in groups]
            continue
        last = len(terms) == 1 and abs(term.coefficient) == 1
        products.append(change.product(node, term, groups[0], groups[1], out if last else None))
        if products[-1][0] == out:
            return
    kept = tuple(a for a in range(len(change.graph.variables[change.root].type.shape)) if a not in terms[0].summed)
    whole = [k for k, (_, axes) in enumerate(products, len(values)) if axes == kept]
    destroys = whole[0] if whole else None
    change.end(node, "Elemwise", [*values, *(v for v, _ in products)], out, destroys=destroys, scalar_text="terms")
