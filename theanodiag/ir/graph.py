"""FunctionGraph, Apply, Variable, Constant, Op: the frozen representation of a compiled function, which every reader builds.

Variables and Apply nodes refer to each other by id: `variables[i].id == i` and `applies[i].id == i`, so that a graph of 100 000 nodes is
two flat tuples. `applies` is in the topological order of the framework (the number that debugprint prints).
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ..errors import UnreadableError
from ..escaping import visible
from ..result_display import Shown, html_table
from .shape import Shape, ShapeTable, Value

GRAPH_SCHEMA = "theanodiag/graph/v1"
NODES_SHOWN = 200
"""Maximum number of nodes in the text of a graph, and in its table in a notebook."""

NUMBER = "number"
"""Key in the `info` of an inner graph that was read from a text with assumed types: the graph's number in the text."""
FED_BY = "fed_by"
"""Key in the `info` of such a graph: for each inner input, the positions of the outer inputs that it may correspond to."""


class TypeKind(enum.Enum):
    """What values of a type are, and where they are stored."""

    TENSOR = "tensor"
    """A numpy array in host memory (TensorType)."""
    GPUARRAY = "gpuarray"
    """A device array of libgpuarray (GpuArrayType)."""
    CUDANDARRAY = "cudandarray"
    """A device array of the back-end that Theano 1.0 removed (CudaNdarrayType)."""
    SCALAR = "scalar"
    """A C or Python scalar (Scalar, ScalarType)."""
    SPARSE = "sparse"
    """A scipy sparse matrix (SparseType, SparseTensorType)."""
    RANDOM = "random"
    """The state of a random generator."""
    OTHER = "other"
    """Lists, slices, None, generic objects: no tensor memory of their own."""

    __hash__ = object.__hash__
    """Hashes by identity: the hash of enum is Python code, too slow for a call per Variable of a large graph."""

    @property
    def on_device(self) -> bool:
        """Whether values of this kind are stored in device buffers."""
        return self in (TypeKind.GPUARRAY, TypeKind.CUDANDARRAY)


@dataclass(frozen=True)
class Type:
    """The type of a Variable: kind, dtype and static shape."""

    kind: TypeKind
    dtype: str | None
    """numpy's name of the dtype; None where the kind has none."""
    shape: tuple[int | None, ...] = ()
    """Static shape: None for a dimension known only at run time; broadcastable dimensions are 1."""
    text: str = ""
    """The type as the framework prints it."""

    def __hash__(self) -> int:
        return hash((self.text, self.shape))

    @property
    def ndim(self) -> int:
        """Number of dimensions of a value of this type."""
        return len(self.shape)

    @cached_property
    def is_printed(self) -> bool:
        """Whether the type is known. A printed graph may leave it out."""
        return self.kind is not TypeKind.OTHER or bool(self.text)

    @cached_property
    def has_shape(self) -> bool:
        """Whether values of this type are arrays or scalars, or may be, if the type was not printed."""
        return self.kind not in (TypeKind.RANDOM, TypeKind.OTHER) or not self.is_printed

    @cached_property
    def is_open(self) -> bool:
        """Whether no dimension of the type is statically known."""
        return all(d is None for d in self.shape)

    @cached_property
    def is_single(self) -> bool:
        """Whether a value of this type has exactly one element: all dimensions are statically 1, or there are none."""
        return self.shape.count(1) == len(self.shape)


@dataclass(frozen=True)
class Site:
    """A place in the user's source: the innermost frame outside of the framework when a Variable was created or a function called."""

    path: str
    line: int
    """Line number, 1-based."""
    function: str | None = None
    """Name of the enclosing function; None at module level."""
    code: str | None = None
    """The source line, stripped."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


# A large graph has several objects per node of the classes below. The `__init__` of a frozen dataclass sets each field by
# `object.__setattr__`, which takes twice as long; fields with their default value are read from the class.


@dataclass(frozen=True, init=False)
class Variable:
    """One value of a graph. `owner` is the id of the Apply that computes it; None for inputs and Constants."""

    id: int
    """Position in `FunctionGraph.variables`."""
    type: Type
    name: str | None = None
    owner: int | None = None
    """Id of the Apply that computes it; None for inputs and Constants."""
    site: Site | None = None
    """The user's source line that created it; None where unknown."""

    def __init__(self, id: int, type: Type, name: str | None = None, owner: int | None = None, site: Site | None = None) -> None:
        fields = self.__dict__
        fields["id"], fields["type"], fields["owner"] = id, type, owner
        if name is not None:
            fields["name"] = name
        if site is not None:
            fields["site"] = site


