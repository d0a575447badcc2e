"""Assumes types for a text that prints none: dtypes by dtype rules, host or device by the names of Ops, static shapes by inferred shapes.

A type is assumed where the number of dimensions is known. What is not certain is assumed large: int64 for integers.

Source of the dtypes: `make_node` of the Ops in Theano 1.0.5, Aesara 2.9.4, PyTensor 3.0.7 and 3.3.7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Optional

from ..ir import Apply, Constant, FunctionGraph, Shape, ShapeTable, Type, TypeKind, Unknown, Variable
from ..ir.graph import NUMBER
from ..ir.scan import has_scan_layout
from ..ir.shape import Value, is_dtype, static_text
from ..ops import op_info
from ..ops.control import numbered, roles_of
from ..ops.dtypes import INDEX, Dtypes, TypeQuery, widest
from ..ops.elementwise import elemwise_dtype
from ..ops.node import Like, Node, State
from .infer import infer
from .untyped import Known, Stepped, device_of, generators, inputs_on_device, place_of, stepped, whole_numbers


def dtypes_of(query: TypeQuery) -> list[str | None]:
    """Returns the dtype of each output of an Op. If the Op has no dtype rule, it is the dtype printed among its parameters, or else the
    widest float of its inputs.
    """
    rule = elemwise_dtype if query.scalar else op_info(query.name).dtype
    dtypes = [*(rule or _other)(query)] or [None]
    return (dtypes + dtypes[-1:] * query.n_outputs)[: query.n_outputs]


def of_whole(dtype: str | None) -> str | None:
    """Returns the dtype for an index or length: int64 in place of int8 and int16, which only literals have; any other dtype unchanged."""
    return INDEX if dtype in ("int8", "int16") else dtype


def _other(query: TypeQuery) -> Dtypes:
    printed = query.param()
    if printed is not None:
        return [printed]
    if query.params.get("scalar_op") or not any(query.inputs):
        return elemwise_dtype(query)
    floats = [d for d in query.inputs if d and ("float" in d or "complex" in d)]
    return [widest(floats or query.inputs)]


PASSES = 8
"""Largest number of passes over the graph, each forward and backward."""


def ranks_of_inputs(graph: FunctionGraph, known: dict[int, int]) -> dict[int, int]:
    """Returns the numbers of dimensions of inputs that can be inferred, by Variable id; `known` has the numbers of dimensions of other
    Variables.
    """
    ranks = dict(known)
    for v in graph.variables:
        if isinstance(v, Constant):
            ranks.setdefault(v.id, len(v.shape))
    for _ in range(PASSES):
        before = len(ranks)
        for node in graph.applies:
            _read(node, ranks)
        for node in reversed(graph.applies):
            _read(node, ranks)
        if len(ranks) == before:
            break
    return {v.id: ranks[v.id] for v in graph.variables if v.owner is None and v.id in ranks and v.id not in known}


def _read(node: Apply, ranks: dict[int, int]) -> None:
    """Records the ranks of inputs that one node implies."""
    name, ins, outs, op = node.op.name.removeprefix("Gpu"), node.inputs, node.outputs, op_info(node.op.name)
    for v, rank in (*zip(ins, op.input_ranks), *zip(outs, op.output_ranks)):
        if rank is not None:
            ranks.setdefault(v, rank)
    if op.scalars_from is not None:
        ranks.update({v: 0 for v in ins[op.scalars_from :] if v not in ranks})
        if name in ("Alloc", "AllocEmpty"):
            ranks.setdefault(outs[0], len(ins) - op.scalars_from)
    if name == "Elemwise":
        _alike((*ins, *outs), ranks)
    elif name == "DimShuffle":
        _moved(node, ranks)
    elif name in ("Sum", "Prod", "Max", "Min", "CAReduce", "CAReduceCuda", "Argmax", "All", "Any"):
        axes = node.op.params.get("axis")
        _apart(ins[:1], outs, len(axes) if isinstance(axes, list) else None, ranks)
    elif name == "Subtensor":
        index = node.op.params.get("idx_list")
        _apart(ins[:1], outs, sum(not isinstance(e, dict) for e in index) if isinstance(index, list) else None, ranks)
    elif name in ("IncSubtensor", "AdvancedSubtensor1", "AdvancedIncSubtensor1") or isinstance(op_info(node.op.name).shape, Like):
        rule = op_info(node.op.name).shape
        at = rule.position if isinstance(rule, Like) else 0
        _alike((*ins[at : at + 1], *outs), ranks)
    elif name == "Join":
        _alike((*ins[0 if "axis" in node.op.params else 1 :], *outs), ranks)


def _alike(variables: Sequence[int], ranks: dict[int, int]) -> None:
    """Records that all `variables` have the same number of dimensions, if the number of one of them is known."""
    known = [ranks[v] for v in variables if v in ranks]
    for v in variables if known else ():
        ranks.setdefault(v, known[0])


def _apart(ins: Sequence[int], outs: Sequence[int], less: int | None, ranks: dict[int, int]) -> None:
    """Records that the outputs have `less` dimensions fewer than the inputs; with `less=None` they have none."""
    for i in ins:
        for o in outs:
            if less is None:
                ranks.setdefault(o, 0)
            elif i in ranks and ranks[i] >= less:
                ranks.setdefault(o, ranks[i] - less)
            elif o in ranks:
                ranks.setdefault(i, ranks[o] + less)


def _moved(node: Apply, ranks: dict[int, int]) -> None:
    """Records the ranks that a DimShuffle implies: its order gives the output's, and the input's too if it drops no dimension."""
    order = node.op.params.get("new_order")
    if isinstance(order, list) and node.inputs:
        places = sorted(d for d in order if isinstance(d, int))
        ranks.setdefault(node.outputs[0], len(order))
        if places == list(range(len(places))) and (len(places) < len(order) or len(places) > 1):
            ranks.setdefault(node.inputs[0], len(places))


What = tuple[Optional[str], Optional[TypeKind]]
"""Dtype and kind of a value; None for what is unknown."""
_WORDS = {TypeKind.GPUARRAY: "GpuArrayType<None>", TypeKind.CUDANDARRAY: "CudaNdarrayType", TypeKind.SPARSE: "SparseTensorType"}
_BARE = {TypeKind.RANDOM: "RandomType", TypeKind.OTHER: "NoneTypeT"}
_ANY = Unknown("any length will do")
_NOTHING = ShapeTable({})


class AssumedShapes(NamedTuple):
    """The shapes of one graph, in two forms: for the given inputs, and as far as they hold for all inputs."""

    real: ShapeTable
    """Shapes for the inputs given by the user."""
    fixed: ShapeTable
    """The parts of these shapes that hold for all inputs with the same numbers of dimensions."""

    def inside(self, node: Apply) -> AssumedShapes:
        """Returns the shapes of the inner graph of `node`."""
        return AssumedShapes(self.real.inner.get(node.id) or _NOTHING, self.fixed.inner.get(node.id) or _NOTHING)

    def of_step(self, node: Apply, inner: FunctionGraph, reading: Stepped) -> AssumedShapes:
        """Returns the shapes of one step of the Scan `node`; `reading` says which outer input feeds which inner input."""
        rows = ((v, p, self.fixed.shape(node.inputs[p])) for v, p in reading.fed_by.items())
        steps = {v: shape[1:] if p <= reading.last else shape for v, p, shape in rows if not isinstance(shape, Unknown)}
        return AssumedShapes(reading.table, infer(inner, steps))

    def lengths(self, graph: FunctionGraph, v: Variable) -> tuple[int | None, ...] | None:
        """Returns the static shape for the type of a Variable; None if its number of dimensions is unknown."""
        real = v.shape if isinstance(v, Constant) else self.real.shape(v.id)
        if isinstance(real, Unknown):
            return None
        fixed = v.shape if isinstance(v, Constant) else self.fixed.shape(v.id)
        if isinstance(fixed, Unknown) or len(fixed) != len(real) or v.id in self.fixed.bounded:
            fixed = (_ANY,) * len(real)
        rows = [1 if k in _always_one(graph, v) else d for k, d in enumerate(fixed)]
        return tuple(d if isinstance(d, int) and d == n else None for d, n in zip(rows, real))

    def ranks(self, graph: FunctionGraph) -> dict[int, int]:
        """Returns the numbers of dimensions of inputs of unknown shape, by Variable id, as far as they can be inferred from the Ops."""
        shapes = {v.id: self.real.shape(v.id) for v in graph.variables}
        if not any(v.owner is None and isinstance(shapes[v.id], Unknown) for v in graph.variables):
            return {}
        return ranks_of_inputs(graph, {v: len(s) for v, s in shapes.items() if not isinstance(s, Unknown)})


def shapes_of(graph: FunctionGraph, table: ShapeTable) -> AssumedShapes:
    """Returns the shapes of the outer graph. A given length of 1 is assumed to be part of the type."""
    inputs = [(v.id, table.shape(v.id)) for v in graph.variables if v.owner is None and not isinstance(v, Constant)]
    first: dict[int, Shape] = {v: tuple(d if d == 1 else _ANY for d in s) for v, s in inputs if not isinstance(s, Unknown)}
    return AssumedShapes(table, infer(graph, first))


def _always_one(graph: FunctionGraph, v: Variable) -> set[int]:
    """Dimensions that the node which makes `v` declares to have length 1: Rebroadcast{?,1}."""
    axis = None if v.owner is None else graph.applies[v.owner].op.params.get("axis")
    return {int(k) for k, one in axis.items() if one and k.isdecimal()} if isinstance(axis, dict) else set()


def bare_type(what: What) -> Type | None:
    """Returns the type of a value without dimensions (scalar, generator, None); None for arrays and unknown values."""
    dtype, kind = what
    if kind in _BARE:
        return Type(kind, None, (), _BARE[kind])
    return Type(kind, dtype, (), dtype) if kind is TypeKind.SCALAR and dtype is not None else None


def array_type(what: What, lengths: Sequence[int | None], only_ones: bool) -> Type | None:
    """Returns the type of an array with these dtype, kind and lengths; None if dtype or kind is unknown. With `only_ones` its static shape
    has no length except 1.
    """
    dtype, kind = what
    if dtype is None or kind is None or kind in _BARE:
        return None
    shape = tuple(None if only_ones and d != 1 else d for d in lengths)
    return Type(kind, dtype, shape, f"{_WORDS.get(kind, 'TensorType')}({dtype}, {static_text(shape)})")


class Premises(NamedTuple):
    """What all assumptions are based on: the user's dtypes, and the kind of device."""

    floatX: str
    """The assumed value of the flag floatX."""
    named: Mapping[str, str]
    """Name of an input -> its given dtype."""
    device: TypeKind
    """Kind of the arrays on the device."""
    whole: Known
    """Variables known to be integers, for each graph."""


