"""Determines whether the results for parts of the rows, joined, are those for all rows: concatenated, added up, or averaged.

Each Variable is classified by how it depends on the rows: not at all, row by row, or as a sum over them; each of these possibly times a
power of the number of rows (a mean is a sum times its power -1). What mixes them in another way (a maximum over all, a matrix of all pairs,
rows minus their mean, the root of a mean) cannot be joined.
"""

from __future__ import annotations

import ast
import enum
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Optional

from ...ir import Apply, FunctionGraph, ShapeTable, TypeKind, Unknown
from ...memory.script import Script
from ...ops import op_info
from ..resize import Axis, WhatIf, length
from .long_scans import scans, sequences


class Kind(enum.Enum):
    """How a result depends on the rows of the batch."""

    FIXED = "the same for any rows"
    ROWS = "an entry for each row, which depends on that row alone"
    SUM = "a sum over the rows"
    SHIFTED = "a sum over the rows plus what is the same for any rows: a parameter minus the gradient of a sum"
    MIXED = "something else that depends on several rows"


@dataclass(frozen=True)
class Dependence:
    """How a Variable of the graph depends on the rows of the batch."""

    kind: Kind = Kind.FIXED
    power: int = 0
    """The power of the number of rows by which it is multiplied."""


Known = Optional[Dependence]
"""A Dependence; None for one that is not known."""

FIXED, ROWS, MIXED = Dependence(), Dependence(Kind.ROWS), Dependence(Kind.MIXED)
SUM, MEAN, SHIFTED = Dependence(Kind.SUM), Dependence(Kind.SUM, -1), Dependence(Kind.SHIFTED)
JOINED = (FIXED, ROWS, SUM, MEAN, Dependence(Kind.FIXED, 1))
"""Results that are taken once, concatenated, added up, averaged, and (a number of rows) added up."""
LENGTHS = ("Shape_i", "Shape", "MakeVector", "ARange", "Alloc", "AllocEmpty")
"""Ops that read or make lengths, and arrays of a length."""
SELECTS = ("Subtensor", "IncSubtensor", "AdvancedSubtensor1", "AdvancedSubtensor", "Join")
"""Ops that select or place parts of arrays."""
SAME_ENTRIES = ("DimShuffle", "Reshape", "Rebroadcast", "TensorFromScalar", "ScalarFromTensor", "Flatten", "InplaceDimShuffle")
"""Ops whose output has the entries of the first input; other inputs are lengths."""
BY_ROW = re.compile(
    r"(Dnn)?(Conv|Corr|Pool)\w*|(Abstract|Base)?Conv\w*|Dnn(Softmax|BatchNormInference)|\w*Softmax(WithBias|Grad|Argmax1Hot\w*|1Hot\w*)?"
    r"|CrossentropyCategorical1Hot|OneHot|Images2Neibs"
)
"""Ops that compute each row of their outputs from that row alone, unless the last axis (of a softmax) is that of the rows."""
RANDOM = re.compile(r"RandomFunction|\w*RV|\w*mrg_uniform")
"""Ops that draw random numbers, of a size that may depend on the number of rows."""
LINEAR = ("CrossentropySoftmax1HotWithBiasDx", "SoftmaxGrad", "CrossentropyCategorical1HotGrad")
"""Gradients by row that are proportional to their first input."""
OUTER = ("ger", "cger")
"""Outer products added to a matrix. Their factors are the inputs 2 and 3, as those of Gemm and Gemv; the inputs 1 and 4 scale."""


def mixing_function(what_if: WhatIf, axes: Sequence[Axis]) -> int | None:
    """Returns the first function without updates whose results for parts of the rows cannot be joined; None if no such function is known.

    `axes`: those whose length is the number of rows.
    """
    verdicts = _verdicts(what_if, axes)
    return next((f for f, joined in verdicts if joined is False), None)


def all_joined(what_if: WhatIf, axes: Sequence[Axis]) -> bool:
    """Returns whether, for all functions without updates, the results for parts of the rows can be joined to the results for all rows."""
    return all(joined is True for _, joined in _verdicts(what_if, axes))


def _verdicts(what_if: WhatIf, axes: Sequence[Axis]) -> Iterator[tuple[int, bool | None]]:
    """Yields (index, `are_joined`) of each function without updates."""
    fewer = _with_fewer_rows(what_if, axes)
    for f in what_if.script.functions:
        if all(i.update is None for i in f.graph.inputs):
            yield f.index, None if isinstance(fewer, Unknown) else are_joined(what_if.script, fewer, f.index)