@dataclass(frozen=True)
class Constant(Variable):
    """A Variable whose value is part of the graph. `value` is kept only if it has at most 64 elements."""

    shape: Shape = ()
    """Shape of the constant's value."""
    value: Value | None = None
    """The value, if it has at most 64 elements; else None."""
    memory: int | None = None
    """Number of the device memory that holds the value: equal for views of one array, and in copies of a function. None on the host."""


@dataclass(frozen=True)
class Op:
    """The operation of an Apply node."""

    name: str
    """Class name, such as `GpuGemm`."""
    text: str
    """The Op as the framework prints it, such as `GpuGemm{inplace=True}`."""
    module: str = ""
    """Module of its class, such as `theano.gpuarray.blas`."""
    params: Mapping[str, object] = field(default_factory=dict)
    """The Op's parameters (`__props__` and attributes on which sizes depend) as JSON values."""
    view_map: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Output index -> indices of the inputs that it is a view of."""
    destroy_map: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Output index -> indices of the inputs that it overwrites (in-place)."""
    inner: FunctionGraph | None = None
    """The inner graph of a Scan or an OpFromGraph."""

    def __hash__(self) -> int:
        return hash((self.name, self.text, self.module))


@dataclass(frozen=True, init=False)
class Apply:
    """One node: an Op applied to Variables, which are given by id."""

    id: int
    """Position in `FunctionGraph.applies`."""
    op: Op
    inputs: tuple[int, ...]
    """Ids of the Variables that it reads."""
    outputs: tuple[int, ...]
    """Ids of the Variables that it computes."""
    after: tuple[int, ...] = ()
    """Ids of the Apply nodes that must run before this one because it destroys what they read (`fgraph.orderings()`), in execution order.
    """

    def __init__(self, id: int, op: Op, inputs: tuple[int, ...], outputs: tuple[int, ...], after: tuple[int, ...] = ()) -> None:
        fields = self.__dict__
        fields["id"], fields["op"], fields["inputs"], fields["outputs"] = id, op, inputs, outputs
        if after:
            fields["after"] = after


class Role(enum.Enum):
    """How an input of a compiled function gets its value."""

    ARGUMENT = "argument"
    """The caller gives it at each call."""
    DEFAULT = "default"
    """An argument with a default value, or an implicit input kept by the function."""
    SHARED = "shared"
    """It is the value of a shared variable."""


@dataclass(frozen=True, init=False)
class GraphInput:
    """An input of a FunctionGraph, and how it gets its value."""

    variable: int
    """Id of the input's Variable."""
    role: Role = Role.ARGUMENT
    shared: int | None = None
    """Id of the shared variable, unique within the process that created it; None for other roles."""
    update: int | None = None
    """Position in `FunctionGraph.outputs` of the value that this input takes after the call; None where it is not updated."""
    borrow: bool = False
    """Whether the function may return or keep the caller's own array (`In(borrow=True)`)."""
    mutable: bool = False
    """Whether the function may overwrite the caller's array (`In(mutable=True)`)."""

    def __init__(
        self,
        variable: int,
        role: Role = Role.ARGUMENT,
        shared: int | None = None,
        update: int | None = None,
        borrow: bool = False,
        mutable: bool = False,
    ) -> None:
        fields = self.__dict__
        fields["variable"], fields["role"], fields["shared"] = variable, role, shared
        if update is not None:
            fields["update"] = update
        if borrow or mutable:
            fields["borrow"], fields["mutable"] = borrow, mutable