def is_missing(variable: Variable) -> bool:
    """Returns whether the text prints no type for a Variable; also if it prints the type of a constant without the dtype."""
    kind = variable.type
    return not kind.text and (kind.dtype is None or kind.kind is TypeKind.OTHER)


class Inputs:
    """Assumes dtype and kind of the inputs and constants of one graph, from how they are used."""

    def __init__(self, premises: Premises, graph: FunctionGraph, table: ShapeTable, first: Mapping[int, What], scalars: bool) -> None:
        self._premises, self._graph, self._table, self._first = premises, graph, table, first
        self._array = TypeKind.SCALAR if scalars else TypeKind.TENSOR
        self.whole = whole_numbers(graph, premises.whole)
        """Ids of the Variables that are integers."""
        self.states = generators(graph)
        """Ids of the Variables that are states of random generators."""
        self._on_device, self._written = inputs_on_device(graph, self.whole), _written_into(graph)

    def of(self, v: Variable) -> What:
        """Returns the assumed dtype and kind of the input or constant `v`."""
        if v.id in self._first:
            return self._first[v.id]
        if v.id in self.states:
            return None, TypeKind.RANDOM
        whole = v.id in self.whole
        if isinstance(v, Constant):
            return dtype_of_constant(v, whole, self._premises.floatX), self._place_of_constant(v)
        dtype = self._premises.named.get(v.name or f"input{v.id}") or self._written.get(v.id)
        dtype = dtype or dtype_of_input(self._graph, v.id, whole or v.id in self._table.values, self._premises.floatX)
        return dtype, self._premises.device if v.id in self._on_device and self._array is TypeKind.TENSOR else self._array

    def _place_of_constant(self, v: Constant) -> TypeKind:
        """The kind of a constant; OTHER (None or a slice) for a constant without a value that no arithmetic uses."""
        kind = v.type.kind
        if self._array is TypeKind.SCALAR:
            return self._array
        nothing = v.value is None and v.shape == () and kind in (TypeKind.OTHER, TypeKind.SCALAR)
        if nothing and not any(self._graph.applies[n].op.name in ("Elemwise", "Alloc") for n, _ in self._graph.clients[v.id]):
            return TypeKind.OTHER
        return self._array if kind is TypeKind.OTHER else kind


