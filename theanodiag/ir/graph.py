"""FunctionGraph, Apply, Variable, Constant, Op: the frozen form in which every reader hands over a compiled function.

Variables and Apply nodes refer to each other by id: `variables[i].id == i` and `applies[i].id == i`, so that a graph of
100 000 nodes is two flat tuples. `applies` is in the toposort order of the framework (the number that debugprint prints).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .shape import Shape, Value

NUMBER = "number"
"""In the `info` of an inner graph of a text that is read with assumed types: its number in the text."""
FED_BY = "fed_by"
"""There too: for each inner input the positions of the outer inputs that it may stand for."""


class TypeKind(enum.Enum):
    """Where and how values of a type live."""

    TENSOR = "tensor"
    """A numpy array in host memory (TensorType)."""
    GPUARRAY = "gpuarray"
    """A device array of libgpuarray (GpuArrayType)."""
    CUDANDARRAY = "cudandarray"
    """A device array of the back-end that Theano 1.0 removed (CudaNdarrayType)."""
    SCALAR = "scalar"
    """A C or Python scalar (Scalar, ScalarType)."""
    SPARSE = "sparse"
    RANDOM = "random"
    """State of a random generator."""
    OTHER = "other"
    """Lists, slices, None, generic objects: no tensor memory of their own."""

    __hash__ = object.__hash__
    """Of the member itself: that of enum is Python code, too slow for what is asked of each Variable of a large graph."""

    @property
    def on_device(self) -> bool:
        """Whether values of this kind are buffers of the device."""
        return self in (TypeKind.GPUARRAY, TypeKind.CUDANDARRAY)


@dataclass(frozen=True)
class Type:
    """The type of a Variable."""

    kind: TypeKind
    dtype: str | None
    """numpy's name; None where the kind has none."""
    shape: tuple[int | None, ...] = ()
    """Static shape: None for a dimension only known at run time; broadcastable dimensions are 1. Its length is ndim."""
    text: str = ""
    """As the framework prints it."""

    def __hash__(self) -> int:
        return hash((self.text, self.shape))

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @cached_property
    def is_printed(self) -> bool:
        """Whether the type is known: a text may leave it out."""
        return self.kind is not TypeKind.OTHER or bool(self.text)

    @cached_property
    def has_shape(self) -> bool:
        """Whether its values are arrays or scalars, or may be, since it is not printed."""
        return self.kind not in (TypeKind.RANDOM, TypeKind.OTHER) or not self.is_printed

    @cached_property
    def is_open(self) -> bool:
        """Whether no dimension is fixed."""
        return all(d is None for d in self.shape)

    @cached_property
    def is_single(self) -> bool:
        """Whether each dimension is 1, of which there may be none."""
        return self.shape.count(1) == len(self.shape)


@dataclass(frozen=True)
class Site:
    """A place in the user's source: the innermost frame outside of the framework."""

    path: str
    line: int
    """1-based."""
    function: str | None = None
    code: str | None = None
    """The source line, stripped."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


# Of the classes below a large graph has several objects a node. What `dataclass` writes for frozen ones sets each field through
# `object.__setattr__`, which takes twice as long; what has its default value stands in the class already.


@dataclass(frozen=True, init=False)
class Variable:
    """One value of a graph. `owner` is the id of the Apply that makes it, None for inputs and Constants."""

    id: int
    type: Type
    name: str | None = None
    owner: int | None = None
    site: Site | None = None

    def __init__(self, id: int, type: Type, name: str | None = None, owner: int | None = None, site: Site | None = None) -> None:
        fields = self.__dict__
        fields["id"], fields["type"], fields["owner"] = id, type, owner
        if name is not None:
            fields["name"] = name
        if site is not None:
            fields["site"] = site


@dataclass(frozen=True)
class Constant(Variable):
    """A Variable whose value is part of the graph. `value` is kept where it is small (at most 64 elements)."""

    shape: Shape = ()
    value: Value | None = None
    memory: int | None = None
    """Number of the device memory that the value is in: the same for views of one array, and in copies of a function."""


@dataclass(frozen=True)
class Op:
    """What an Apply node computes."""

    name: str
    """Class name, such as `GpuGemm`."""
    text: str
    """As the framework prints it, such as `GpuGemm{inplace=True}`."""
    module: str = ""
    """Module of the class, such as `theano.gpuarray.blas`."""
    params: Mapping[str, object] = field(default_factory=dict)
    """The op's own parameters (`__props__` and what sizes depend on): JSON values."""
    view_map: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Output index -> indices of the inputs it is a view of."""
    destroy_map: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Output index -> indices of the inputs that are overwritten to make it."""
    inner: FunctionGraph | None = None
    """The inner graph of a Scan or an OpFromGraph."""

    def __hash__(self) -> int:
        return hash((self.name, self.text, self.module))


