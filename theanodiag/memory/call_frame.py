"""The run-time state of one compiled function (`CallFrame`): its storage cells, which live as long as the function does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod

from ..ir import Apply, Constant, ShapeTable, Unknown, Variable, itemsize
from ..ops.arrays import Array, Buffer, Cell, ItemKind, Tag, c_strides, exact
from .execution_plan import ExecutionPlan
from .profile import UnknownSize
from .simulated_device import Heap, shared_name

Runner = Callable[["CallFrame", ShapeTable], None]
"""Runs an inner frame once with the shapes of the given table."""


WIDEST = 6
"""Number of IfElse nodes of one graph whose branches are assumed independently; all further nodes take the same branch as the last of
these.
"""


@dataclass
class BranchAssumptions:
    """Assumptions about which branches IfElse nodes take, shared by all functions and inner functions of one simulation. Counts how often
    the assumptions are used.
    """

    taken: int = 0
    """A bit for each IfElse node, by its position among those of its graph; set: the node takes its second branch."""
    turns: Sequence[int] = ()
    """Values of `taken` for the successive steps of a loop, used cyclically; empty: all steps use `taken`."""
    uses: int = 0
    """Number of conditions whose value was unknown so far."""
    widest: int = 0
    """Number of bits of `taken` that were used so far."""

    def takes_first(self, position: int) -> bool:
        """Returns whether the IfElse node number `position` of its graph is assumed to take its first branch; counts the use."""
        position = min(position, WIDEST - 1)
        self.uses += 1
        self.widest = max(self.widest, position + 1)
        return not self.taken >> position & 1

    def worth_trying(self) -> tuple[int, ...]:
        """Returns the values of `taken` to simulate: all first branches, all second branches, and for each node that it alone takes the
        other branch.

        For up to three nodes these are all combinations. For a chain of conditions of any length every branch is taken in one of them.
        """
        every = (1 << self.widest) - 1
        alone = [1 << position for position in range(self.widest)]
        return tuple(dict.fromkeys([0, every, *alone, *(every ^ bit for bit in alone)]))


@dataclass(eq=False)
class CallFrame:
    """Storage cells and constants of one compiled function, or of the inner function of a Scan or OpFromGraph.

    The cells of shared variables belong to the shared variables, so several frames use the same ones.
    """

    program: ExecutionPlan
    """What is run: order, lifetimes and watched Variables. It changes with the branches that a call takes."""
    store: Heap
    """The heap that serves the requests."""
    allow_gc: bool = True
    """Whether intermediates are freed right after their last use."""
    inside: bool = False
    """Whether this is the frame of an inner function of a Scan or OpFromGraph."""
    has_run: bool = False
    """Whether the function was called before."""
    cells: defaultdict[int, Cell] = field(default_factory=lambda: defaultdict(Cell))
    """The storage cell of each Variable, by id."""
    frames: dict[int, CallFrame] = field(default_factory=dict)
    """Frames of inner functions, by the id of their Apply."""
    shared_frames: dict[int, CallFrame] = field(default_factory=dict)
    """Frames of inner functions that several nodes may share, by the number of their Op; the same dict in all inner frames."""
    kept: list[tuple[int | None, Buffer]] = field(default_factory=list)
    """(`Constant.memory` or None, buffer) of each buffer that the function holds outside of its cells until it is deleted."""
    runner: Runner = field(default=lambda frame, table: None, repr=False)
    """Simulates one run of an inner function, given its frame (`vm.run_inner`)."""
    guesses: BranchAssumptions = field(default_factory=BranchAssumptions)
    """Which branches are taken where IfElse conditions are not known; the same object in all inner frames."""
    takes_first: dict[int, bool] = field(default_factory=dict)
    """Whether an IfElse node takes its first branch in the running call, by the id of the node."""
    variants: dict[tuple[bool, ...], ExecutionPlan] = field(default_factory=dict)
    """The execution plan for each combination of branches taken, made when first needed."""
    table: ShapeTable = field(default_factory=lambda: ShapeTable({}))
    """Shapes and small values in the running call."""
    unknown: dict[tuple[str, str], UnknownSize] = field(default_factory=dict)
    """Variables whose size was unknown in some call so far, by (name, reason); the same dict in all inner frames."""

    def cell(self, variable: int) -> Cell:
        """Returns the storage cell of a Variable, created if it does not exist."""
        return self.cells[variable]

    def value(self, variable: int) -> Array | None:
        """Returns the array in the cell of a Variable; None if the cell is empty or missing."""
        cell = self.cells.get(variable)
        return cell.value if cell else None

    def put(self, variable: int, value: Array | None) -> None:
        """Stores a value in the cell of a Variable, or empties it (None). The array that was in the cell loses a holder."""
        self.cells[variable].put(self.store, value)

    def empty(self, variables: tuple[int, ...]) -> None:
        """Empties the storage cells of these Variables."""
        for variable in variables:
            cell = self.cells.get(variable)
            if cell is not None and cell.value is not None:
                cell.put(self.store, None)

    def shape(self, variable: int) -> tuple[int, ...] | None:
        """Returns the exact shape of a Variable in the running call. If a dimension is unknown, returns None and adds the Variable to
        `unknown`.
        """
        shape = self.table.shape(variable)
        known = exact(shape)
        if isinstance(known, Unknown):
            self.note_unknown(variable, known)
            return None
        return known

    def note_unknown(self, variable: int, why: Unknown) -> None:
        """Adds a Variable to `unknown`, with the reason why its size is not known."""
        name, op = self.describe(variable)
        if (name, why.reason) not in self.unknown:
            self.unknown[name, why.reason] = UnknownSize(name, op, why.reason)

    def describe(self, variable: int) -> tuple[str, str | None]:
        """Returns two texts about a Variable for reports: its name (or else its Op or type), and its Op (None for an input)."""
        v = self.program.graph.variables[variable]
        op = None if v.owner is None else self.program.graph.applies[v.owner].op.text
        source = self.copied_argument(v)
        fallback = "constant" if isinstance(v, Constant) else v.type.text or f"variable {v.id}"
        return v.name or (source.name if source else None) or op or fallback, op

    def _choose(self, node: Apply, position: int) -> bool:
        """Whether IfElse `node`, number `position` of the lazy nodes, takes its first branch: by its condition's value, or else assumed."""
        value = None
        for condition in node.inputs[:1]:  # a truncated text may have none
            value = getattr(self.program.graph.variables[condition], "value", None)
            value = value if value is not None else self.table.values.get(condition)
        return bool(value) if isinstance(value, (int, float)) else self.guesses.takes_first(position)

    def take_branches(self) -> None:
        """Switches to the execution plan for the branches that the IfElse nodes take in this call."""
        if self.program.lazy:
            choices = tuple(self._choose(node, position) for position, node in enumerate(self.program.lazy))
            self.takes_first = dict(zip((node.id for node in self.program.lazy), choices))
            self.program = self.variants.setdefault(choices, self.program.taking(choices))

    def kind_of(self, v: Variable) -> ItemKind:
        """Returns the kind of memory under which reports list a Variable of this function."""
        if self.inside:
            return ItemKind.INNER
        if isinstance(v, Constant):
            return ItemKind.CONSTANT
        if self.copied_argument(v) is not None:
            return ItemKind.INPUT
        return ItemKind.OUTPUT if v.id in self.program.outputs else ItemKind.INTERMEDIATE

    def copied_argument(self, v: Variable) -> Variable | None:
        """Returns the argument of which `v` is the device copy; None if `v` is not such a copy."""
        graph = self.program.graph
        node = None if v.owner is None else graph.applies[v.owner]
        if node is None or node.op.name != "GpuFromHost" or not node.inputs:  # without inputs: a truncated text
            return None
        source = graph.variables[node.inputs[0]]
        return source if source.id in graph.roles else None

    def tag(self, variable: int, kind: ItemKind | None = None, table: ShapeTable | None = None) -> Tag:
        """Returns the label for a buffer of a Variable; `table` has the shapes of the call that allocates it (None: the running call)."""
        v = self.program.graph.variables[variable]
        name, op = self.describe(variable)
        shape = v.shape if isinstance(v, Constant) else (table or self.table).shape(variable)
        taker = None if self.inside or v.owner is None else self.program.graph.updated.get(variable)
        shared = taker.shared if taker is not None else None
        if taker is not None and shared is not None:
            name = f"new value of {shared_name(self.program.graph.variables[taker.variable].name, shared)}"
        return Tag(kind or self.kind_of(v), name, op, v.type.dtype, shape, v.site, shared)

    def new(self, variable: int, shape: tuple[int, ...], kind: ItemKind | None = None) -> Array:
        """Allocates a new C-order array of `shape` for a Variable. The caller is its one holder."""
        size = itemsize(self.program.graph.variables[variable].type.dtype or "int8")
        buffer = self.store.take(prod(shape) * size, partial(self.tag, variable, kind, self.table))
        # tuple.__new__ takes half the time of Array(...)
        return tuple.__new__(Array, (buffer, shape, c_strides(shape, size), size))

    def temporary(self, nbytes: int, node: int, note: str) -> Buffer:
        """Allocates `nbytes` of workspace, labelled `note`, for node number `node`. The caller is the buffer's one holder."""
        apply = self.program.graph.applies[node]
        kind = ItemKind.INNER if self.inside else ItemKind.WORKSPACE
        return self.store.take(nbytes, Tag(kind, note, apply.op.text, None, (nbytes,)))
