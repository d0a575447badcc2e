"""Lowers graphs of the host to the GPU as Theano's GPU optimizer does: which nodes move, what is copied, what is overwritten.

The device form is built node by node, with the transfers that it needs. Then, in topological order, each elementwise node overwrites the
first input that has the type of its output, that no other node overwrites, that is neither a constant, nor an output, nor an input to be
kept, and whose other readers can all run before; device copies of arguments may be overwritten too.
Source: Theano 1.0.5, tensor/opt.py, `InplaceElemwiseOptimizer.apply`; gof/destroyhandler.py.
"""

from __future__ import annotations

import enum
import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from ..ir import Apply, Constant, FunctionGraph, GraphInput, Op, ShapeTable, Type, TypeKind, Variable
from ..ir.graph import reaches
from ..ir.scan import scan_info
from ..ops import op_info
from .script import Call, Script


class Choice(enum.Enum):
    """The order in which nodes choose the inputs that they overwrite. If two nodes could overwrite the same array, the first one in this
    order does.

    The topological order of the device graph may differ from that of the host graph, so both directions are tried.
    """

    FORWARD = "forward"
    """Nodes choose in topological order."""
    BACKWARD = "backward"
    """Nodes choose in reverse topological order."""
    AS_FOUND = "as found"
    """Nodes overwrite what they overwrite in the host graph."""


def in_place_again(graph: FunctionGraph, choice: Choice) -> FunctionGraph:
    """Returns a copy of `graph` in which each elementwise node overwrites an input where that is possible; nodes choose in the order
    `choice`.
    """
    return graph if choice is Choice.AS_FOUND else _Choosing(graph, choice).run()


def _is_elementwise(node: Apply) -> bool:
    return node.op.name == "GpuElemwise"


@dataclass
class _Choosing:
    """Chooses which inputs the elementwise nodes of one graph overwrite."""

    graph: FunctionGraph
    order: Choice
    after: list[list[int]] = field(default_factory=list)
    """For each node, the nodes that must run before it in addition to those that compute its inputs."""
    later: list[set[int]] = field(default_factory=list)
    """For each node, the nodes that wait for it by `after`."""
    destroyers: dict[int, int] = field(default_factory=dict)
    """Base Variable -> the node that overwrites it."""
    bases: list[int] = field(default_factory=list)
    """For each Variable, the Variable that owns its memory."""
    family: dict[int, list[int]] = field(default_factory=dict)
    """Base Variable -> all Variables that view it, itself included."""
    kept: frozenset[int] = frozenset()

    def run(self) -> FunctionGraph:
        """Lets all elementwise nodes choose, in order; returns the new graph."""
        self._prepare()
        applies = list(self.graph.applies)
        for node in self.graph.applies if self.order is Choice.FORWARD else reversed(self.graph.applies):
            if _is_elementwise(node):
                destroyed = self._choose(node)
                applies[node.id] = replace(node, op=replace(node.op, destroy_map=destroyed))
        final = tuple(replace(n, after=tuple(self.after[n.id])) for n in applies)
        return replace(self.graph, applies=final)

    def _prepare(self) -> None:
        graph = self.graph
        self.after = [[] if _is_elementwise(n) else list(n.after) for n in graph.applies]
        self.later = [set() for _ in graph.applies]
        for node, rows in enumerate(self.after):
            for other in rows:
                self.later[other].add(node)
        self.bases = list(range(len(graph.variables)))
        for n in graph.applies:
            for output, sources in n.op.view_map.items():
                if output < len(n.outputs) and sources:
                    self.bases[n.outputs[output]] = self.bases[n.inputs[sources[0]]]
            for _, sources in n.op.destroy_map.items() if not _is_elementwise(n) else ():
                self.destroyers.update((self.bases[n.inputs[s]], n.id) for s in sources)
        for variable, base in enumerate(self.bases):
            self.family.setdefault(base, []).append(variable)
        overwritable = {i.variable for i in graph.inputs if i.update is not None or i.mutable}
        self.kept = frozenset(graph.outputs) | {i.variable for i in graph.inputs if i.variable not in overwritable}

    def _choose(self, node: Apply) -> dict[int, tuple[int, ...]]:
        chosen: dict[int, tuple[int, ...]] = {}
        for output, variable in enumerate(node.outputs):
            for position in self._candidates(node, variable):
                if (position,) not in chosen.values() and self._overwrite(node, node.inputs[position]):
                    chosen[output] = (position,)
                    break
        return chosen

    def _candidates(self, node: Apply, output: int) -> list[int]:
        """Positions of the inputs that `output` may overwrite, in the order tried: first the shared variable that it updates."""
        kind = self.graph.variables[output].type
        positions = [k for k, v in enumerate(node.inputs) if self._may_be(v, kind.dtype, kind.ndim, output)]
        updated = {i.variable for i in self.graph.inputs if i.update is not None and self.graph.outputs[i.update] == output}
        return sorted(positions, key=lambda k: (node.inputs[k] not in updated, self.bases[node.inputs[k]] not in updated))

    def _may_be(self, variable: int, dtype: str | None, ndim: int, output: int) -> bool:
        v, out = self.graph.variables[variable], self.graph.variables[output]
        if isinstance(v, Constant) or variable in self.kept or not v.type.kind.on_device:
            return False
        if v.type.dtype != dtype or v.type.ndim != ndim:
            return False
        return all((a == 1) == (b == 1) for a, b in zip(v.type.shape, out.type.shape))

    def _overwrite(self, node: Apply, variable: int) -> bool:
        """Lets `node` overwrite `variable` if nothing forbids it; returns whether it does."""
        base = self.bases[variable]
        root = self.graph.variables[base]
        if base in self.destroyers or isinstance(root, Constant) or (base in self.kept and root.owner is None):
            return False
        if any(v in self.family[base] for v in node.inputs if v != variable) or node.inputs.count(variable) > 1:
            return False
        readers = {c for v in self.family[base] for c, _ in self.graph.clients[v]} - {node.id}
        if any(v in self.graph.outputs for v in self.family[base]) or reaches(node.id, readers, self._followers):
            return False
        self.destroyers[base] = node.id
        self.after[node.id] += sorted(readers)
        for reader in readers:
            self.later[reader].add(node.id)
        return True

    def _followers(self, node: int) -> set[int]:
        """Nodes that can only run after `node`."""
        return {c for v in self.graph.applies[node].outputs for c, _ in self.graph.clients[v]} | self.later[node]


