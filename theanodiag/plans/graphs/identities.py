"""Finds large matrices that algebra makes unnecessary, and simulates the same function without them.

A matrix that is a product of thin ones, diagonal, one-hot, or a Jacobian is often only multiplied, summed, or read in some places, and each
of these follows from what the matrix is made of: `diag(w)·X` from w and X, `trace(A·B)` from the entries of A and B. What is computed is
the same except for rounding. Gradients contain such matrices too: that of `(A·B)[i, j]` is a matrix of zeros with few entries.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod

from ...ir import Apply, Constant, FunctionGraph, Shape, ShapeTable, Site, Unknown
from ...ir.shape import itemsize
from ...memory.script import Script
from ...ops import op_info
from ...ops.arrays import exact
from .class_scores import held_as_numbers, rows_of
from .edit import pruned, with_graph
from .identity_nodes import FACTOR, FACTORS, Equality, Matrix, MatrixRewrite, computed_instead, is_filled, plain_name, sizes_of
from .kronecker import kronecker_instead, kronecker_of

LEAST_BYTES = 1 << 20
"""Smaller matrices are not examined."""
EQUAL = re.compile(r"EQ|Composite\{Cast\{float(?:32|64)\}\(EQ\(i0, i1\)\)\}")
"""The scalar Op that compares class numbers with all numbers of classes."""
RANK_ONE = {"Ger", "CGer", "ScipyGer"}
"""Ops that add an outer product to a matrix: of (matrix, scalar, column, row)."""


@dataclass(frozen=True)
class NeedlessMatrix:
    """A large matrix, and what makes it unnecessary."""

    function: int
    """Index of the function."""
    form: Equality
    shape: tuple[int, ...]
    nbytes: int
    """Bytes of the matrix."""
    sites: tuple[Site, ...]
    """Where the script creates the matrix, if known, and what is computed from it."""
    made: bool
    """Whether the first of `sites` is where it is created."""
    ranks: tuple[tuple[int | None, int], ...]
    """(Line, number of dimensions) of each result that is computed from it."""
    given: Given | None = None
    """Where the script gives the function the matrix; None if the function makes it."""


@dataclass(frozen=True)
class Given:
    """A one-hot matrix that is an input of a function."""

    position: int | None
    """Position among the arguments; None for a shared variable."""
    ndim: int
    """Number of its dimensions."""
    compiled: int | None
    """The line that compiles the function."""
    products: Mapping[int, int]
    """Line -> how many products it makes, of those that multiply this matrix."""


def without_matrices(script: Script, function: int, call: int) -> tuple[Script, tuple[NeedlessMatrix, ...]]:
    """Returns the script in which a function has none of its unnecessary matrices, for the shapes of its call number `call`; also returns
    these matrices.
    """
    found: list[NeedlessMatrix] = []
    while True:
        graph, table = script.functions[function].graph, script.calls(function)[call].shapes
        changed = next(_changes(script, function, graph, table), None)
        if changed is None:
            return script, tuple(found)
        script = changed[0]
        found.append(changed[1])


def _changes(script: Script, function: int, graph: FunctionGraph, table: ShapeTable) -> Iterator[tuple[Script, NeedlessMatrix]]:
    """Yields the script without one matrix, for each that is unnecessary: products the last first, as one may be a factor of another, and
    gradients after them, as they read what is read already.
    """
    yield from _given_rows(script, function, graph, table)
    makers = [(node, m) for node in reversed(graph.applies) if (m := _matrix(graph, table, node)) is not None]
    for node, matrix in sorted(makers, key=lambda pair: pair[1].kind != "product"):
        shape = exact(table.shape(node.outputs[0]))
        if isinstance(shape, Unknown) or len(shape) != 2 or matrix.id in graph.outputs:
            continue
        size = prod(shape) * itemsize(graph.variables[matrix.id].type.dtype or "int8")
        if size < LEAST_BYTES:
            continue
        change = MatrixRewrite(graph, table=table)
        results = _instead(change, matrix, _aliases(graph, table, matrix.id))
        if results and size >= FACTOR * change.added:
            found = _identity(function, graph, graph.variables[matrix.id].site, shape, size, results)
            yield with_graph(script, function, pruned(change.build()), change.shapes), found


def _identity(
    function: int,
    graph: FunctionGraph,
    made: Site | None,
    shape: tuple[int, ...],
    size: int,
    results: Mapping[int, Equality],
) -> NeedlessMatrix:
    variables = [graph.variables[v] for v in results]
    sites = tuple(s for s in (made, *(v.site for v in variables)) if s is not None)
    ranks = tuple((v.site.line if v.site else None, v.type.ndim) for v in variables)
    main = min(results.values(), key=list(Equality).index)
    return NeedlessMatrix(function, main, shape, size, sites, made is not None, ranks)


def _given_rows(script: Script, function: int, graph: FunctionGraph, table: ShapeTable) -> Iterator[tuple[Script, NeedlessMatrix]]:
    """Yields the script with numbers in place of one one-hot input, for each that is only multiplied by tables."""
    values: dict[int, list[bool]] = {}
    for call in script.calls(function):
        for value in call.inputs:
            values.setdefault(value.variable, []).append(value.one_hot)
    arguments = [i.variable for i in graph.inputs if i.shared is None]
    for entry in graph.inputs:
        v, shape = entry.variable, exact(table.shape(entry.variable))
        uses = sum(i.shared == entry.shared for f in script.functions for i in f.graph.inputs) if entry.shared is not None else 1
        rows = script.shared[entry.shared].one_hot if entry.shared is not None else all(values.get(v, [False]))
        if not rows or uses > 1 or entry.update is not None or isinstance(shape, Unknown):
            continue
        size = prod(shape) * itemsize(graph.variables[v].type.dtype or "int8")
        change, names = MatrixRewrite(graph, table=table), _row_aliases(graph, table, v)
        results = _instead(change, Matrix("one-hot", (), v), names) if size >= LEAST_BYTES else {}
        change.rules.update({v: _narrow(v, names[v]) for v in names})
        if results and size >= FACTOR * change.added:
            changed = with_graph(script, function, pruned(change.build()), change.shapes)
            changed = changed if entry.shared is None else held_as_numbers(changed, entry.shared)
            made = graph.variables[v].site if entry.shared is None else script.shared[entry.shared].site
            site = script.functions[function].site
            position = arguments.index(v) if entry.shared is None else None
            given = Given(position, len(shape), site.line if site else None, _products_at(graph, results))
            yield changed, replace(_identity(function, graph, made, shape, size, results), given=given)


def _products_at(graph: FunctionGraph, results: Mapping[int, Equality]) -> Mapping[int, int]:
    """For each line that makes one of these products, the number of products that it makes."""
    sites = [(v, graph.variables[v].site) for node in graph.applies for v in node.outputs if plain_name(node) in FACTORS]
    wanted = {site.line for v, site in sites if site is not None and v in results}
    return Counter(site.line for _, site in sites if site is not None and site.line in wanted)


def _row_aliases(graph: FunctionGraph, table: ShapeTable, variable: int) -> dict[int, bool]:
    """The Variables that are the rows of an input, or some of them, copies and casts -> whether they are columns there."""
    names = dict.fromkeys(rows_of(graph, table, variable), False)
    for v in tuple(names):
        for number, _ in graph.clients[v]:
            node = graph.applies[number]
            if node.op.params.get("new_order") in ([1, 0], (1, 0)):
                names[node.outputs[0]] = True
    return names


def _narrow(variable: int, turned: bool) -> Callable[[ShapeTable], Shape]:
    """The shape of rows of numbers, of one-hot rows before."""

    def shape(table: ShapeTable) -> Shape:
        sizes = sizes_of(table.shape(variable))
        return (1, *sizes[1:]) if turned else (*sizes[:-1], 1)

    return shape


def _instead(change: MatrixRewrite, matrix: Matrix, names: Mapping[int, bool]) -> dict[int, Equality]:
    """Computes all that is computed from a matrix without it: the results, each with its identity; empty where the matrix is needed."""
    graph, results = change.graph, dict[int, Equality]()
    for v, turned in names.items():
        if v in graph.outputs:
            return {}
        for number, position in graph.clients[v]:
            node = graph.applies[number]
            if node.outputs[0] in names:
                continue
            form = computed_instead(change, matrix, node, position, turned) if matrix.kind != "kronecker" else None
            form = form or kronecker_instead(change, matrix, node, turned)
            if form is not None:
                results[node.outputs[0]] = form
            elif not _asks_shape(change, matrix, node):
                return {}
    return results


def _matrix(graph: FunctionGraph, table: ShapeTable, node: Apply) -> Matrix | None:
    """What a node's output is made of; None if it is another matrix, or has another use than products."""
    name, out = plain_name(node), node.outputs[0]
    if name == "AllocDiag":
        return Matrix("diagonal", (node.inputs[0],), out)
    if name in ("Dot22", "Dot22Scalar", "Dot", "dot") and all(graph.variables[v].type.ndim == 2 for v in node.inputs[:2]):
        return Matrix("product", tuple(node.inputs[:2]), out)
    if name in RANK_ONE and is_filled(graph, node.inputs[0]):
        return Matrix("product", (node.inputs[2], node.inputs[3]), out)
    if name == "AdvancedIncSubtensor" and len(node.inputs) == 4 and is_filled(graph, node.inputs[0]):
        values, rows, columns = node.inputs[1:]
        ones = node.op.params.get("set_instead_of_inc") and graph.variables[values].type.ndim == 0
        return Matrix("one-hot", (columns,), out) if ones else Matrix("entries", (values, rows, columns), out)
    if name == "Alloc" and len(node.inputs) == 3 and prod(sizes_of(table.shape(node.inputs[0]))) == 1:
        return Matrix("constant", (node.inputs[0],), out)
    if name == "Elemwise" and len(node.inputs) == 2 and EQUAL.fullmatch(str(node.op.params.get("scalar_text"))):
        numbers, classes = node.inputs
        between = isinstance(graph.variables[classes], Constant) and sizes_of(table.shape(numbers))[1:] == (1,)
        return Matrix("one-hot", (numbers,), out) if between and sizes_of(table.shape(classes))[:1] == (1,) else None
    if name == "Scan" and len(node.outputs) == 1:
        return Matrix("jacobian", (), out)
    return kronecker_of(graph, table, node)


def _aliases(graph: FunctionGraph, table: ShapeTable, matrix: int) -> dict[int, bool]:
    """The Variables that are a matrix, in another order of its axes or another place -> whether it is the transposed one."""
    names = {matrix: False}
    for v in (todo := [matrix]):
        for number, _ in graph.clients[v]:
            node = graph.applies[number]
            order = node.op.params.get("new_order")
            filled = plain_name(node) == "IncSubtensor" and node.inputs[1] == v and is_filled(graph, node.inputs[0])
            turns = plain_name(node) in ("DimShuffle", "InplaceDimShuffle") and order in ([1, 0], (1, 0))
            if turns or op_info(node.op.name).hands_on or (filled and table.shape(node.outputs[0]) == table.shape(v)):
                names[node.outputs[0]] = names[v] != turns
                todo.append(node.outputs[0])
    return names


def _asks_shape(change: MatrixRewrite, matrix: Matrix, node: Apply) -> bool:
    """Whether a node reads only the shape, which follows from the parts."""
    if plain_name(node) not in ("Shape", "Shape_i"):
        return False
    if matrix.parts:
        change.put(node.id, node.op, [matrix.parts[0]], node.outputs[0])
    return True
