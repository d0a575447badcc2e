"""Builds FunctionGraphs node by node, for the examples of rules, for tests, and for readers of text.

>>> b = GraphBuilder("train")
>>> x, w = b.argument("x", tensor(128, 784)), b.shared("W", tensor(784, 10))
>>> y = b.apply(Op("Dot22", "Dot22"), [x, w], tensor(128, 10))
>>> graph = b.build(y)
>>> b.table().shape(y)
(128, 10)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .graph import Apply, Constant, FunctionGraph, GraphInput, Op, Role, Site, Type, TypeKind, Variable, verify
from .shape import ShapeTable, Unknown, Value

_NAMES = {0: "scalar", 1: "vector", 2: "matrix", 3: "tensor3", 4: "tensor4", 5: "tensor5"}


def tensor(*shape: int | None, dtype: str = "float32", kind: TypeKind = TypeKind.TENSOR) -> Type:
    """Makes a Type with the static shape `shape` (None: known only at run time) and the text that Theano prints for it.

    >>> tensor(None, 3).text
    'TensorType(float32, matrix)'
    """
    head = {TypeKind.GPUARRAY: "GpuArrayType<None>", TypeKind.CUDANDARRAY: "CudaNdarrayType", TypeKind.SCALAR: "Scalar"}
    text = f"{head.get(kind, 'TensorType')}({dtype}, {_NAMES.get(len(shape), f'{len(shape)}D')})"
    return Type(kind, dtype, shape, text)


def on_device(*shape: int | None, dtype: str = "float32") -> Type:
    """Returns the Type of an array on the GPU with this static shape (None: a length known only at run time)."""
    return tensor(*shape, dtype=dtype, kind=TypeKind.GPUARRAY)


@dataclass
class GraphBuilder:
    """A FunctionGraph under construction; nodes are listed in the order in which they are added."""

    name: str = "f"
    """Name of the graph."""
    variables: list[Variable] = field(default_factory=list)
    """The Variables so far, by id."""
    applies: list[Apply] = field(default_factory=list)
    """The nodes so far, by id."""
    inputs: list[GraphInput] = field(default_factory=list)
    """The inputs so far."""
    updates: dict[int, int] = field(default_factory=dict)
    """Input Variable -> Variable whose value it takes after the call."""

    def variable(self, kind: Type, name: str | None = None, owner: int | None = None, site: Site | None = None) -> int:
        """Adds a Variable; returns its id."""
        self.variables.append(Variable(len(self.variables), kind, name, owner, site))
        return len(self.variables) - 1

    def argument(self, name: str | None, kind: Type, role: Role = Role.ARGUMENT) -> int:
        """Adds an input whose value the caller gives; returns its Variable's id."""
        new = self.variable(kind, name)
        self.inputs.append(GraphInput(new, role))
        return new

    def shared(self, name: str | None, kind: Type, id: int | None = None) -> int:
        """Adds an input that is a shared variable; returns its Variable's id. `id` is the shared variable's own id, by default the same."""
        new = self.variable(kind, name)
        self.inputs.append(GraphInput(new, Role.SHARED, shared=new if id is None else id))
        return new

    def constant(self, kind: Type, value: Value | None = None, name: str | None = None) -> int:
        """Adds a Constant with the static shape of the Type, which must be complete; returns its id."""
        shape = tuple(d for d in kind.shape if d is not None)
        self.variables.append(Constant(len(self.variables), kind, name, None, None, shape, value))
        return len(self.variables) - 1

    def apply(self, op: Op, inputs: Sequence[int], kind: Type, *, name: str | None = None, after: Sequence[int] = ()) -> int:
        """Adds a node with one output; returns the output's id. `after`: ids of nodes that must run before it."""
        return self.apply_many(op, inputs, [kind], after=after, names=(name,))[0]

    def apply_many(
        self, op: Op, inputs: Sequence[int], kinds: Sequence[Type], *, after: Sequence[int] = (), names: Sequence[str | None] = ()
    ) -> tuple[int, ...]:
        """Adds a node with one output for each Type in `kinds`; returns the outputs' ids."""
        node = len(self.applies)
        padded = [*names, *[None] * (len(kinds) - len(names))]
        outputs = tuple(self.variable(kind, name, node) for kind, name in zip(kinds, padded))
        self.applies.append(Apply(node, op, tuple(inputs), outputs, tuple(after)))
        return outputs

    def update(self, target: int, value: int) -> None:
        """Makes the input `target` take the value of the Variable `value` after a call."""
        self.updates[target] = value

    def build(self, *outputs: int, info: dict[str, object] | None = None) -> FunctionGraph:
        """Verifies the graph and returns it as a FunctionGraph that returns `outputs`."""
        targets = [i.variable for i in self.inputs if i.variable in self.updates]
        positions = {target: len(outputs) + k for k, target in enumerate(targets)}
        inputs = tuple(replace(i, update=positions.get(i.variable)) for i in self.inputs)
        returned = (*outputs, *(self.updates[t] for t in targets))
        graph = FunctionGraph(self.name, inputs, returned, tuple(self.variables), tuple(self.applies), len(outputs), info or {})
        verify(graph)
        return graph

    def table(self) -> ShapeTable:
        """Returns the shapes of all Variables that are known from the static shapes of their Types."""
        return ShapeTable(
            {v.id: tuple(Unknown("no size was given to the builder") if d is None else d for d in v.type.shape) for v in self.variables}
        )