def sort(graph: FunctionGraph) -> tuple[FunctionGraph, Mapping[int, int]]:
    """Sorts the nodes topologically, respecting `Apply.after`, with as few changes of their order as possible. Returns the graph and a map
    from old to new Apply ids.
    """
    waits = [{o for v in n.inputs if (o := graph.variables[v].owner) is not None} | set(n.after) for n in graph.applies]
    readers: list[list[int]] = [[] for _ in graph.applies]
    for node, needed in enumerate(waits):
        for other in needed:
            readers[other].append(node)
    left = [len(needed) for needed in waits]
    ready = [node for node, n in enumerate(left) if not n]
    order: list[int] = []
    while ready:
        node = heapq.heappop(ready)
        order.append(node)
        for reader in readers[node]:
            left[reader] -= 1
            if not left[reader]:
                heapq.heappush(ready, reader)
    return _renumbered(graph, order)


def _renumbered(graph: FunctionGraph, order: list[int]) -> tuple[FunctionGraph, Mapping[int, int]]:
    number = {old: new for new, old in enumerate(order)}
    if order == sorted(order) and len(order) == len(graph.applies):
        return graph, number
    applies = [graph.applies[old] for old in order]
    moved = tuple(replace(n, id=number[n.id], after=tuple(sorted(number[a] for a in n.after))) for n in applies)
    variables = tuple(v if v.owner is None else replace(v, owner=number[v.owner]) for v in graph.variables)
    return replace(graph, applies=moved, variables=variables), number


MODULE = "theano.gpuarray.basic_ops"
"""Module of Theano's transfer Ops."""
TO_DEVICE = Op("GpuFromHost", "GpuFromHost<None>", MODULE)
"""The Op that copies a host array to the device."""
TO_HOST = Op("HostFromGpu", "HostFromGpu(gpuarray)", MODULE)
"""The Op that copies a device array to the host."""
CAST = Op("GpuElemwise", "GpuElemwise{Cast{int64}}", "theano.gpuarray.elemwise")
"""The Op that converts indices to int64 on the device."""
MADE_CONTIGUOUS = Op("GpuContiguous", "GpuContiguous", MODULE, view_map={0: (0,)})
"""The Op that makes an array C-contiguous."""
HELD = {"type": {"dtype": "float32"}, "constant": {"shape": (1,)}}
"""A `kept_constants` entry for a scalar constant that the optimizer places on the device and then fuses into a node."""


