"""A script whose graphs are for the host, as it would be on a device: tensors placed as Theano's GPU optimiser places them.

What moves: every node that makes a tensor of a dtype the device has, unless it is arithmetic on shapes or on single integers, an op
that the back-end does not have, or nothing but integers. Shared variables with a dtype the device has live there. An argument gets a
copy on the device (GpuFromHost) where a node on the device uses it, and an output comes back (HostFromGpu).
The placement is a table, not the optimiser itself: figures are not exact. Beside Theano's own placement the live peak of eight training
functions (perceptron, convolutions, batch normalisation, LSTM, GRU, embeddings, autoencoder) was 0 to 3.4 % lower.
Source: Theano 1.0.5, gpuarray/opt.py (`register_opt` and the
lifters below it), gpuarray/type.py (`gpuarray_shared_constructor`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..ir import Apply, Constant, FunctionGraph, GraphInput, Op, ShapeTable, Type, TypeKind, Variable
from .script import Call, Event, Script

FLOATS = frozenset({"float16", "float32", "float64"})
INTEGERS = frozenset({"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"})

STAYS = frozenset({
    "Shape", "Shape_i", "MakeVector", "ScalarFromTensor", "TensorFromScalar", "Assert", "CheckAndRaise", "ARange", "Nonzero", "Unique",
    "SortOp", "ArgSortOp", "RandomFunction", "RandomVariable", "UniformRV", "NormalRV", "BinomialRV", "BernoulliRV", "SearchsortedOp",
    "Bartlett", "FillDiagonal", "FillDiagonalOffset", "Eig", "Eigh", "Solve", "SolveTriangular", "Det", "Print",
})  # fmt: skip
"""Ops for which the back-end has no counterpart, or whose result is needed on the host."""

BLAS_WITH_SCALARS = frozenset({"Gemm", "Dot22Scalar", "BatchedGemm", "Gemv", "CGemv", "Ger", "CGer", "ScipyGer"})
"""Ops whose scale factors (inputs without a dimension) the back-end takes from the host. Source: gpuarray/blas.py, GpuGemm.make_node."""

TO_DEVICE = Op("GpuFromHost", "GpuFromHost<None>", "theano.gpuarray.basic_ops")
TO_HOST = Op("HostFromGpu", "HostFromGpu(gpuarray)", "theano.gpuarray.basic_ops")


def lift(script: Script) -> Script:
    """`script` on a device."""
    if any(v.type.kind.on_device for v in script.shared.values()):
        return script
    shared = {i: replace(s, type=on_device(s.type)) if lives_there(s.type) else s for i, s in script.shared.items()}
    lifted = [Lifting(f.graph).run() for f in script.functions]
    functions = tuple(replace(f, graph=done.graph) for f, done in zip(script.functions, lifted))
    events = tuple(_event(e, lifted) for e in script.events)
    return replace(script, shared=shared, functions=functions, events=events)


def _event(event: Event, lifted: list[Lifted]) -> Event:
    return replace(event, shapes=lifted[event.function].table(event.shapes)) if isinstance(event, Call) else event


def on_device(kind: Type) -> Type:
    """The same type on a device."""
    return replace(kind, kind=TypeKind.GPUARRAY, text=f"GpuArrayType<None>({kind.dtype}, {kind.ndim}d)")


def lives_there(kind: Type) -> bool:
    """Whether a shared variable of this type lives on the device."""
    return kind.kind is TypeKind.TENSOR and kind.dtype in FLOATS | INTEGERS


def inner_on_device(graph: FunctionGraph) -> FunctionGraph:
    """An inner graph whose floats are all on the device."""
    kinds = [on_device(v.type) if lives_there(v.type) and v.type.dtype in FLOATS else v.type for v in graph.variables]
    return replace(graph, variables=tuple(replace(v, type=kind) for v, kind in zip(graph.variables, kinds)))


@dataclass(frozen=True)
class Lifted:
    """A lifted graph, and where its new Variables get their shapes from."""

    graph: FunctionGraph
    copies: Mapping[int, int]
    """New Variable -> the one it is a copy of."""
    nodes: Mapping[int, int]
    """Old Apply -> new Apply."""

    def table(self, table: ShapeTable) -> ShapeTable:
        """The shapes of a call, for the lifted graph."""
        shapes = {**table.shapes, **{new: table.shape(old) for new, old in self.copies.items()}}
        values = {**table.values, **{new: table.values[old] for new, old in self.copies.items() if old in table.values}}
        inner = {self.nodes[old]: rows for old, rows in table.inner.items() if old in self.nodes}
        return ShapeTable(shapes, values, inner, table.bounded)


@dataclass
class Lifting:
    """The work of lifting one graph, node by node."""

    graph: FunctionGraph
    variables: list[Variable] = field(default_factory=list)
    applies: list[Apply] = field(default_factory=list)
    copies: dict[int, int] = field(default_factory=dict)
    nodes: dict[int, int] = field(default_factory=dict)
    device: dict[int, int] = field(default_factory=dict)
    """Variable -> the one that has its value on the device."""
    host: dict[int, int] = field(default_factory=dict)

    def run(self) -> Lifted:
        """All nodes, then the outputs."""
        self.variables = list(self.graph.variables)
        for argument in self.graph.inputs:
            variable = self.variables[argument.variable]
            if argument.shared is not None and lives_there(variable.type):
                self.place(variable.id)
        for node in self.graph.applies:
            self.node(node)
        updated = {i.update: i for i in self.graph.inputs if i.update is not None}
        outputs = tuple(self.output(v, updated.get(k)) for k, v in enumerate(self.graph.outputs))
        graph = replace(self.graph, variables=tuple(self.variables), applies=tuple(self.applies), outputs=outputs)
        return Lifted(graph, self.copies, self.nodes)

    def place(self, variable: int) -> None:
        """The Variable itself is on the device from now on."""
        self.variables[variable] = replace(self.variables[variable], type=on_device(self.variables[variable].type))
        self.device[variable] = variable

    def output(self, variable: int, argument: GraphInput | None) -> int:
        """What the caller gets is on the host; the new value of a shared variable is where that lives."""
        if argument is not None and argument.variable in self.device:
            return self.on_device(variable)
        return self.on_host(variable)

    def node(self, node: Apply) -> None:
        """One node, on the device or on the host."""
        moves = self.moves(node)
        inputs = tuple(self.on_device(v) if moves and self.wanted(v, node.op) else self.on_host(v) for v in node.inputs)
        after = tuple(self.nodes[a] for a in node.after if a in self.nodes)
        op = node.op if node.op.inner is None or not moves else replace(node.op, inner=inner_on_device(node.op.inner))
        self.nodes[node.id] = self.add(op, inputs, node.outputs, after)
        for output in node.outputs if moves else ():
            if lives_there(self.variables[output].type):
                self.place(output)

    def moves(self, node: Apply) -> bool:
        """Whether the back-end takes this node."""
        if node.op.name in STAYS:
            return False
        kinds = [self.graph.variables[v].type for v in node.outputs]
        if not any(lives_there(kind) for kind in kinds):
            return False
        return any(kind.dtype in FLOATS for kind in kinds) or any(v in self.device for v in node.inputs)

    def wanted(self, variable: int, op: Op) -> bool:
        """Whether an input of a node on the device has to be there too: integers that say where or how much stay on the host."""
        kind = self.graph.variables[variable].type
        if kind.ndim == 0 and op.name in BLAS_WITH_SCALARS:
            return False
        return lives_there(kind) and (kind.dtype in FLOATS or variable in self.device or (kind.ndim > 0 and not self.is_shape(variable)))

    def is_shape(self, variable: int) -> bool:
        """Whether an integer vector was put together from sizes."""
        owner = self.graph.variables[variable].owner
        return owner is not None and self.graph.applies[owner].op.name in STAYS

    def on_device(self, variable: int) -> int:
        """The Variable with this value on the device; copied there where it is not yet."""
        if variable not in self.device:
            if isinstance(self.variables[variable], Constant):
                self.place(variable)
                return variable
            self.device[variable] = self.copy(variable, TO_DEVICE, on_device(self.variables[variable].type))
        return self.device[variable]

    def on_host(self, variable: int) -> int:
        """The Variable with this value on the host; copied back where it is not."""
        if not self.variables[variable].type.kind.on_device:
            return variable
        if variable not in self.host:
            kind = self.graph.variables[variable].type
            self.host[variable] = self.copy(variable, TO_HOST, kind)
        return self.host[variable]

    def copy(self, variable: int, op: Op, kind: Type) -> int:
        """A new Variable with the value of another one."""
        new = len(self.variables)
        source = self.variables[variable]
        self.variables.append(Variable(new, kind, source.name, len(self.applies), source.site))
        self.copies[new] = variable
        self.add(op, (variable,), (new,))
        return new

    def add(self, op: Op, inputs: tuple[int, ...], outputs: tuple[int, ...], after: tuple[int, ...] = ()) -> int:
        """A node at the end of the new graph."""
        new = len(self.applies)
        self.applies.append(Apply(new, op, inputs, outputs, after))
        for output in outputs:
            self.variables[output] = replace(self.variables[output], owner=new)
        return new
