"""Small graphs, made by hand, and random ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st

from theanodiag.ir import Apply, Constant, FunctionGraph, GraphInput, Op, Role, ShapeTable, Type, TypeKind, Variable
from theanodiag.memory.script import Call, CallInput, Compile, CompiledFunction, Create, Event, Release, Script, SharedVariable
from theanodiag.memory.settings import AllocatorKind, MemorySettings

DEVICE = Type(TypeKind.GPUARRAY, "float32", (None, None), "GpuArrayType<None>(float32, matrix)")
HOST = Type(TypeKind.TENSOR, "float32", (None, None), "TensorType(float32, matrix)")
EXACT = MemorySettings(preallocate=-1.0)
ON_HOST = MemorySettings(allocator=AllocatorKind.DIRECT)

PLAIN = Op("Plain", "Plain")
VIEW = Op("View", "View", view_map={0: (0,)})
INPLACE = Op("InPlace", "InPlace", destroy_map={0: (0,)})
UPLOAD = Op("GpuFromHost", "GpuFromHost<None>")


@dataclass
class Sketch:
    """A graph that grows; every Variable has a shape of its own."""

    variables: list[Variable] = field(default_factory=list)
    applies: list[Apply] = field(default_factory=list)
    inputs: list[GraphInput] = field(default_factory=list)
    shapes: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def variable(self, shape: tuple[int, ...], kind: Type = DEVICE, owner: int | None = None) -> int:
        """A new Variable."""
        new = len(self.variables)
        self.variables.append(Variable(new, kind, f"v{new}", owner))
        self.shapes[new] = shape
        return new

    def argument(self, shape: tuple[int, ...], kind: Type = HOST) -> int:
        """An argument of the function."""
        new = self.variable(shape, kind)
        self.inputs.append(GraphInput(new))
        return new

    def shared(self, shape: tuple[int, ...], update: int | None = None, kind: Type = DEVICE) -> int:
        """A shared variable; `update` is the position among the outputs of its new value."""
        new = self.variable(shape, kind)
        self.inputs.append(GraphInput(new, Role.SHARED, shared=new, update=update))
        return new

    def constant(self, shape: tuple[int, ...], memory: int | None = None) -> int:
        """A constant on the device, in the memory of that number."""
        new = len(self.variables)
        self.variables.append(Constant(new, DEVICE, shape=shape, memory=memory))
        self.shapes[new] = shape
        return new

    def apply(
        self, op: Op, inputs: Sequence[int], *shapes: tuple[int, ...], after: tuple[int, ...] = (), kind: Type = DEVICE
    ) -> tuple[int, ...]:
        """A node with an output for each shape."""
        node = len(self.applies)
        outputs = tuple(self.variable(shape, kind, node) for shape in shapes)
        self.applies.append(Apply(node, op, tuple(inputs), outputs, after))
        return outputs

    def graph(self, outputs: Sequence[int], returned: int | None = None) -> FunctionGraph:
        """The finished graph."""
        return FunctionGraph("f", tuple(self.inputs), tuple(outputs), tuple(self.variables), tuple(self.applies), returned)

    def table(self) -> ShapeTable:
        """The shapes of all Variables."""
        return ShapeTable(dict(self.shapes))

    def script(self, outputs: Sequence[int], returned: int | None = None, calls: int = 1, held: bool = False) -> Script:
        """A script that makes the shared variables, compiles the graph and calls it."""
        ids = {i.shared: self.variables[i.variable].type for i in self.inputs if i.shared is not None}
        shared = {s: SharedVariable(s, f"v{s}", kind) for s, kind in ids.items()}
        events: list[Event] = [Create(s, self.shapes[s]) for s in shared]
        arguments = tuple(CallInput(i.variable, None, "float32", self.shapes[i.variable]) for i in self.inputs if i.shared is None)
        events.append(Compile(0))
        for k in range(calls):
            events.append(Call(0, arguments, self.table(), device_results=((0, k),) if held else ()))
            if held and k:
                events.append(Release(k - 1))
        return Script(shared, (CompiledFunction(0, "f", self.graph(outputs, returned)),), tuple(events))


SIZES = st.integers(1, 40)


@st.composite
def random_sketches(draw: st.DrawFn) -> tuple[Sketch, list[int]]:
    """A random DAG of plain, viewing and overwriting ops on the device, and its outputs.

    A value is overwritten only by the last node that reads it, as a framework makes sure of it.
    """
    sketch = Sketch()
    alive = [sketch.shared((draw(SIZES), 4)) for _ in range(draw(st.integers(1, 3)))]
    owned: list[int] = []
    for _ in range(draw(st.integers(1, 25))):
        op = draw(st.sampled_from((PLAIN, PLAIN, VIEW, INPLACE)))
        if op is INPLACE and not owned:
            op = PLAIN
        source = draw(st.sampled_from(owned if op is INPLACE else alive))
        if op is INPLACE:
            alive, owned = [v for v in alive if v != source], [v for v in owned if v != source]
        if op is PLAIN:
            others = draw(st.lists(st.sampled_from(alive), max_size=2))
            made = sketch.apply(op, [source, *others], *[(draw(SIZES), 4) for _ in range(draw(st.integers(1, 2)))])
            owned += made
        else:
            made = sketch.apply(op, [source], sketch.shapes[source])
        alive += made
    outputs = draw(st.lists(st.sampled_from([v for v in alive if sketch.variables[v].owner is not None] or alive), min_size=1, max_size=3))
    return sketch, outputs
