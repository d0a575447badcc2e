"""A graph as XLA receives it: Ops expanded into several instructions, inner graphs inlined, and common subexpressions merged.

Source: PyTensor 3.3.7, link/jax/dispatch/scalar.py (`Add`, `Mul`, `Softplus`: pairs from the left; where) and elemwise.py; jax.nn.softmax;
openxla/xla, service/logistic_expander.cc, hlo_cse.cc (equal instructions are computed once) and call_inliner.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...ir import Apply, Constant, Dim, FunctionGraph, Op, Shape, ShapeTable, Unknown, Variable, numel
from ...ir.scan import scan_info
from .fusion import FEW

PAIRED = ("Add", "Mul", "Maximum", "Minimum", "And", "Or", "Xor")
"""Scalar functions of any number of operands, which are computed pairwise from the left."""


COUNTED = ("Sum", "Prod")
"""Reductions that first convert their input to the dtype of the result."""


class Lowering:
    """The instructions of one graph, under construction."""

    def __init__(self, graph: FunctionGraph, shapes: ShapeTable) -> None:
        self.results = frozenset(graph.outputs)
        self.variables: list[Variable] = list(graph.variables)
        self.shapes: dict[int, Shape | Unknown] = dict(shapes.shapes)
        self.values = shapes.values
        self.inner: dict[int, ShapeTable] = {}
        self.applies: list[Apply] = []
        self.same: dict[int, int] = {}
        """Variable -> the one that is computed instead of it."""
        self.known: dict[tuple[object, ...], int] = {}
        """Instruction and operands -> its result."""
        for node in graph.applies:
            self.node(node, shapes)
        self.graph = FunctionGraph(
            graph.name, graph.inputs, graph.outputs, tuple(self.variables), tuple(self.applies), graph.returned, graph.info
        )
        self.table = ShapeTable(self.shapes, self.values, self.inner, shapes.bounded)

    def node(self, node: Apply, shapes: ShapeTable) -> None:
        """Adds the instructions of one node."""
        inputs = tuple(self.same.get(v, v) for v in node.inputs)
        table = shapes.inner.get(node.id)
        rule = EXPANDED.get(node.op.text) if node.op.name == "Elemwise" else EXPANDED.get(node.op.name)
        if node.op.name == "Elemwise" and node.op.text in PAIRED and len(inputs) > 2:
            self.replace(node.outputs[0], self.pairs(node.op, inputs, node.outputs[0]))
        elif rule is not None:
            self.replace(node.outputs[0], rule(self, node, inputs))
        elif (
            node.op.inner is not None
            and table is not None
            and scan_info(node.op.inner.info) is None
            and not node.op.name.startswith("IfElse")
        ):
            self.inline(node, inputs, node.op.inner, table)
        else:
            self.keep(node, inputs, table)

    def keep(self, node: Apply, inputs: tuple[int, ...], table: ShapeTable | None) -> None:
        """Adds a node unchanged; an equal elementwise node is not added again."""
        (first, *more) = node.outputs
        if node.op.name == "Elemwise":
            inputs = self.spread(inputs, self.shape(first))
        if node.op.name in COUNTED and inputs:
            inputs = (self.widened(inputs[0], first), *inputs[1:])
        key = (node.op.text, inputs, None)
        if node.op.name == "Elemwise" and not more and not self.results & {first} and key in self.known:
            self.same[first] = self.known[key]
            return
        if node.op.name == "Elemwise":
            self.known[key] = first
        self.add(node.op, inputs, node.outputs)
        if table is not None:
            self.inner[len(self.applies) - 1] = table

    def add(self, op: Op, inputs: tuple[int, ...], outputs: tuple[int, ...]) -> None:
        """Adds an instruction whose results already exist as Variables."""
        number = len(self.applies)
        self.applies.append(Apply(number, op, inputs, outputs))
        for v in outputs:
            was = self.variables[v]
            self.variables[v] = Variable(v, was.type, was.name, number, was.site)

    def replace(self, variable: int, by: int) -> None:
        """Replaces a Variable by a new value; an output of the graph keeps its own Variable."""
        if variable in self.results:
            number = self.variables[by].owner
            maker = None if number is None else self.applies[number]
            if maker is not None and by >= 0 and maker.outputs == (by,) and not any(by in n.inputs for n in self.applies):
                self.add(maker.op, maker.inputs, (variable,))
                self.same[variable] = variable
                return
            self.add(Op("Elemwise", "Copy"), (by,), (variable,))
            return
        self.same[variable] = by

    def new(
        self, name: str, text: str, inputs: tuple[int, ...], like: Variable, shape: Shape | Unknown, params: Mapping[str, object] = {}
    ) -> int:
        """The result of an instruction, which is added if no equal one exists."""
        key = (text, inputs, shape if name != "Elemwise" else None)
        number = self.known.get(key)
        if number is None:
            number = self.known[key] = len(self.variables)
            self.variables.append(Variable(number, like.type, None, None, like.site))
            self.shapes[number] = shape
            self.add(Op(name, text, params=params), inputs, (number,))
        return number

    def loop(self, text: str, *inputs: int, like: int) -> int:
        """The result of an element-wise instruction with the dtype of `like`."""
        shape = self.broadcast(inputs)
        return self.new("Elemwise", text, self.spread(inputs, shape), self.variables[like], shape)

    def widened(self, variable: int, like: int) -> int:
        """A value converted to the dtype of its sum, such as booleans that are counted."""
        same = self.variables[variable].type.dtype == self.variables[like].type.dtype
        return variable if same else self.new("Elemwise", "Cast", (variable,), self.variables[like], self.shape(variable))

    def spread(self, inputs: tuple[int, ...], shape: Shape | Unknown) -> tuple[int, ...]:
        """The operands of an elementwise instruction: smaller arrays are broadcast to `shape`, constants and small results are not."""
        most = numel(shape)
        if isinstance(most, Unknown) or most * 4 <= FEW:
            return inputs
        return tuple(v if self.is_long(v, most) else self.new("Broadcast", "Broadcast", (v,), self.variables[v], shape) for v in inputs)

    def is_long(self, variable: int, most: int) -> bool:
        """Whether a value has at least `most` elements, an unknown number of them, or is a constant."""
        count = numel(self.shape(variable))
        return isinstance(count, Unknown) or count >= most or isinstance(self.variables[variable], Constant)

    def broadcast(self, inputs: Sequence[int]) -> Shape | Unknown:
        """The shape of an elementwise result of these operands; Unknown if the shape of an operand is."""
        shapes = [self.shape(v) for v in inputs]
        known = [s for s in shapes if not isinstance(s, Unknown)]
        if len(known) < len(shapes):
            return next(s for s in shapes if isinstance(s, Unknown))
        rank = max(map(len, known), default=0)
        aligned = [(1,) * (rank - len(s)) + tuple(s) for s in known]
        return tuple(_longest(row) for row in zip(*aligned))

    def shape(self, variable: int) -> Shape | Unknown:
        """The shape of a Variable."""
        return self.shapes.get(variable, Unknown("no shape was inferred"))

    def pairs(self, op: Op, inputs: tuple[int, ...], like: int) -> int:
        """The result of combining the operands pairwise from the left, with the dtype of `like`."""
        result = inputs[0]
        for v in inputs[1:]:
            result = self.loop(op.text, result, v, like=like)
        return result

    def inline(self, node: Apply, inputs: tuple[int, ...], inner: FunctionGraph, table: ShapeTable) -> None:
        """Adds the instructions of an inner graph in the place of its node."""
        place = {i.variable: v for i, v in zip(inner.inputs, inputs)}
        for v in inner.variables:
            if v.id not in place:
                place[v.id] = len(self.variables)
                self.variables.append(_moved(v, place[v.id]))
                self.shapes[place[v.id]] = table.shape(v.id)
        moved = ShapeTable({}, {}, {}, frozenset())
        for part in inner.applies:
            here = Apply(part.id, part.op, tuple(place[v] for v in part.inputs), tuple(place[v] for v in part.outputs))
            self.node(here, ShapeTable(moved.shapes, moved.values, table.inner))
        for output, result in zip(node.outputs, inner.outputs):
            self.replace(output, self.same.get(place[result], place[result]))

    def reduced(self, name: str, variable: int, axes: Sequence[int]) -> int:
        """A reduction that keeps the reduced axes with length 1."""
        shape = self.shape(variable)
        kept = shape if isinstance(shape, Unknown) else tuple(1 if k in axes else n for k, n in enumerate(shape))
        return self.new(name, f"{name}{{axes={tuple(axes)}}}", (variable,), self.variables[variable], kept, {"axis": list(axes)})


def _longest(lengths: Sequence[Dim]) -> Dim:
    """The length of an axis of operands that are broadcast against each other."""
    return next((n for n in lengths if n != 1), 1)


def _moved(variable: Variable, number: int) -> Variable:
    """A Variable with another id."""
    copy = object.__new__(type(variable))
    copy.__dict__.update(variable.__dict__, id=number, owner=None)
    return copy


def _axes(node: Apply, rank: int) -> Sequence[int]:
    """The axes along which a softmax normalises."""
    given = node.op.params.get("axis")
    rows = given if isinstance(given, (list, tuple)) else range(rank) if given is None else [given]
    return [a % rank for a in rows if isinstance(a, int)] if rank else []


def _sigmoid(to: Lowering, node: Apply, inputs: tuple[int, ...]) -> int:
    (x,), like = inputs, node.outputs[0]
    return to.loop("True_div", to.loop("Add", to.loop("Exp", to.loop("Neg", x, like=like), like=like), like=like), like=like)


def _softplus(to: Lowering, node: Apply, inputs: tuple[int, ...]) -> int:
    (x,), like = inputs, node.outputs[0]
    grown = to.loop("Exp", x, like=like)
    small = to.loop("Add", x, to.loop("Exp", to.loop("Neg", x, like=like), like=like), like=like)
    return to.loop("Switch", grown, to.loop("Log1p", grown, like=like), small, x, like=like)


def _powers(to: Lowering, node: Apply, inputs: tuple[int, ...]) -> tuple[int, int, int]:
    """The common part of softmax and log-softmax: (x - max(x), its exponential, the sum of that)."""
    x = inputs[0]
    axes = _axes(node, to.variables[x].type.ndim or 0)
    apart = to.loop("Sub", x, to.reduced("Max", x, axes), like=x)
    powers = to.loop("Exp", apart, like=x)
    return apart, powers, to.reduced("Sum", powers, axes)


def _softmax(to: Lowering, node: Apply, inputs: tuple[int, ...]) -> int:
    _, powers, total = _powers(to, node, inputs)
    return to.loop("True_div", powers, total, like=inputs[0])


def _log_softmax(to: Lowering, node: Apply, inputs: tuple[int, ...]) -> int:
    apart, _, total = _powers(to, node, inputs)
    return to.loop("Sub", apart, to.loop("Log", total, like=inputs[0]), like=inputs[0])


def _series(to: Lowering, node: Apply, inputs: tuple[int, ...]) -> int:
    """The logarithm of the gamma function, or its derivative: terms of a series that both of them read."""
    (x,), like = inputs, node.outputs[0]
    terms = tuple(to.loop(f"Term{n}", x, like=like) for n in range(TERMS))
    return to.new("Elemwise", node.op.text, (x, *terms), to.variables[like], to.shape(x))


TERMS = 9
"""Number of terms in the series for the gamma function (Lanczos approximation in jax.lax, `lgamma` and `digamma`)."""
EXPANDED: Mapping[str, Callable[[Lowering, Apply, tuple[int, ...]], int]] = {
    "Sigmoid": _sigmoid, "Softplus": _softplus, "Softmax": _softmax, "LogSoftmax": _log_softmax,
    "Gammaln": _series, "Psi": _series,
}  # fmt: skip
"""Op -> function that adds the instructions into which it expands."""


def lowered(graph: FunctionGraph, shapes: ShapeTable) -> tuple[FunctionGraph, ShapeTable]:
    """The graph and its shapes as XLA receives them; outputs keep their Variable ids."""
    lowering = Lowering(graph, shapes)
    return lowering.graph, lowering.table