@lru_cache(maxsize=4096)
def on_device(kind: Type) -> Type:
    """Returns the GPU array type with the dtype and number of dimensions of `kind`."""
    return replace(kind, kind=TypeKind.GPUARRAY, text=f"GpuArrayType<None>({kind.dtype}, {kind.ndim}d)")


@dataclass(frozen=True)
class Lifted:
    """A graph lowered to the device, with the information from which its shapes follow."""

    graph: FunctionGraph
    """The device graph."""
    copies: Mapping[int, int]
    """New Variable -> the Variable that it is a copy of, by id."""
    nodes: Mapping[int, int]
    """Apply id in the host graph -> Apply id in the device graph."""
    inner: Mapping[int, Lifted] = field(default_factory=dict)
    """Lowered inner graphs, by the Apply id in the host graph."""

    def table(self, table: ShapeTable) -> ShapeTable:
        """Converts the shapes of a call from the host graph to the device graph."""
        shapes, values = dict(table.shapes), dict(table.values)
        for new, old in self.copies.items():
            shapes[new] = shapes.get(old, table.shape(old))
            if old in values:
                values[new] = values[old]
        inner = {self.nodes[old]: self.inner[old].table(rows) if old in self.inner else rows for old, rows in table.inner.items()}
        return ShapeTable(shapes, values, inner, table.bounded)


def lifted(graph: FunctionGraph, choice: Choice, inside: bool = False) -> Lifted:
    """Lowers `graph` to the device. `inside` says that `graph` is the inner graph of a loop, whose inputs and outputs are on the device
    too. The result is cached on the graph.
    """
    known: dict[tuple[Choice, bool], Lifted] = graph.__dict__.setdefault("_lifted", {})
    if (choice, inside) not in known:
        known[choice, inside] = Lifting(graph, choice, inside).run()
    return known[choice, inside]