@dataclass(frozen=True, repr=False)
class FunctionGraph(Shown):
    """The optimized graph of a compiled function: what the framework would run."""

    name: str
    """The function's name in reports."""
    inputs: tuple[GraphInput, ...]
    """The inputs in the order of the compiled function."""
    outputs: tuple[int, ...]
    """Variable ids: first the returned values, then the updates."""
    variables: tuple[Variable, ...]
    """All Variables by id."""
    applies: tuple[Apply, ...]
    """All nodes by id, which is their topological order."""
    returned: int | None = None
    """How many of `outputs` are returned to the caller; None for all."""
    info: Mapping[str, object] = field(default_factory=dict)
    """For an inner graph: how the outer Op uses it, such as a Scan's counts of sequences and recurrences."""

    def __repr__(self) -> str:
        return f"<FunctionGraph {self._title}>"

    def __str__(self) -> str:
        rows = [f"  {node}  {op}({inputs}) -> {outputs}" for node, op, inputs, outputs in self._rows]
        return "".join(f"{visible(row)}\n" for row in (self._title, *rows, *([self._rest] if self._rest else [])))

    def to_dict(self) -> dict[str, object]:
        """Returns the graph in the form `theanodiag/graph/v1`, which `theanodiag.readers.graph_from_document` reads."""
        return {
            "schema": GRAPH_SCHEMA,
            "name": self.name,
            "variables": [_variable_to_json(v) for v in self.variables],
            "applies": [_apply_to_json(node) for node in self.applies],
            "inputs": [_input_to_json(i) for i in self.inputs],
            "outputs": list(self.outputs),
            "returned": self.n_returned,
            "info": dict(self.info),
        }

    def _repr_html_(self) -> str:
        """The nodes as a table, for notebooks."""
        return html_table(self._title, ("node", "Op", "inputs", "outputs"), self._rows, self._rest)

    @property
    def _title(self) -> str:
        return f"{self.name or 'function'}: {len(self.applies)} nodes, {len(self.inputs)} inputs, {len(self.outputs)} outputs"

    @property
    def _rows(self) -> list[tuple[int, str, str, str]]:
        """The first nodes: number, Op, inputs, outputs."""
        first = self.applies[:NODES_SHOWN]
        return [(n.id, n.op.text, ", ".join(map(self._named, n.inputs)), ", ".join(map(self._named, n.outputs))) for n in first]

    @property
    def _rest(self) -> str:
        left = len(self.applies) - NODES_SHOWN
        return f"and {left} more nodes" if left > 0 else ""

    def _named(self, variable: int) -> str:
        v = self.variables[variable]
        return f"{v.name or f'#{variable}'}: {v.type.text or v.type.dtype or '?'}"

    def maker(self, variable: int) -> Apply | None:
        """Returns the node that computes a Variable; None for an input or a constant."""
        owner = self.variables[variable].owner
        return None if owner is None else self.applies[owner]

    @cached_property
    def clients(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each Variable its clients, the nodes that read it, in node order: (Apply id, position among its inputs)."""
        table: list[list[tuple[int, int]]] = [[] for _ in self.variables]
        for node in self.applies:
            for position, variable in enumerate(node.inputs):
                table[variable].append((node.id, position))
        return tuple(tuple(row) for row in table)

    @cached_property
    def roles(self) -> Mapping[int, GraphInput]:
        """Variable id -> GraphInput, for the inputs of the graph."""
        return {i.variable: i for i in self.inputs}

    @cached_property
    def updated(self) -> Mapping[int, GraphInput]:
        """Returns Variable id -> the input that gets its value after the call, for the outputs that are updates."""
        return {self.outputs[i.update]: i for i in self.inputs if i.update is not None and i.update < len(self.outputs)}

    @cached_property
    def kinds(self) -> frozenset[TypeKind]:
        """The kinds of the types of all Variables."""
        return frozenset([v.type.kind for v in self.variables])

    @cached_property
    def op_names(self) -> frozenset[str]:
        """The class names of the Ops of all nodes, without those of inner graphs."""
        return frozenset([node.op.name for node in self.applies])

    @cached_property
    def on_device(self) -> bool:
        """Whether the value of any Variable is a device buffer."""
        return any(kind.on_device for kind in self.kinds)

    @property
    def n_returned(self) -> int:
        """Returns how many of `outputs` are returned to the caller; the others are updates."""
        return len(self.outputs) if self.returned is None else self.returned


def _variable_to_json(variable: Variable) -> dict[str, object]:
    kind, site = variable.type, variable.site
    row: dict[str, object] = {
        "id": variable.id,
        "name": variable.name,
        "type": {"kind": kind.kind.value, "dtype": kind.dtype, "shape": list(kind.shape), "text": kind.text},
    }
    if isinstance(variable, Constant):
        more = {"value": variable.value, "memory": variable.memory}
        row["constant"] = {"shape": list(variable.shape), **{key: value for key, value in more.items() if value is not None}}
    if site is not None:
        row["site"] = {"path": site.path, "line": site.line, "function": site.function, "code": site.code}
    return row


def _apply_to_json(node: Apply) -> dict[str, object]:
    op = node.op
    row: dict[str, object] = {"name": op.name, "text": op.text, "module": op.module, "params": dict(op.params)}
    row["view_map"] = {str(k): list(v) for k, v in op.view_map.items()}
    row["destroy_map"] = {str(k): list(v) for k, v in op.destroy_map.items()}
    if op.inner is not None:
        row["inner"] = op.inner.to_dict()
    entry: dict[str, object] = {"op": row, "inputs": list(node.inputs), "outputs": list(node.outputs)}
    return entry | ({"after": list(node.after)} if node.after else {})


def _input_to_json(entry: GraphInput) -> dict[str, object]:
    row: dict[str, object] = {"variable": entry.variable, "role": entry.role.value, "borrow": entry.borrow, "mutable": entry.mutable}
    for name, value in (("shared", entry.shared), ("update", entry.update)):
        if value is not None:
            row[name] = value
    return row


# Traversals of a FunctionGraph; all are iterative and linear in its size.


def graphs(graph: FunctionGraph) -> Iterator[tuple[FunctionGraph, tuple[int, ...]]]:
    """Yields the graph and all inner graphs, outer before inner, each with the ids of the Apply nodes that enclose it."""
    pending: list[tuple[FunctionGraph, tuple[int, ...]]] = [(graph, ())]
    while pending:
        here, path = pending.pop()
        yield here, path
        inner = [(node.op.inner, (*path, node.id)) for node in here.applies if node.op.inner is not None]
        pending.extend((g, p) for g, p in reversed(inner) if g is not None)


def ancestors(graph: FunctionGraph, variables: Iterable[int], cut: Container[int] = ()) -> frozenset[int]:
    """Returns the ids of `variables` and of every Variable from which they are computed, without those in `cut` and those from which only
    these are computed.
    """
    closure = {v for v in variables if v not in cut}
    pending = list(closure)
    while pending:
        owner = graph.variables[pending.pop()].owner
        new = [] if owner is None else [v for v in graph.applies[owner].inputs if v not in closure and v not in cut]
        closure.update(new)
        pending.extend(new)
    return frozenset(closure)


def renumbered(graph: FunctionGraph, order: Sequence[int]) -> FunctionGraph:
    """Returns a copy of `graph` with its nodes in the given order (a permutation of their ids) and with new ids."""
    place = {old: new for new, old in enumerate(order)}
    applies = tuple(
        replace(graph.applies[old], id=new, after=tuple(place[a] for a in graph.applies[old].after)) for new, old in enumerate(order)
    )
    variables = tuple(v if v.owner is None else replace(v, owner=place[v.owner]) for v in graph.variables)
    return replace(graph, applies=applies, variables=variables)


def computed_from(graph: FunctionGraph, variables: Iterable[int]) -> set[int]:
    """Returns these Variables, and all that are computed from them."""
    reached = set(variables)
    for node in graph.applies:
        if not reached.isdisjoint(node.inputs):
            reached.update(node.outputs)
    return reached


def reaches(start: int, targets: Container[int], followers: Callable[[int], Iterable[int]]) -> bool:
    """Returns whether one of `targets` can be reached from `start`; `followers` gives the direct successors of an id."""
    todo, seen = [start], {start}
    while todo:
        for follower in followers(todo.pop()):
            if follower in targets:
                return True
            if follower not in seen:
                seen.add(follower)
                todo.append(follower)
    return False


def verify(graph: FunctionGraph) -> None:
    """Raises `UnreadableError` with the first violated invariant in `graph` or one of its inner graphs."""
    pending = [(graph, graph.name or "graph")]
    while pending:
        graph, name = pending.pop()
        broken = next(_broken(graph), None)
        if broken is not None:
            raise UnreadableError(f"{name}: {broken}")
        pending.extend((node.op.inner, f"{name}, inside of {node.op.text}") for node in graph.applies if node.op.inner is not None)


def verify_table(graph: FunctionGraph, table: ShapeTable, name: str = "shapes") -> None:
    """Raises `UnreadableError` if a shape table refers to Variables or inner graphs that `graph` does not have."""
    pending = [(graph, table)]
    while pending:
        graph, table = pending.pop()
        alien = [v for v in (*table.shapes, *table.values, *table.bounded) if not 0 <= v < len(graph.variables)]
        inner = {a: graph.applies[a].op.inner if 0 <= a < len(graph.applies) else None for a in table.inner}
        if alien:
            raise UnreadableError(f"{name}: {graph.name or 'the graph'} has no Variable {alien[0]}")
        for a, within in inner.items():
            if within is None:
                raise UnreadableError(f"{name}: {graph.name or 'the graph'} has no inner graph in Apply {a}")
            pending.append((within, table.inner[a]))


def _broken(graph: FunctionGraph) -> Iterator[str]:
    yield from _ids(graph)
    yield from _references(graph)
    defined = {i.variable for i in graph.inputs} | {v.id for v in graph.variables if isinstance(v, Constant)}
    for node in graph.applies:
        yield from _node(graph, node, defined)
    yield from (f"output {i} is Variable {v}, which nothing makes" for i, v in enumerate(graph.outputs) if v not in defined)
    yield from _inputs(graph)


def _ids(graph: FunctionGraph) -> Iterator[str]:
    yield from (f"Variable at position {i} has the id {v.id}" for i, v in enumerate(graph.variables) if v.id != i)
    yield from (f"Apply at position {i} has the id {node.id}" for i, node in enumerate(graph.applies) if node.id != i)


def _references(graph: FunctionGraph) -> Iterator[str]:
    """References to ids that do not exist, which later checks must not use as indices."""
    n = len(graph.variables)
    for node in graph.applies:
        yield from (f"Apply {node.id} refers to Variable {v}, which does not exist" for v in node.inputs + node.outputs if not 0 <= v < n)
        yield from (
            f"Apply {node.id} runs after {a}, which is no other Apply"
            for a in node.after
            if a == node.id or not 0 <= a < len(graph.applies)
        )
    yield from (f"an input is Variable {i.variable}, which does not exist" for i in graph.inputs if not 0 <= i.variable < n)
    yield from (f"output {i} is Variable {v}, which does not exist" for i, v in enumerate(graph.outputs) if not 0 <= v < n)


def _node(graph: FunctionGraph, node: Apply, defined: set[int]) -> Iterator[str]:
    """Violations at one node: it reads only what exists before it, own its outputs, and its maps must refer to its inputs and outputs."""
    yield from (f"Apply {node.id} ({node.op.text}) reads Variable {v} before it is made" for v in node.inputs if v not in defined)
    for v in node.outputs:
        if v in defined:
            yield f"Variable {v} is made twice, the second time by Apply {node.id} ({node.op.text})"
        if graph.variables[v].owner != node.id:
            yield f"Variable {v} is made by Apply {node.id} but says that {graph.variables[v].owner} owns it"
        defined.add(v)
    for name, table in (("view_map", node.op.view_map), ("destroy_map", node.op.destroy_map)):
        for output, inputs in table.items():
            if not 0 <= output < len(node.outputs) or not all(0 <= i < len(node.inputs) for i in inputs):
                yield f"{name} of Apply {node.id} ({node.op.text}) points beyond its inputs or outputs: {output} -> {list(inputs)}"


def _inputs(graph: FunctionGraph) -> Iterator[str]:
    if not 0 <= graph.n_returned <= len(graph.outputs):
        yield f"{graph.n_returned} outputs are returned, but there are {len(graph.outputs)}"
    if len(graph.roles) != len(graph.inputs):
        yield "a Variable is an input twice"
    for entry in graph.inputs:
        if graph.variables[entry.variable].owner is not None:
            yield f"input Variable {entry.variable} is made by Apply {graph.variables[entry.variable].owner}"
        if entry.update is not None and not graph.n_returned <= entry.update < len(graph.outputs):
            yield f"the update of input Variable {entry.variable} is output {entry.update}, which is none of the updates"
