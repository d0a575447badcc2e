"""A compiled function with its storage cells, which live as long as it does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from ..ir import Apply, Constant, ShapeTable, Unknown, Variable, itemsize
from .branch_assumptions import BranchAssumptions
from .execution_plan import ExecutionPlan
from .heap import Buffer, Heap, Tag
from .profile import ItemKind, UnknownSize
from .storage import Array, Cell, c_strides, exact, size_of

Runner = Callable[["Frame", ShapeTable], None]


@dataclass(eq=False)
class Frame:
    """The cells of one function (or of the inner function of a Scan). Cells of shared variables belong to those."""

    program: ExecutionPlan
    store: Heap
    allow_gc: bool = True
    inside: bool = False
    """Whether it is an inner function."""
    has_run: bool = False
    cells: defaultdict[int, Cell] = field(default_factory=lambda: defaultdict(Cell))
    frames: dict[int, Frame] = field(default_factory=dict)
    """Inner functions by the id of their Apply."""
    shared_frames: dict[int, Frame] = field(default_factory=dict)
    """Inner functions that several nodes may share, by the number of their Op; shared with the inner frames."""
    kept: list[tuple[int | None, Buffer]] = field(default_factory=list)
    """Buffers that no cell holds but the function does, as long as it lives, and the number of the memory, where it is a constant's."""
    runner: Runner = field(default=lambda frame, table: None, repr=False)
    """Runs an inner frame: the machine's own `run`."""
    guesses: BranchAssumptions = field(default_factory=BranchAssumptions)
    """Which branches are taken where conditions are not known; shared with the inner frames."""
    takes_first: dict[int, bool] = field(default_factory=dict)
    """Whether a lazy node takes its first branch in the call that is running, by the id of the node."""
    variants: dict[tuple[bool, ...], ExecutionPlan] = field(default_factory=dict)
    table: ShapeTable = field(default_factory=lambda: ShapeTable({}))
    """Shapes in the call that is running."""
    unknown: dict[tuple[str, str], UnknownSize] = field(default_factory=dict)
    """What had no size in any call so far; shared with the inner frames."""

    def cell(self, variable: int) -> Cell:
        """The cell of a Variable."""
        return self.cells[variable]

    def value(self, variable: int) -> Array | None:
        """What the cell of a Variable holds."""
        cell = self.cells.get(variable)
        return cell.value if cell else None

    def put(self, variable: int, value: Array | None) -> None:
        """Another value for the cell of a Variable."""
        self.cells[variable].put(self.store, value)

    def empty(self, variables: tuple[int, ...]) -> None:
        """Lets go of what the cells of these Variables hold."""
        for variable in variables:
            cell = self.cells.get(variable)
            if cell is not None and cell.value is not None:
                cell.put(self.store, None)

    def shape(self, variable: int) -> tuple[int, ...] | None:
        """The shape in this call; None (and noted) where a dimension is unknown."""
        shape = self.table.shape(variable)
        known = exact(shape)
        if isinstance(known, Unknown):
            self.note_unknown(variable, known)
            return None
        return known

    def note_unknown(self, variable: int, why: Unknown) -> None:
        """Remember that the size of a Variable is not known."""
        name, op = self.describe(variable)
        if (name, why.reason) not in self.unknown:
            self.unknown[name, why.reason] = UnknownSize(name, op, why.reason)

    def describe(self, variable: int) -> tuple[str, str | None]:
        """Name of a Variable, and the text of the op that makes it."""
        v = self.program.graph.variables[variable]
        op = None if v.owner is None else self.program.graph.applies[v.owner].op.text
        source = self.copied_argument(v)
        fallback = "constant" if isinstance(v, Constant) else v.type.text or f"variable {v.id}"
        return v.name or (source.name if source else None) or op or fallback, op

    def _choose(self, node: Apply, position: int) -> bool:
        """Whether the lazy node at that position takes its first branch: as its condition says, else it is a guess."""
        value = None
        for condition in node.inputs[:1]:  # none in a text that was cut
            value = getattr(self.program.graph.variables[condition], "value", None)
            value = value if value is not None else self.table.values.get(condition)
        return bool(value) if isinstance(value, (int, float)) else self.guesses.takes_first(position)

    def take_branches(self) -> None:
        """Order and lifetimes as the conditions of this call have them."""
        if self.program.lazy:
            choices = tuple(self._choose(node, position) for position, node in enumerate(self.program.lazy))
            self.takes_first = dict(zip((node.id for node in self.program.lazy), choices))
            self.program = self.variants.setdefault(choices, self.program.taking(choices))

    def kind_of(self, v: Variable) -> ItemKind:
        """What the memory of a Variable is for."""
        if self.inside:
            return ItemKind.INNER
        if isinstance(v, Constant):
            return ItemKind.CONSTANT
        if self.copied_argument(v) is not None:
            return ItemKind.INPUT
        return ItemKind.OUTPUT if v.id in self.program.outputs else ItemKind.INTERMEDIATE

    def copied_argument(self, v: Variable) -> Variable | None:
        """The argument of which a Variable is the copy on the device."""
        graph = self.program.graph
        node = None if v.owner is None else graph.applies[v.owner]
        if node is None or node.op.name != "GpuFromHost" or not node.inputs:  # without inputs: a text that was cut
            return None
        source = graph.variables[node.inputs[0]]
        return source if source.id in graph.roles else None

    def tag(self, variable: int, kind: ItemKind | None = None, table: ShapeTable | None = None) -> Tag:
        """What a buffer for this Variable is labelled with; `table`: that of the call which took it, if that is not the one running."""
        v = self.program.graph.variables[variable]
        name, op = self.describe(variable)
        shape = v.shape if isinstance(v, Constant) else (table or self.table).shape(variable)
        return Tag(kind or self.kind_of(v), name, op, v.type.dtype, shape, v.site)

    def new(self, variable: int, shape: tuple[int, ...], kind: ItemKind | None = None) -> Array:
        """A fresh array in C order for a Variable; who asked holds it."""
        size = itemsize(self.program.graph.variables[variable].type.dtype or "int8")
        buffer = self.store.take(size_of(shape) * size, partial(self.tag, variable, kind, self.table))
        # tuple.__new__ takes half the time of Array(...)
        return tuple.__new__(Array, (buffer, shape, c_strides(shape, size), size))

    def temporary(self, nbytes: int, node: int, note: str) -> Buffer:
        """A buffer that an op takes for itself while it runs; who asked holds it."""
        apply = self.program.graph.applies[node]
        kind = ItemKind.INNER if self.inside else ItemKind.WORKSPACE
        return self.store.take(nbytes, Tag(kind, note, apply.op.text, None, (nbytes,)))
