"""An upper bound of the memory that XLA needs for one call, from the graph and its shapes alone; used if the compiler was not asked.

The graph is first lowered to XLA's instructions. Some of these are computed where their results are read, so that the results
are never written (`fusion`). Each value that is written is live from the node that computes it to the last one that reads it, in whatever
order XLA runs them (`buffers`), in addition to the nodes' workspace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...ir import Apply, Constant, Dim, FunctionGraph, Op, Shape, ShapeTable, Unknown, Variable, numel
from ...ir.scan import ScanInfo, scan_info
from ...ops import op_info
from ...ops.elementwise import HEAVY
from ...ops.randoms import FROM_NORMAL
from ...ops.spec import ScratchQuery
from ..profile import UnknownSize
from ..script import XlaFigures
from ..settings import XlaCard
from . import products
from .buffers import Copy, temporaries
from .fusion import FEW, PRODUCTS, SCATTERS, VIEWS, is_upright, plan_on_cpu, plan_on_gpu
from .sizes import LEAVES, NARROW, GeneratorState, Sizes, address_table, is_generator, used

# A graph as XLA receives it: Ops expanded into several instructions, inner graphs inlined, and common subexpressions merged.
#
# Source: PyTensor 3.3.7, link/jax/dispatch/scalar.py (`Add`, `Mul`, `Softplus`: pairs from the left; where) and elemwise.py;
# jax.nn.softmax; openxla/xla, service/logistic_expander.cc, hlo_cse.cc (equal instructions are computed once) and call_inliner.cc.

PAIRED = ("Add", "Mul", "Maximum", "Minimum", "And", "Or", "Xor")
"""Elemwise Ops with any number of operands, which XLA computes pairwise from the left."""


COUNTED = ("Sum", "Prod")
"""Reductions that first convert their input to the dtype of the result."""


class Lowering:
    """Lowers one graph to XLA's instructions, node by node."""

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
        """Adds the instructions for one node of the graph."""
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
        """Adds a node as a single instruction. An elementwise node is not added if there is an equal one already."""
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
        """Adds an instruction whose results are existing Variables."""
        number = len(self.applies)
        self.applies.append(Apply(number, op, inputs, outputs))
        for v in outputs:
            was = self.variables[v]
            self.variables[v] = Variable(v, was.type, was.name, number, was.site)

    def replace(self, variable: int, by: int) -> None:
        """Makes all readers of a Variable read the value `by` instead. An output of the graph keeps its own Variable."""
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
        """Returns the id of the result of an instruction. The instruction is added unless there is an equal one."""
        key = (text, inputs, shape if name != "Elemwise" else None)
        number = self.known.get(key)
        if number is None:
            number = self.known[key] = len(self.variables)
            self.variables.append(Variable(number, like.type, None, None, like.site))
            self.shapes[number] = shape
            self.add(Op(name, text, params=params), inputs, (number,))
        return number

    def loop(self, text: str, *inputs: int, like: int) -> int:
        """Returns the id of the result of an element-wise instruction with the dtype of `like`."""
        shape = self.broadcast(inputs)
        return self.new("Elemwise", text, self.spread(inputs, shape), self.variables[like], shape)

    def widened(self, variable: int, like: int) -> int:
        """Returns the id of `variable` converted to the dtype of `like`, for example of booleans that are summed."""
        same = self.variables[variable].type.dtype == self.variables[like].type.dtype
        return variable if same else self.new("Elemwise", "Cast", (variable,), self.variables[like], self.shape(variable))

    def spread(self, inputs: tuple[int, ...], shape: Shape | Unknown) -> tuple[int, ...]:
        """Returns the operands of an elementwise instruction. Small arrays are broadcast to `shape` by an instruction of their own;
        constants, and all operands of small results, are unchanged.
        """
        most = numel(shape)
        if isinstance(most, Unknown) or most * 4 <= FEW:
            return inputs
        return tuple(v if self.is_long(v, most) else self.new("Broadcast", "Broadcast", (v,), self.variables[v], shape) for v in inputs)

    def is_long(self, variable: int, most: int) -> bool:
        """Returns whether a value has at least `most` elements or an unknown number of them, or is a constant."""
        count = numel(self.shape(variable))
        return isinstance(count, Unknown) or count >= most or isinstance(self.variables[variable], Constant)

    def broadcast(self, inputs: Sequence[int]) -> Shape | Unknown:
        """Returns the shape of an elementwise result of these operands; Unknown if the shape of an operand is."""
        shapes = [self.shape(v) for v in inputs]
        known = [s for s in shapes if not isinstance(s, Unknown)]
        if len(known) < len(shapes):
            return next(s for s in shapes if isinstance(s, Unknown))
        rank = max(map(len, known), default=0)
        aligned = [(1,) * (rank - len(s)) + tuple(s) for s in known]
        return tuple(_longest(row) for row in zip(*aligned))

    def shape(self, variable: int) -> Shape | Unknown:
        """Returns the shape of a Variable in this call."""
        return self.shapes.get(variable, Unknown("no shape was inferred"))

    def pairs(self, op: Op, inputs: tuple[int, ...], like: int) -> int:
        """Returns the id of the result of combining the operands pairwise from the left, with the dtype of `like`."""
        result = inputs[0]
        for v in inputs[1:]:
            result = self.loop(op.text, result, v, like=like)
        return result

    def inline(self, node: Apply, inputs: tuple[int, ...], inner: FunctionGraph, table: ShapeTable) -> None:
        """Replaces a node with an inner graph by the instructions of that graph."""
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
        """Returns the id of the result of the reduction `name` over `axes`, which keeps these axes with length 1."""
        shape = self.shape(variable)
        kept = shape if isinstance(shape, Unknown) else tuple(1 if k in axes else n for k, n in enumerate(shape))
        return self.new(name, f"{name}{{axes={tuple(axes)}}}", (variable,), self.variables[variable], kept, {"axis": list(axes)})