@dataclass
class Lifting:
    """Lowers one graph to the device; `run` returns the result."""

    graph: FunctionGraph
    """The host graph."""
    choice: Choice = Choice.FORWARD
    """In which order elementwise nodes choose the inputs that they overwrite."""
    inside: bool = False
    """Whether the graph is the inner graph of a loop."""
    variables: list[Variable] = field(default_factory=list)
    """Variables of the device graph so far."""
    applies: list[Apply] = field(default_factory=list)
    """Apply nodes of the device graph so far."""
    copies: dict[int, int] = field(default_factory=dict)
    """New Variable -> the Variable that it is a copy of."""
    nodes: dict[int, int] = field(default_factory=dict)
    """Apply id in the host graph -> Apply id in the device graph."""
    inner: dict[int, Lifted] = field(default_factory=dict)
    """Lowered inner graphs, by the Apply id in the host graph."""
    device: dict[int, int] = field(default_factory=dict)
    """Variable -> the Variable with its value on the device."""
    host: dict[int, int] = field(default_factory=dict)
    """Variable -> the Variable with its value on the host."""
    dense: dict[int, int] = field(default_factory=dict)
    """Variable -> the Variable with its value in C order."""

    def run(self) -> Lifted:
        """Lowers all nodes, then the outputs. Then elementwise nodes choose again which inputs they overwrite."""
        self.variables = list(self.graph.variables)
        for argument in self.graph.inputs:
            if (self.inside or argument.shared is not None) and lives_there(self.variables[argument.variable].type):
                self.place(argument.variable)
        moved = moving(self.graph, self.inside)
        for node in self.graph.applies:
            self.node(node, node.id in moved)
        updated = {i.update: i for i in self.graph.inputs if i.update is not None}
        outputs = tuple(self.output(k, v, updated.get(k)) for k, v in enumerate(self.graph.outputs))
        info = {**self.graph.info, "kept_constants": [*self._held(), *[HELD] * self._fused(moved)]}
        graph = replace(self.graph, variables=tuple(self.variables), applies=tuple(self.applies), outputs=outputs, info=info)
        graph, numbers = sort(in_place_again(graph, self.choice))
        return Lifted(graph, self.copies, {old: numbers[new] for old, new in self.nodes.items()}, self.inner)

    def _fused(self, moved: frozenset[int]) -> int:
        """How many constants may stay on the device although they are fused into Ops: one for each moved node, and one for each of its
        constants.
        """
        return sum(1 + sum(isinstance(self.variables[v], Constant) for v in self.graph.applies[n].inputs) for n in moved)

    def _held(self) -> list[object]:
        rows = self.graph.info.get("kept_constants")
        return list(rows) if isinstance(rows, list) else []

    def place(self, variable: int) -> None:
        """Changes the type of a Variable of the new graph to that of a GPU array."""
        self.variables[variable] = replace(self.variables[variable], type=on_device(self.variables[variable].type))
        self.device[variable] = variable

    def output(self, position: int, variable: int, argument: GraphInput | None) -> int:
        """Returns the id of the Variable that the new graph returns as output number `position`.

        It is on the host, unless it updates a shared variable on the device or the graph is inside a loop.
        """
        if self.inside and not self._is_condition(position) and lives_there(self.graph.variables[variable].type):
            return self.on_device(variable)
        if argument is not None and argument.variable in self.device:
            return self.on_device(variable)
        return self.on_host(variable)

    def _is_condition(self, position: int) -> bool:
        """Whether output number `position` of a loop's step is its stopping condition."""
        return bool(self.graph.info.get("as_while")) and position == len(self.graph.outputs) - 1

    def node(self, node: Apply, moves: bool) -> None:
        """Adds one node to the new graph, as a GPU node if `moves` is true. Inputs that are stored elsewhere than the node reads them are
        transferred first.
        """
        wanted = [moves and not self._on_host(node, k) for k in range(len(node.inputs))]
        inputs = [self.on_device(v) if there else self.on_host(v) for v, there in zip(node.inputs, wanted)]
        for k in range(min(op_info(node.op.name).gpu.contiguous_inputs, len(inputs)) if moves else 0):
            inputs[k] = self.in_one_piece(inputs[k])
        at = op_info(node.op.name).gpu.cast_to_int64 if moves else None
        if at is not None and at < len(inputs):  # a truncated text may lack inputs
            inputs[at] = self.index(inputs[at])
        after = tuple(self.nodes[a] for a in node.after if a in self.nodes)
        self.nodes[node.id] = self.add(self.op(node) if moves else node.op, tuple(inputs), node.outputs, after)
        for output in node.outputs if moves else ():
            if lives_there(self.variables[output].type):
                self.place(output)

    def _on_host(self, node: Apply, position: int) -> bool:
        kind = self.graph.variables[node.inputs[position]].type
        info = scan_info(node.op.inner.info) if node.op.inner is not None else None
        if info is not None and info.lengths_at <= position < info.others_at:
            return True
        return stays_on_host(node.op, position, kind)

    def op(self, node: Apply) -> Op:
        """Returns the GPU counterpart of a node's Op. The inner graph of the Op is lowered too."""
        op = replace(node.op, name=op_info(node.op.name).gpu.name or node.op.name)
        if op.inner is None:
            return op
        self.inner[node.id] = lifted(op.inner, self.choice, inside=True)
        return replace(op, inner=self.inner[node.id].graph)

    def on_device(self, variable: int) -> int:
        """Returns the id of the Variable with the same value on the device; a transfer is added if there is none yet."""
        if variable not in self.device:
            if isinstance(self.variables[variable], Constant):
                return self.constant(variable)
            self.device[variable] = self.copy(variable, TO_DEVICE, on_device(self.variables[variable].type))
        return self.device[variable]

    def constant(self, variable: int) -> int:
        """Adds a device copy of a host constant and returns its id; other nodes may still read the host constant."""
        new, source = len(self.variables), self.variables[variable]
        self.variables.append(replace(source, id=new, type=on_device(source.type)))
        self.copies[new] = variable
        self.device[variable] = new
        return new

    def on_host(self, variable: int) -> int:
        """Returns the id of the Variable with the same value on the host; a transfer is added if there is none yet."""
        if not self.variables[variable].type.kind.on_device:
            return variable
        if variable not in self.host:
            self.host[variable] = self.copy(variable, TO_HOST, self.graph.variables[variable].type)
        return self.host[variable]

    def in_one_piece(self, variable: int) -> int:
        """Returns the id of the Variable with the same value in C order; a node that copies it is added if there is none yet."""
        if variable not in self.dense:
            self.dense[variable] = self.copy(variable, MADE_CONTIGUOUS, self.variables[variable].type)
        return self.dense[variable]

    def index(self, variable: int) -> int:
        """Returns the id of the Variable with these indices as int64; a conversion is added if necessary."""
        kind = self.variables[variable].type
        return variable if kind.dtype == "int64" else self.copy(variable, CAST, replace(kind, dtype="int64"))

    def copy(self, variable: int, op: Op, kind: Type) -> int:
        """Adds a node `op` that copies `variable`; returns the id of the copy, which has the type `kind`."""
        new = len(self.variables)
        source = self.variables[variable]
        self.variables.append(Variable(new, kind, source.name, len(self.applies), source.site))
        self.copies[new] = variable
        self.add(op, (variable,), (new,))
        return new

    def add(self, op: Op, inputs: tuple[int, ...], outputs: tuple[int, ...], after: tuple[int, ...] = ()) -> int:
        """Appends a node to the new graph; returns its Apply id."""
        new = len(self.applies)
        self.applies.append(Apply(new, op, inputs, outputs, after))
        for output in outputs:
            if self.variables[output].owner != new:
                self.variables[output] = replace(self.variables[output], owner=new)
        return new