def dtype_of_constant(constant: Constant, whole: bool, floatX: str) -> str | None:
    """Returns the dtype of a constant, from its value: floatX if it has floats; for a single integer the smallest dtype that holds it; else
    int64.

    Source: Theano 1.0.5 tensor/basic.py `constant`, scalar/basic.py `NumericAutoCaster`; Aesara and PyTensor the same.
    """
    value = constant.value
    if value is None:
        return INDEX if whole else floatX
    numbers = list(_numbers(value))
    if any(isinstance(n, float) for n in numbers):
        return floatX
    if numbers and all(isinstance(n, bool) for n in numbers):
        return "bool"
    if len(set(numbers)) > 1:
        return INDEX
    most = max((abs(n) for n in numbers), default=0)
    return next((dtype for bits, dtype in ((7, "int8"), (15, "int16"), (31, "int32")) if most < 1 << bits), INDEX)


def _numbers(value: Value) -> list[int | float | bool]:
    if not isinstance(value, tuple):
        return [value]
    return [n for part in value for n in _numbers(part)]


def _written_into(graph: FunctionGraph) -> dict[int, str]:
    """Input -> dtype, for inputs that are initial values of recurrences: the printed dtype of the buffer into which each is written."""
    dtypes = {}
    for node in graph.applies:
        if node.op.name == "IncSubtensor" and len(node.inputs) > 1:
            buffer = graph.maker(node.inputs[0])
            dtype = buffer.op.params.get("dtype") if buffer is not None and buffer.op.name == "AllocEmpty" else None
            v, maker = node.inputs[1], graph.maker(node.inputs[1])
            while maker is not None and maker.inputs and _keeps_entries(maker):
                v, maker = maker.inputs[0], graph.maker(maker.inputs[0])
            if maker is None and isinstance(dtype, str) and is_dtype(dtype):
                dtypes[v] = dtype
    return dtypes