def _longest(lengths: Sequence[Dim]) -> Dim:
    """The length that an axis has after broadcasting: the first of `lengths` that is not 1."""
    return next((n for n in lengths if n != 1), 1)


def _moved(variable: Variable, number: int) -> Variable:
    """A copy of a Variable with id `number` and without an owner."""
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
    """Lowers the common part of softmax and log-softmax: returns the Variables of (x - max(x), its exponential, the sum of that)."""
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
    """Lowers the logarithm of the gamma function, or its derivative, to the terms of a series and their sum; returns the Variable of the
    sum.
    """
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
    """Lowers a graph and its shapes to the instructions that XLA receives; outputs keep their Variable ids."""
    lowering = Lowering(graph, shapes)
    return lowering.graph, lowering.table


WIDE = ("float64", "complex64", "complex128", "int64")
"""Dtypes with elements of 8 bytes or more."""
LONG_SUM = 20000
"""Length from which a GPU computes matrix-vector products by a fused sum, without storing the products, whatever the layout of the
matrix."""
SMALL_VECTOR = 16 * 1024
"""Maximum size in bytes of a vector whose product with a matrix is a single loop on the CPU (service/cpu/cpu_instruction_fusion.cc)."""
MERGED = 64 << 20
"""Maximum size in bytes of the factors of a product that is merged with others (`xla_gpu_dot_merger_threshold_mb`)."""


def workspace(size: Sizes, node: Apply, card: XlaCard | None) -> int:
    """Returns the bytes of workspace that a node needs while it runs, in addition to its inputs and results."""
    inputs = [size(v) for v in node.inputs]
    outputs = [size(v) if size.graph.clients[v] or v in size.graph.outputs else 0 for v in node.outputs]
    first = size.shapes.shape(node.inputs[0]) if node.inputs else ()
    terms = size.count(node.inputs[0]) // max(size.count(node.outputs[0]), 1) if node.inputs else 0
    nbytes = workspace_by_rule(ScratchQuery(node.op, first, inputs, outputs, terms, card is not None))
    return nbytes if card is None or not _is_product(node) else nbytes + _on_gpu(size, node, card)


def copies(size: Sizes, node: Apply, card: XlaCard | None) -> Iterator[Copy]:
    """Yields the copies of inputs that XLA makes for a node, possibly long before it runs."""
    if card is None and _is_product(node):
        yield Copy(_copy_on_cpu(size, node), node.id, (max(node.inputs[-2:], key=size),))
    if card is not None and _is_product(node):
        yield from (Copy(size(v), node.id, (v,)) for v in _merged(size, node))
    if node.op.name in SCATTERS:
        yield Copy(_broadcast_update(size, node), node.id, node.inputs[1:2])


def beside(size: Sizes, node: Apply, variable: int, card: XlaCard | None) -> int:
    """Returns the bytes that stay allocated together with output `variable` of a node until its last reader has run."""
    if card is not None and _is_product(node):
        a, b = node.inputs[-2:]
        sliced = size(variable) if next(_merged(size, node), None) is not None else 0
        return sliced + products.in_parts(size.shapes.shape(a), size.shapes.shape(b), _itemsize(size, a), card)
    return size(variable) * kept_beside(node.op, len(size.graph.clients[variable]), on_gpu=card is not None)


def _merged(size: Sizes, node: Apply) -> Iterator[int]:
    """Yields the factors that XLA joins to one matrix because they are multiplied with the same other factor, so that one product computes
    all results.

    Source: openxla/xla, service/dot_merger.cc: only products up to `MERGED` bytes. Each result is then sliced from the joined one.
    """
    factors = node.inputs[-2:]
    for side, shared in enumerate(factors):
        others = [size.graph.applies[n] for n, _ in size.graph.clients[shared] if n != node.id]
        if any(_is_product(n) and n.inputs[-2:][side] == shared for n in others) and sum(map(size, factors)) <= MERGED:
            yield factors[1 - side]