def _with_fewer_rows(what_if: WhatIf, axes: Sequence[Axis]) -> Script | Unknown:
    """The script without a third of its rows: with one row less, a length such as n // 2 may be the same as before."""
    rows = max((n for a in axes if (n := length(what_if.script, a)) is not None), default=0)
    return what_if.with_lengths(dict.fromkeys(axes, rows - max(1, rows // 3))) if rows > 1 else what_if.script


def of_cost(what_if: WhatIf, axes: Sequence[Axis], function: int) -> Dependence | None:
    """Returns how the cost that a function trains with depends on its rows; None if unknown.

    The cost is the first float number that the function returns. If there is none, the updates are examined: they show whether the cost is
    a mean, although the state of an optimizer may depend on the rows in another way. In the updates a sum looks like a sum with a penalty,
    which parts would add several times.
    """
    before, after = what_if.script, _with_fewer_rows(what_if, axes)
    if isinstance(after, Unknown):
        return None
    graph, found = before.functions[function].graph, _of_call(before, after, function)
    if found is None:
        return None
    returned = ((v, graph.variables[v].type) for v in graph.outputs[: graph.n_returned])
    cost = next((v for v, t in returned if not t.shape and (t.dtype or "").startswith("float")), None)
    if cost is not None:
        return MIXED if found[cost] == SHIFTED else found[cost]
    updates = {found[graph.outputs[i.update]] for i in graph.inputs if i.update is not None} - {FIXED}
    return MEAN if MEAN in updates else MIXED if updates == {MIXED} else None


def are_joined(before: Script, after: Script, function: int) -> bool | None:
    """Returns whether the results of a function for parts of its rows can be joined to the results for all rows; None if unknown.

    `after`: the script with fewer rows.
    """
    graph, found = before.functions[function].graph, _of_call(before, after, function)
    if found is None:
        return True
    results = [found[v] for v in graph.outputs[: graph.n_returned]]
    return None if None in results and MIXED not in results else all(d in JOINED for d in results)


def results_of_parts(what_if: WhatIf, axes: Sequence[Axis], function: int) -> tuple[tuple[Known, int | None], ...]:
    """Returns for each result of a function: how it depends on the rows, and its axis of rows; empty if that is not known."""
    before, after = what_if.script, _with_fewer_rows(what_if, axes)
    found = None if isinstance(after, Unknown) else _of_call(before, after, function)
    if isinstance(after, Unknown) or found is None:
        return ()
    graph = before.functions[function].graph
    pairs = zip(before.calls(function), after.calls(function))
    old, new = next((a.shapes, b.shapes) for a, b in pairs if a.shapes is not b.shapes)
    axes_of = _Walk(graph, old, new).axes
    return tuple((found[v], next(iter(axes_of(v) or ()), None)) for v in graph.outputs[: graph.n_returned])


def _of_call(before: Script, after: Script, function: int) -> dict[int, Known] | None:
    """The `dependences` for the first call whose shapes differ between the scripts; None if there is none."""
    graph = before.functions[function].graph
    pairs = ((old.shapes, new.shapes) for old, new in zip(before.calls(function), after.calls(function)))
    return next((dependences(graph, old, new) for old, new in pairs if old is not new), None)


def dependences(graph: FunctionGraph, old: ShapeTable, new: ShapeTable) -> dict[int, Known]:
    """Returns how each Variable of a graph depends on the rows, from its shapes for two numbers of rows."""
    return _Walk(graph, old, new).found


class _Walk:
    """One pass over a graph."""

    def __init__(self, graph: FunctionGraph, old: ShapeTable, new: ShapeTable) -> None:
        self.graph, self.old, self.new = graph, old, new
        self.found: dict[int, Known] = {}
        self.ratios: set[tuple[int, int]] = set()
        for variable in graph.variables:
            if variable.owner is None:
                self.found[variable.id] = self._source(variable.id)
        for node in graph.applies:
            inputs = [self.found.get(v) for v in node.inputs]
            for out in node.outputs:
                self.found[out] = self._of_value(out) or self._checked(out, self._output(node, out, inputs))

    def axes(self, variable: int) -> tuple[int, ...] | None:
        """Returns the axes whose length differs between the two tables; None if a shape is unknown."""
        a, b = self.old.shape(variable), self.new.shape(variable)
        if isinstance(a, Unknown) or isinstance(b, Unknown) or len(a) != len(b):
            return None
        if any(isinstance(n, Unknown) for n in (*a, *b)):
            return None
        return tuple(k for k, (n, m) in enumerate(zip(a, b)) if n != m)

    def _source(self, variable: int) -> Known:
        changed = self.axes(variable)
        if changed is None:
            return FIXED if self.graph.variables[variable].type.kind is TypeKind.RANDOM else self._of_value(variable)
        if changed:
            self.ratios.add(self._lengths(variable, changed[0]))
        return self._of_value(variable) or (MIXED if len(changed) > 1 else ROWS if changed else FIXED)

    def _lengths(self, variable: int, axis: int) -> tuple[int, int]:
        """The lengths of an axis in both tables, where they are known."""
        shapes = self.old.shape(variable), self.new.shape(variable)
        before, after = (s[axis] if isinstance(s, tuple) else 0 for s in shapes)
        return (before, after) if isinstance(before, int) and isinstance(after, int) else (0, 0)

    def _of_value(self, variable: int) -> Known:
        """The dependence of a number whose value is known for both numbers of rows; None if it is not."""
        a, b = _number(self.old.values.get(variable)), _number(self.new.values.get(variable))
        if a is None or b is None:
            return None
        if a == b:
            return FIXED
        powers = (p for n, m in self.ratios for p in (1, -1) if m and math.isclose(a, b * (n / m) ** p, rel_tol=1e-6))
        return next((Dependence(Kind.FIXED, p) for p in powers), None)

    def _checked(self, variable: int, found: Known) -> Known:
        """`found`, if the shapes do not contradict it: rows have one axis that changes in proportion, others none."""
        changed = self.axes(variable)
        if changed is not None and len(changed) > 1:
            return MIXED
        if changed is None or found is None or found.kind is Kind.MIXED:
            return found if found in (FIXED, MIXED) else None
        rows = bool(changed) and self._proportional(variable, changed[0])
        return found if rows or (not changed and found.kind is not Kind.ROWS) else None

    def _proportional(self, variable: int, axis: int) -> bool:
        a, b = self._lengths(variable, axis)
        return any(a * m == b * n for n, m in self.ratios)

    def _output(self, node: Apply, out: int, inputs: Sequence[Known]) -> Known:
        name, plain = node.op.name.removeprefix("Gpu"), all(d in (FIXED, ROWS) for d in inputs)
        if MIXED in inputs:
            return MIXED
        if all(d == FIXED for d in inputs):
            changed = self.axes(out)
            if changed:  # rows that are sliced out of data, or drawn at random
                self.ratios.add(self._lengths(out, changed[0]))
            return ROWS if changed else FIXED
        if name == "Elemwise":
            return _plain(inputs) if plain else _computed(node, inputs)
        if None in inputs and not name.startswith(("Shape", "Subtensor", "Advanced")):
            return None
        if op_info(node.op.name).hands_on or name in SAME_ENTRIES:
            return inputs[0]
        if name in LENGTHS:
            return self._sized(node, name, inputs, out)
        if name in SELECTS:
            return self._selected(node, name, inputs)
        if op_info(node.op.name).reduces or name == "Mean":
            return self._reduced(node, name, inputs[0], out)
        if op_info(node.op.name).factors or name.lower() in OUTER or name == "BatchedDot":
            return self._product(node, name, inputs, out)
        if node.op.inner is not None:
            return self._inner(node, out) if plain else None
        return self._by_row(node, name, inputs, out)

    def _by_row(self, node: Apply, name: str, inputs: Sequence[Known], out: int) -> Known:
        """Layers that compute each row by itself; a softmax over the rows does not."""
        if name in LINEAR and self.axes(out) and inputs[0] is not None and all(d in (FIXED, ROWS) for d in inputs[1:]):
            return _times(inputs[0], ROWS)
        if RANDOM.fullmatch(name) and all(d is not None and d.kind in (Kind.FIXED, Kind.ROWS) for d in inputs):
            return ROWS if self.axes(out) else FIXED  # the numbers, and the generator's next state
        if not BY_ROW.fullmatch(name) or not all(d in (FIXED, ROWS) for d in inputs) or not self.axes(out):
            return None
        ndim, axis = len(self.graph.variables[node.inputs[0]].type.shape), node.op.params.get("axis", -1)
        over_rows = not isinstance(axis, int) or axis % max(1, ndim) in (self.axes(node.inputs[0]) or ())
        return MIXED if "oftmax" in name and over_rows else ROWS

    def _sized(self, node: Apply, name: str, inputs: Sequence[Known], out: int) -> Known:
        """Lengths, and arrays of a length: all entries alike, or (ARange) numbers of rows."""
        if name in ("Shape_i", "Shape"):
            axis, changed = node.op.params.get("i"), self.axes(node.inputs[0])
            return FIXED if changed == () or (isinstance(axis, int) and changed and axis not in changed) else Dependence(Kind.FIXED, 1)
        if name == "MakeVector":
            return max((d for d in inputs if d), key=lambda d: d.power) if all(d and d.kind is Kind.FIXED for d in inputs) else None
        if name == "ARange":
            return None  # each part counts from 0
        value = inputs[0] if name == "Alloc" else FIXED
        return (ROWS if self.axes(out) else FIXED) if value == FIXED else value if value == ROWS else None

    def _selected(self, node: Apply, name: str, inputs: Sequence[Known]) -> Known:
        """Parts of arrays, and arrays side by side: not along the rows, except that a row may select its entry (`p[arange(n), y]`)."""
        if name == "Join":
            axis, ndim = self.old.values.get(node.inputs[0]), len(self.graph.variables[node.outputs[0]].type.shape)
            along = [self.axes(v) for v in node.inputs[1:]]
            return _plain(inputs[1:]) if isinstance(axis, int) and (axis % max(1, ndim),) not in along else None
        first, changed = inputs[0], self.axes(node.inputs[0]) or ()
        if name in ("Subtensor", "IncSubtensor"):
            arrays, numbers = (inputs[:1], inputs[1:]) if name == "Subtensor" else (inputs[:2], inputs[2:])
            entries = node.op.params.get("idx_list")
            whole = isinstance(entries, list) and all(k >= len(entries) or _is_whole(entries[k]) for k in changed)
            if not whole or any(d is None or d.kind is not Kind.FIXED for d in numbers):
                return None
            return first if name == "Subtensor" else _plain(arrays)
        if first == FIXED:
            return _plain(inputs)
        maker = self.graph.maker(node.inputs[1])
        counted = maker is not None and maker.op.name.removeprefix("Gpu") == "ARange"
        return _plain((first, *inputs[2:])) if name == "AdvancedSubtensor" and counted and changed == (0,) else None

    def _reduced(self, node: Apply, name: str, d: Known, out: int) -> Known:
        before = node.op.params.get("pre_scalar_op")
        adds = name in ("Sum", "Mean") or (name != "MaxAndArgmax" and node.op.params.get("scalar_op") == "Add")
        if d is None:
            return None
        if (not adds and d not in (FIXED, ROWS)) or (before not in (None, "None") and d not in (FIXED, ROWS)):
            return MIXED
        if d.kind is not Kind.ROWS or self.axes(out):
            return d
        return Dependence(Kind.SUM, d.power - (name == "Mean")) if adds else MIXED

    def _product(self, node: Apply, name: str, inputs: Sequence[Known], out: int) -> Known:
        factors = (2, 3) if name.lower() in OUTER else op_info(node.op.name).factors or (0, 1)
        summand = 0 if factors == (2, 3) else None
        a, b = (inputs[k] if k < len(inputs) else None for k in factors)
        both = a is not None and b is not None and a.kind is Kind.ROWS and b.kind is Kind.ROWS
        result = _times(a, b)
        if both and result is not None and not self.axes(out):
            result = replace(result, kind=Kind.SUM)  # the rows are summed over
        elif both and name != "BatchedDot":
            return MIXED
        scales = inputs[2:] if name == "Dot22Scalar" else inputs[1:2] if summand is not None else ()
        result = reduce(_times, scales, result)
        if summand is None:
            return result
        kept = inputs[summand] if len(inputs) < 5 else _times(inputs[summand], inputs[4])
        return result if self.old.values.get(node.inputs[-1]) == 0 and len(inputs) == 5 else _plus(kept, result)

    def _inner(self, node: Apply, out: int) -> Known:
        """A Scan along another axis than that of the rows, or an OpFromGraph, whose inner graph computes each row by itself."""
        inner, old, new = node.op.inner, self.old.inner.get(node.id), self.new.inner.get(node.id)
        if inner is None or old is None or new is None:
            return None
        if node.op.name.endswith("Scan"):
            over = [v for n, info in scans(self.graph) if n.id == node.id for v in sequences(n, info)]
            if any(0 in (self.axes(v) or ()) for v in (*over, out)):
                return None
        found = dependences(inner, old, new)
        results = [found[v] for v in inner.outputs]
        if any(d is not None and d.kind in (Kind.SUM, Kind.SHIFTED, Kind.MIXED) for d in results):
            return MIXED
        return (ROWS if self.axes(out) else FIXED) if all(d in (FIXED, ROWS) for d in results) else None


def _number(value: object) -> float | None:
    """A number, also the only entry of an array; None for anything else."""
    while isinstance(value, tuple) and len(value) == 1:
        value = value[0]
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _is_whole(entry: object) -> bool:
    """Whether an entry of an `idx_list` is the slice of everything."""
    bounds = entry.get("slice") if isinstance(entry, dict) else None
    return isinstance(bounds, list) and all(b is None for b in bounds)


def _plain(values: Iterable[Known]) -> Known:
    """What any function of these values, entry by entry, is."""
    values = list(values)
    if None in values:
        return None
    return (ROWS if ROWS in values else FIXED) if all(d in (FIXED, ROWS) for d in values) else MIXED


def _times(a: Known, b: Known) -> Known:
    if a is None or b is None:
        return None
    sums = {a.kind, b.kind} & {Kind.SUM, Kind.SHIFTED}
    if MIXED in (a, b) or (sums and Kind.FIXED not in (a.kind, b.kind)) or (SHIFTED in (a, b) and a.power + b.power):
        return MIXED
    return Dependence(b.kind if a.kind is Kind.FIXED else a.kind, a.power + b.power)


def _over(a: Known, b: Known) -> Known:
    if a is None or b is None:
        return None
    if b.kind is Kind.FIXED:
        return _times(a, replace(b, power=-b.power))
    return _times(a, b) if b == ROWS else MIXED


def _plus(a: Known, b: Known) -> Known:
    if a == b or None in (a, b):
        return a if a == b else None
    both = {a, b}
    known = ((ROWS, {FIXED, ROWS}), (MEAN, {FIXED, MEAN}), (SHIFTED, {FIXED, SUM}), (SHIFTED, {FIXED, SHIFTED}), (SHIFTED, {SUM, SHIFTED}))
    return next((result for result, pair in known if both == pair), MIXED)


def _computed(node: Apply, inputs: Sequence[Known]) -> Known:
    """What the expression of an elementwise Op makes of its inputs."""
    text = str(node.op.params.get("scalar_text", ""))
    if node.op.params.get("scalar_op") != "Composite":
        return _called(str(node.op.params.get("scalar_op") or text), inputs)
    body = re.sub(r"\{\w+\}", "", text.strip().removeprefix("Composite{").removesuffix("}"))
    try:
        return _Expression(inputs).value(ast.parse(body, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _called(name: str, values: Sequence[Known]) -> Known:
    """What a scalar Op of that name makes of its arguments."""
    short = re.sub(r"\W.*|_", "", name.lower())
    if short in ("neg", "cast", "identity"):
        return values[0]
    if short == "second":
        return values[1]
    if short in ("inv", "reciprocal"):
        return _over(FIXED, values[0])
    if short in ("add", "mul"):
        return reduce(_plus if short == "add" else _times, values)
    if short in ("sub", "truediv") and len(values) == 2:
        return _plus(*values) if short == "sub" else _over(*values)
    return _plain(values)


class _Expression:
    """The text of a Composite, `((-i0) / i1)`, as Python reads it."""

    def __init__(self, inputs: Sequence[Known]) -> None:
        self.inputs = inputs

    def value(self, node: ast.expr) -> Known:
        """Returns the value that an expression computes. Raises ValueError for an unknown form."""
        if isinstance(node, ast.Constant):
            return FIXED
        if isinstance(node, ast.Name) and re.fullmatch(r"i\d+", node.id) and int(node.id[1:]) < len(self.inputs):
            return self.inputs[int(node.id[1:])]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            return self.value(node.operand)
        parts = [self.value(n) for n in _operands(node)]
        if isinstance(node, ast.BinOp):
            names = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv"}
            return _called(names.get(type(node.op), ""), parts)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return _called(node.func.id, parts)
        return _plain(parts)


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.Call) and not node.keywords:
        yield from node.args
    elif isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield from node.values
    else:
        raise ValueError(type(node).__name__)