def _keeps_entries(node: Apply) -> bool:
    op = op_info(node.op.name)
    return op.rearranges or op.hands_on


def dtype_of_input(graph: FunctionGraph, variable: int, whole: bool, floatX: str) -> str:
    """Returns the dtype of an input: int64 if it is used as an integer (`whole`, a position or length, cast to floatX, compared with
    positions), else floatX.
    """
    return INDEX if whole or any(_asks_whole(graph, n, floatX) for n, _ in graph.clients[variable]) else floatX


def _asks_whole(graph: FunctionGraph, client: int, floatX: str) -> bool:
    node = graph.applies[client]
    text = str(node.op.params.get("scalar_text", ""))
    if text.startswith("Cast{") and text[5:].rstrip("}") == floatX:
        return True
    return str(node.op.params.get("scalar_op")) in ("EQ", "NEQ") and any(_is_position(graph, v) for v in node.inputs)


def _is_position(graph: FunctionGraph, variable: int) -> bool:
    maker = graph.maker(variable)
    return maker is not None and maker.op.name in ("Argmax", "MaxAndArgmax", "GpuMaxAndArgmax")


Types = dict[int, dict[int, Type]]
"""Assumed types by number of the graph in the text (0: the outer one), then by Variable id."""


@dataclass
class _Assuming:
    """State of the assumptions: the premises, and the types assumed so far."""

    premises: Premises
    lengths: bool
    types: Types = field(default_factory=dict)
    inside: dict[object, tuple[AssumedShapes, list[What]]] = field(default_factory=dict)
    """Types of the outputs of inner graphs, since many nodes may share one; stored with the shapes, whose identity is part of the key."""


def assumed(graph: FunctionGraph, table: ShapeTable, floatX: str, named: Mapping[str, str], lengths: bool = False) -> Types:
    """Assumes a type for each untyped Variable of `graph` and of its inner graphs whose number of dimensions is in `table`; by graph and
    Variable id.

    `named` are dtypes of inputs by name. `lengths`: whether the framework's types state every fixed length, and not only 1.
    """
    work = _Assuming(Premises(floatX, named, device_of(graph), {}), lengths)
    _GraphWalk(work, graph, shapes_of(graph, table), {}).run()
    return work.types