def _is_product(node: Apply) -> bool:
    return node.op.name in PRODUCTS and len(node.inputs) >= 2


def _itemsize(size: Sizes, variable: int) -> int:
    return 8 if size.dtype(variable) in WIDE else 4


def _on_gpu(size: Sizes, node: Apply, card: XlaCard) -> int:
    """Workspace of a matrix product on a GPU in bytes."""
    a, b = node.inputs[-2:]
    shapes = size.shapes.shape(a), size.shapes.shape(b)
    alike = _base(size.graph, a) == _base(size.graph, b)
    return products.workspace(*shapes, (size(a), size(b)), _itemsize(size, a), card, fused=_is_one_loop(size, a, b), alike=alike)


def _copy_on_cpu(size: Sizes, node: Apply) -> int:
    """Bytes of the factor that is copied for the CPU's library in a product of matrix and vector; 0 for other products."""
    a, b = node.inputs[-2:]
    of_a_vector = any(numel(s[-1:]) == 1 for s in map(size.shapes.shape, (a, b)) if not isinstance(s, Unknown))
    long = min(size(a), size(b)) >= SMALL_VECTOR and not _of_rows(size.graph, a, b)
    copied = size.in_loop or long or sum(map(size, node.outputs)) <= 8
    return (max(size(a), size(b)) if copied else min(size(a), size(b))) if of_a_vector else 0


def _of_rows(graph: FunctionGraph, a: int, b: int) -> bool:
    """Whether a product with a vector sums up the rows of a matrix, or both factors are arguments."""
    if any(isinstance(graph.variables[v], Constant) for v in (a, b)):
        return False  # XLA may store a constant the other way round
    rows = graph.variables[b].type.shape[-1:] == (1,) or graph.variables[b].type.ndim == 1
    return (rows and is_upright(graph, a)) or all(graph.variables[v].owner is None for v in (a, b))


def _is_one_loop(size: Sizes, a: int, b: int) -> bool:
    """Whether a product with a vector is compiled as one loop on a GPU instead of a call of a library."""
    if _of_rows(size.graph, a, b):
        return True
    shape = size.shapes.shape(a)
    length = shape[-1] if not isinstance(shape, Unknown) and shape else 0
    return isinstance(length, int) and length >= LONG_SUM and any(_is_argument(size.graph, v) for v in (a, b))


def _base(graph: FunctionGraph, variable: int) -> int:
    """The Variable at the start of a chain of views (reshapes and the like) that ends in `variable`."""
    owner = graph.variables[variable].owner
    return variable if owner is None or graph.applies[owner].op.name not in VIEWS else _base(graph, graph.applies[owner].inputs[0])


def _is_argument(graph: FunctionGraph, variable: int) -> bool:
    """Whether a Variable is an argument, or a view of one."""
    base = graph.variables[_base(graph, variable)]
    return base.owner is None and not isinstance(base, Constant)


def _broadcast_update(size: Sizes, node: Apply) -> int:
    """Bytes of the update of an indexed assignment, broadcast to all its positions; 0 if it has that size already."""
    target, update, *places = node.inputs
    shape = size.shapes.shape(target)
    if isinstance(shape, Unknown):
        return 0
    whole = size(target) * max((size.count(v) for v in places), default=0)
    for length in shape[: len(places)]:
        whole //= max(length, 1) if isinstance(length, int) else 1
    return whole if whole > size(update) else 0


ALLOWANCE = 1.1
"""Safety factor on the live peak: XLA leaves gaps between buffers, and on a GPU decides by estimated run times which values it stores."""
OPAQUE = ("LazyIfElse", "OpFromGraph", "Scan")
"""Ops about which nothing is known without their inner graph."""
SMALL = 2048
"""Bytes added for flags, counters and random-generator keys."""


@dataclass(frozen=True)
class XlaBound:
    """An upper bound of the memory of one call, and the Variables of unknown size that the bound does not include."""

    figures: XlaFigures
    """The bound, with backend `bound`."""
    unknown: tuple[UnknownSize, ...] = ()
    """Variables of unknown size; if there are any, the figures are not an upper bound."""