@dataclass(frozen=True, init=False)
class Apply:
    """One node: `op` applied to Variables, by id."""

    id: int
    op: Op
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    after: tuple[int, ...] = ()
    """Ids of the Apply nodes that must run before this one, since it destroys what they read (`fgraph.orderings()`), in the order in
    which the framework runs them."""

    def __init__(self, id: int, op: Op, inputs: tuple[int, ...], outputs: tuple[int, ...], after: tuple[int, ...] = ()) -> None:
        fields = self.__dict__
        fields["id"], fields["op"], fields["inputs"], fields["outputs"] = id, op, inputs, outputs
        if after:
            fields["after"] = after


class Role(enum.Enum):
    """What an input of a compiled function is to its caller."""

    ARGUMENT = "argument"
    """Given at each call."""
    DEFAULT = "default"
    """An argument with a default value, or an implicit input kept by the function."""
    SHARED = "shared"
    """The value of a shared variable."""


@dataclass(frozen=True, init=False)
class GraphInput:
    """An input of a FunctionGraph and what it is to the caller."""

    variable: int
    role: Role = Role.ARGUMENT
    shared: int | None = None
    """Id of the shared variable, unique in the process that made it."""
    update: int | None = None
    """Position in `FunctionGraph.outputs` of the value that this input takes after the call."""
    borrow: bool = False
    mutable: bool = False

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


@dataclass(frozen=True)
class FunctionGraph:
    """An optimised graph: what the framework would run."""

    name: str
    inputs: tuple[GraphInput, ...]
    outputs: tuple[int, ...]
    """Variable ids: first what the caller gets, then the updates."""
    variables: tuple[Variable, ...]
    applies: tuple[Apply, ...]
    returned: int | None = None
    """How many of `outputs` the caller gets; None for all."""
    info: Mapping[str, object] = field(default_factory=dict)
    """For an inner graph: how the outer op uses it (Scan's counts of sequences and recurrences)."""

    @cached_property
    def clients(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each Variable its clients: (Apply id, position among its inputs), in node order."""
        table: list[list[tuple[int, int]]] = [[] for _ in self.variables]
        for node in self.applies:
            for position, variable in enumerate(node.inputs):
                table[variable].append((node.id, position))
        return tuple(tuple(row) for row in table)

    @cached_property
    def roles(self) -> Mapping[int, GraphInput]:
        """The inputs by Variable id."""
        return {i.variable: i for i in self.inputs}

    @cached_property
    def kinds(self) -> frozenset[TypeKind]:
        """The kinds of all its Variables."""
        return frozenset([v.type.kind for v in self.variables])

    @cached_property
    def op_names(self) -> frozenset[str]:
        """The class names of all its Ops."""
        return frozenset([node.op.name for node in self.applies])

    @cached_property
    def on_device(self) -> bool:
        """Whether any of its values is a buffer of the device."""
        return any(kind.on_device for kind in self.kinds)

    @property
    def n_returned(self) -> int:
        """How many of `outputs` the caller gets; the rest are updates."""
        return len(self.outputs) if self.returned is None else self.returned