class _GraphWalk:
    """Assumes the types of one graph, from its inputs to its outputs."""

    def __init__(
        self, work: _Assuming, graph: FunctionGraph, shapes: AssumedShapes, first: Mapping[int, What], scalars: bool = False
    ) -> None:
        self._work, self._graph, self._shapes, self._scalars = work, graph, shapes, scalars
        self._inputs = Inputs(work.premises, graph, shapes.real, first, scalars)
        self.types: list[What] = [(v.type.dtype, None if is_missing(v) else v.type.kind) for v in graph.variables]

    def run(self) -> None:
        """Assumes types for the inputs, then for the outputs of nodes in order, and records them."""
        graph = self._graph
        for v in graph.variables:
            if v.owner is None and is_missing(v):
                self.types[v.id] = self._inputs.of(v)
        for node in graph.applies:
            self._node(node)
        ranks = {} if self._scalars else self._shapes.ranks(graph)
        number = graph.info.get(NUMBER, 0)
        rows = self._work.types.setdefault(number, {}) if isinstance(number, int) else {}
        for v in graph.variables:
            if is_missing(v) and (kind := self._type_of(v, ranks)) is not None:
                rows.setdefault(v.id, kind)

    def _type_of(self, v: Variable, ranks: Mapping[int, int]) -> Type | None:
        """The assumed type of `v`; None if neither its shape nor its number of dimensions (`ranks`) is known."""
        bare = bare_type(self.types[v.id])
        if bare is not None or self.types[v.id][1] is TypeKind.SCALAR:
            return bare
        lengths = self._shapes.lengths(self._graph, v)
        if lengths is None:
            lengths = (None,) * ranks[v.id] if v.id in ranks else None
        return None if lengths is None else array_type(self.types[v.id], lengths, only_ones=not self._work.lengths)

    def _node(self, node: Apply) -> None:
        """Types the outputs of a node: by its inner graph, else by the dtype rules."""
        premises, ins = self._work.premises, [self.types[v] for v in node.inputs]
        kinds = [kind for _, kind in ins]
        types = self._inside(node, ins) if node.op.inner is not None else None
        if types is None:
            scalar = self._scalars or (set(kinds) == {TypeKind.SCALAR} and op_info(node.op.name).shape is None)
            dtypes = dtypes_of(TypeQuery(node.op.name, node.op.params, [d for d, _ in ins], len(node.outputs), premises.floatX, scalar))
            types = [(d, place_of(node.op, kinds, premises.device, k)) for k, d in enumerate(dtypes)]
        for v, (dtype, kind) in zip(node.outputs, types):
            if not is_missing(self._graph.variables[v]):
                continue
            kind = TypeKind.RANDOM if v in self._inputs.states else TypeKind.SCALAR if self._scalars else kind
            self.types[v] = of_whole(dtype) if v in self._inputs.whole else dtype, kind

    def _inside(self, node: Apply, ins: Sequence[What]) -> list[What] | None:
        """Dtypes and kinds of the outputs, from the inner graph; None if it does not determine them."""
        inner = node.op.inner
        if inner is None or node.op.name.startswith("Blockwise"):
            return None
        if node.op.name.endswith("Scan"):
            return self._of_scan(node, inner)
        scalars = self._scalars or node.op.name in ("Elemwise", "GpuElemwise", "Composite")
        places = {i.variable: numbered(inner, k) for k, i in enumerate(inner.inputs)}
        first = {v: (ins[p][0], TypeKind.SCALAR) if scalars else ins[p] for v, p in places.items() if p < len(ins)}
        types = self._made_inside(inner, self._shapes.inside(node), first, scalars)
        if not scalars or all(kind is TypeKind.SCALAR for _, kind in ins):
            return types
        place = self._work.premises.device if node.op.name.startswith("Gpu") else TypeKind.TENSOR
        return [(dtype, place) for dtype, _ in types]

    def _made_inside(self, inner: FunctionGraph, shapes: AssumedShapes, first: Mapping[int, What], scalars: bool) -> list[What]:
        """Dtypes and kinds of an inner graph's outputs; computed once for equal inputs."""
        key = id(inner), tuple(first.items()), scalars or (id(shapes.real), id(shapes.fixed))
        if key not in self._work.inside:
            walk = _GraphWalk(self._work, inner, shapes, first, scalars)
            walk.run()
            self._work.inside[key] = shapes, [walk.types[v] for v in inner.outputs]
        return self._work.inside[key][1]

    def _of_scan(self, node: Apply, inner: FunctionGraph) -> list[What]:
        """Types of a Scan's outputs: recurrences have the types of their buffers; other outputs stack what a step makes."""
        reading = stepped(self._graph, node, self._shapes.real)
        first = {} if reading is None else {v: self.types[node.inputs[p]] for v, p in reading.fed_by.items()}
        shapes = self._shapes.inside(node) if reading is None else self._shapes.of_step(node, inner, reading)
        walk = _GraphWalk(self._work, inner, shapes, first)
        walk.run()
        roles = roles_of(Node(node, State(self._graph, []))) if has_scan_layout(inner.info) else None
        if roles is None:
            return [(None, None)] * len(node.outputs)
        types = [self.types[node.inputs[p]] for p in roles.buffers]
        types += [walk.types[inner.outputs[k]] for _, k in roles.stacked]
        types += [self.types[node.inputs[p]] for p in roles.shared]
        return types + [(None, None)] * (len(node.outputs) - len(types))