def bound(graph: FunctionGraph, shapes: ShapeTable, float_x: object, card: XlaCard | None = None) -> XlaBound:
    """Returns the upper bound of the memory of one call of `graph` on the GPU `card` (None: the CPU); `float_x` is the flag floatX."""
    narrow = {} if str(float_x) == "float64" else NARROW
    generators = sum(is_generator(graph, v) for v in graph.outputs)
    size = Sizes(graph, shapes, narrow, GeneratorState(8 if not narrow else 4, bool(generators)))
    arguments = tuple((k, size(i.variable)) for k, i in enumerate(graph.inputs) if used(graph, i.variable))
    results = tuple(size(v) for v in graph.outputs)
    pieces = len(results) + (LEAVES - 1) * generators
    most = SMALL + int(_temporaries(size, card) * ALLOWANCE)
    figures = XlaFigures(sum(n for _, n in arguments), sum(results) + address_table(pieces), most, "bound", None, arguments, results)
    return XlaBound(figures, tuple(dict.fromkeys(size.unknown)))


def _temporaries(size: Sizes, card: XlaCard | None) -> int:
    """Bytes of temporaries of one call, without the safety factor `ALLOWANCE`."""
    graph, table = lowered(size.graph, size.shapes)
    size = Sizes(graph, table, size.narrow, size.state, size.unknown, size.in_loop)
    for node in graph.applies:
        if node.op.name in OPAQUE and node.id not in table.inner:
            size.unknown.append(UnknownSize(node.op.text, node.op.text, "its inner graph was not recorded"))
    work = {node.id: workspace(size, node, card) + _inner(size, node, card) for node in graph.applies}
    early = [copy for node in graph.applies for copy in copies(size, node, card)]
    plan = plan_on_gpu(graph, size.count) if card is not None else plan_on_cpu(graph, size.count)
    return temporaries(graph, size, work, early, lambda node, v: beside(size, node, v, card), plan)


def _inner(size: Sizes, node: Apply, card: XlaCard | None) -> int:
    """Bytes of one step of the node's inner graph (temporaries, new states, slices that it reads), and of a Scan's states of all steps."""
    inside = size.inside(node)
    if inside is None:
        return 0
    ins = [i.variable for i in inside.graph.inputs]
    info = scan_info(inside.graph.info)
    if info is None:
        return _temporaries(inside, card) + sum(map(inside, {*ins, *inside.graph.outputs}))
    stepped = {v for v, (_, is_step) in zip(ins, info.inner_inputs(len(node.inputs))) if is_step}
    step = _temporaries(inside, card) + sum(map(inside, {*stepped, *inside.graph.outputs}))
    return step + _traces(size, node, inside, info)


def _traces(size: Sizes, node: Apply, inside: Sizes, info: ScanInfo) -> int:
    """Bytes of the states of all steps of a Scan, however few of them it returns, and of copies of the buffers that it adds to.

    Source: PyTensor 3.3.7, link/jax/dispatch/scan.py: JAX stacks all steps, and the initial state is put before them afterwards.
    """
    steps = size.shapes.values.get(node.inputs[0])
    lengths = [s[0] for s in (size.shapes.shape(node.inputs[p]) for p in info.sequences) if not isinstance(s, Unknown) and s]
    count = steps if isinstance(steps, int) else next((n for n in lengths if isinstance(n, int)), 0)
    first = info.first_nit_sot() - len(info.mit_sot) - len(info.sit_sot)
    states = inside.graph.outputs[first : first + len(info.mit_sot) + len(info.sit_sot) + info.n_nit_sot]
    new = states[: len(states) - info.n_nit_sot]
    shorter = [v for v, result in zip(states[len(new) :], node.outputs[info.n_recurrences :]) if size(result) < count * inside(v)]
    buffers = sum(size(node.inputs[p]) for p in info.recurrences[: info.n_mit_mot])
    return buffers + count * sum(map(inside, (*new, *shorter)))


def workspace_by_rule(query: ScratchQuery) -> int:
    """Returns the bytes of workspace of a node, in addition to its results, by the rule of its Op; 0 if there is no rule."""
    rule = op_info(core(query.op)).xla_scratch
    return 0 if rule is None or not query.inputs else rule(query)


def core(op: Op) -> str:
    """Returns the Op's class name; for a Blockwise, the class name of the Op that it applies to each matrix."""
    inside = op.text[len("Blockwise{") :] if op.name == "Blockwise" and op.text.startswith("Blockwise{") else op.name
    return re.split("[{,]", inside)[0]


def kept_beside(op: Op, readers: int, *, on_gpu: bool) -> int:
    """Returns the number of further buffers, each as large as the result, that stay allocated until the result's last reader has run.

    Source: jax/_src/lax/linalg.py. If a matrix has no decomposition the result is NaN. Whether it is NaN is decided where the result is
    read, from the values that the library returned. Random numbers are computed in the same way from earlier steps.
    """
    if op_info(core(op)).nan_without_result:
        if on_gpu and core(op) == "SolveTriangular":
            return 0
        return 1 if readers < 3 else 2
    if op.name.endswith("RV"):
        return 2 if op.name in FROM_NORMAL and not on_gpu else 0
    return int(op.name == "Elemwise" and any(word in op.text.lower() for word in HEAVY))