def lift(script: Script, choice: Choice = Choice.FORWARD) -> Script:
    """Returns a copy of `script` with its graphs, shared variables and call shapes lowered to the device; unchanged if any shared variable
    is there already.
    """
    if any(v.type.kind.on_device for v in script.shared.values()):
        return script
    shared = {i: replace(s, type=on_device(s.type)) if lives_there(s.type) else s for i, s in script.shared.items()}
    done = [lifted(f.graph, choice) for f in script.functions]
    functions = tuple(replace(f, graph=d.graph) for f, d in zip(script.functions, done))
    events = tuple(replace(e, shapes=done[e.function].table(e.shapes)) if isinstance(e, Call) else e for e in script.events)
    return replace(script, shared=shared, functions=functions, events=events)


FLOATS = frozenset({"float16", "float32", "float64"})
"""Float dtypes that device arrays can have."""
INTEGERS = frozenset({"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"})
"""Integer dtypes that device arrays can have."""


def lives_there(kind: Type) -> bool:
    """Returns whether a value of type `kind` can be a GPU array: tensors of the float and integer dtypes can, complex tensors cannot.

    Source: Theano 1.0.5, gpuarray/type.py, `move_to_gpu`.
    """
    return kind.kind is TypeKind.TENSOR and kind.dtype in FLOATS | INTEGERS


def stays_on_host(op: Op, position: int, kind: Type) -> bool:
    """Returns whether the GPU counterpart of `op` reads its input number `position`, of type `kind`, on the host."""
    return not lives_there(kind) or op_info(op.name).gpu.reads_on_host(position)


def moving(graph: FunctionGraph, inside: bool = False) -> frozenset[int]:
    """Returns the ids of the Apply nodes that are lowered to GPU nodes; with `inside` (the inner graph of a loop) all inputs are on the
    device already.
    """
    there = {i.variable for i in graph.inputs if _starts_there(graph, i.variable, inside or i.shared is not None)}
    moved: set[int] = set()
    for node in graph.applies:
        if _can(graph, node) and any(v in there for v in node.inputs):
            moved.add(node.id)
            there.update(v for v in node.outputs if lives_there(graph.variables[v].type))
    for node in reversed(graph.applies):
        if node.id not in moved and _can(graph, node) and _called_for(graph, node, moved):
            moved.add(node.id)
    return frozenset(moved)


def _starts_there(graph: FunctionGraph, variable: int, scalars_too: bool) -> bool:
    kind = graph.variables[variable].type
    return lives_there(kind) and (scalars_too or kind.ndim > 0)


def _can(graph: FunctionGraph, node: Apply) -> bool:
    """Whether the back-end has the node's Op, and an output that can be a device array."""
    if op_info(node.op.name).gpu.stays_on_host or not any(lives_there(graph.variables[v].type) for v in node.outputs):
        return False
    return not any((graph.variables[v].type.dtype or "").startswith("complex") for v in (*node.inputs, *node.outputs))


def _called_for(graph: FunctionGraph, node: Apply, moved: set[int]) -> bool:
    """Whether the readers of a node's outputs are on the device: all of them, or for Ops such as Alloc (`follows_clients`) at least one."""
    readers = [(c, k, v) for v in node.outputs for c, k in graph.clients[v]]
    wants = [c in moved and not stays_on_host(graph.applies[c].op, k, graph.variables[v].type) for c, k, v in readers]
    wants += [_is_update(graph, k) for k, v in enumerate(graph.outputs) if v in node.outputs]
    return any(wants) if op_info(node.op.name).gpu.follows_clients else bool(wants) and all(wants)


def _is_update(graph: FunctionGraph, position: int) -> bool:
    """Whether output number `position` updates a shared variable that lives on the device."""
    updated = [i for i in graph.inputs if i.update == position and i.shared is not None]
    return any(lives_there(graph.variables[i.variable].type) for i in updated)
