"""The view of a node that is about to run, for rules of memory effects; and the common ways in which Ops fill their output cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Protocol

from ..ir import Apply, FunctionGraph, ShapeTable, Unknown, itemsize
from ..ir.shape import Value
from .arrays import Array, Buffer, Cell, Store, c_strides, exact


class Plan(Protocol):
    """How a function is run, as far as memory rules need it."""

    @property
    def graph(self) -> FunctionGraph:
        """The graph of the function."""

    @property
    def followed(self) -> Sequence[bool]:
        """Whether the memory of each Variable is followed, by its id."""


class Frame(Protocol):
    """The state of the function that contains a node, as far as memory rules need it; `memory.activation` has the implementation."""

    @property
    def program(self) -> Plan:
        """The nodes that are run."""

    @property
    def store(self) -> Store:
        """The heap that serves requests."""

    @property
    def table(self) -> ShapeTable:
        """Shapes and small values in this call."""

    @property
    def takes_first(self) -> Mapping[int, bool]:
        """Whether each IfElse takes its first branch, by Apply id."""

    def cell(self, variable: int) -> Cell:
        """The cell of a Variable."""

    def value(self, variable: int) -> Array | None:
        """The array in the cell of a Variable; None if the cell is empty."""

    def put(self, variable: int, value: Array | None) -> None:
        """Replaces the value in the cell of a Variable."""

    def shape(self, variable: int) -> tuple[int, ...] | None:
        """The exact shape of a Variable in this call; None where it is unknown, which the frame notes."""

    def new(self, variable: int, shape: tuple[int, ...]) -> Array:
        """Takes a new C-order array for a Variable; the caller holds it."""

    def temporary(self, nbytes: int, node: int, note: str) -> Buffer:
        """Takes `nbytes` as workspace of the Op of node `node`, labelled `note`; the caller holds the buffer."""

    def note_unknown(self, variable: int, why: Unknown) -> None:
        """Records that the size of a Variable is not known, and why."""


class Work:
    """One node of a frame, about to run."""

    __slots__ = ("frame", "node")

    def __init__(self, frame: Frame, node: Apply) -> None:
        self.frame = frame
        self.node = node

    @property
    def params(self) -> Mapping[str, object]:
        """Parameters of the node's Op."""
        return self.node.op.params

    def input(self, position: int) -> Array | None:
        """The array at input number `position`; None if it is not watched, missing, or of unknown size."""
        inputs = self.node.inputs
        return self.frame.value(inputs[position]) if position < len(inputs) else None

    def watches(self, output: int) -> bool:
        """Whether the memory of output number `output` is followed."""
        return self.frame.program.followed[self.node.outputs[output]]

    def shape_in(self, position: int) -> tuple[int, ...] | None:
        """Exact shape of input number `position`, watched or not; None where it is unknown."""
        if position >= len(self.node.inputs):
            return None
        shape = exact(self.frame.table.shape(self.node.inputs[position]))
        return None if isinstance(shape, Unknown) else shape

    def shape(self, output: int) -> tuple[int, ...] | None:
        """Exact shape of output number `output`; None where it is unknown, which the frame notes."""
        return self.frame.shape(self.node.outputs[output])

    def known(self, position: int) -> Value | None:
        """The small value of input number `position`; None where it is not known."""
        if position >= len(self.node.inputs):
            return None
        variable = self.node.inputs[position]
        constant = getattr(self.frame.program.graph.variables[variable], "value", None)
        return constant if constant is not None else self.frame.table.values.get(variable)

    def size_out(self) -> int:
        """Bytes of one element of the first output."""
        return itemsize(self.frame.program.graph.variables[self.node.outputs[0]].type.dtype or "int8")

    def current(self, output: int) -> Array | None:
        """The array that an earlier call left in the cell of output number `output`; None if there is none."""
        return self.frame.value(self.node.outputs[output])

    def fresh(self, output: int, shape: tuple[int, ...] | None = None) -> Array | None:
        """Takes a new array for output number `output`, of its own shape unless `shape` is given; the caller holds it, no cell does."""
        shape = shape if shape is not None else self.shape(output)
        return None if shape is None else self.frame.new(self.node.outputs[output], shape)

    def assign(self, output: int, array: Array | None) -> None:
        """Moves `array` from the caller into the cell of output number `output`."""
        self.frame.put(self.node.outputs[output], array)
        self.release(array)

    def share(self, output: int, array: Array | None) -> None:
        """Puts an array that something else holds too, such as a view of an input, into the cell of output number `output`."""
        self.frame.put(self.node.outputs[output], array)

    def clear(self, output: int) -> None:
        """Empties the cell of output number `output`."""
        self.frame.put(self.node.outputs[output], None)

    def release(self, array: Array | None) -> None:
        """Drops the caller's hold on `array`."""
        if array is not None:
            self.frame.store.drop(array.buffer)

    def reuse(self, output: int, contiguous: bool = False, shape: tuple[int, ...] | None = None) -> None:
        """Keeps the old value of the cell if it has the right shape (and with `contiguous` is in C order); else replaces it.

        Source: Theano 1.0.5, gpuarray/c_code/gpuarray_helper.h, `theano_prep_output`.
        """
        variable = self.node.outputs[output]
        shape, cell = shape or self.frame.shape(variable), self.frame.cell(variable)
        old = cell.value
        if old is None and shape is not None:
            cell.value = self.frame.new(variable, shape)  # the hold passes from the caller to the cell
        elif old is None or old.shape != shape or (contiguous and not old.contiguous):
            self.replace(output, shape)

    def replace(self, output: int, shape: tuple[int, ...] | None = None) -> None:
        """Takes a new array for output number `output`; the old value stays live until it is in the cell.

        That holds whatever the C code frees, since the storage cell still holds the old value.
        Source: Theano 1.0.5, gof/cc.py, `struct_variable_codeblocks`; gpuarray/type.py, `GpuArrayType.c_sync`.
        """
        array = self.fresh(output, shape)
        cell = self.frame.cell(self.node.outputs[output])
        if array is None or cell.value is not None:
            self.assign(output, array)
        else:
            cell.value = array  # the hold passes from the caller to the cell

    def copied(self, array: Array, note: str) -> Array:
        """A copy of `array` in C order as workspace labelled `note`; the caller holds it."""
        buffer = self.temporary(array.nbytes, note)
        return Array(buffer, array.shape, c_strides(array.shape, array.itemsize), array.itemsize)

    def temporary(self, nbytes: int, note: str) -> Buffer:
        """Takes `nbytes` of workspace labelled `note`; return it with `give`."""
        return self.frame.temporary(nbytes, self.node.id, note)

    def give(self, *buffers: Buffer) -> None:
        """Frees workspace buffers."""
        for buffer in buffers:
            self.frame.store.drop(buffer)


Effect = Callable[[Work], None]
"""Simulates what one Op does to memory."""


def in_c(rule: Effect) -> Effect:
    """The rule of an Op that runs as C code: old values of output cells stay live until it is done, beside new values and workspace.

    Source: Theano 1.0.5, gof/cc.py, `struct_variable_codeblocks`; gpuarray/type.py, `GpuArrayType.c_extract`, `c_sync`.
    """

    @wraps(rule)
    def keeping(work: Work) -> None:
        old = [array for k in range(len(work.node.outputs)) if (array := work.current(k)) is not None]
        if not old:
            rule(work)
            return
        for array in old:
            work.frame.store.hold(array.buffer)
        rule(work)
        for array in old:
            work.release(array)

    return keeping


def alias(work: Work, output: int, position: int) -> None:
    """Makes output number `output` the input number `position` or a view of it, with the input's strides where the shapes are equal."""
    source, shape = work.input(position), work.shape(output)
    if source is None or shape is None:
        work.clear(output)
    elif shape == source.shape:
        work.share(output, source)
    else:
        work.share(output, Array(source.buffer, shape, c_strides(shape, source.itemsize), source.itemsize))


def by_maps(work: Work) -> None:
    """The default rule: outputs in destroy_map or view_map alias their input, all others reuse the old value where it fits."""
    op, followed = work.node.op, work.frame.program.followed
    for output, variable in enumerate(work.node.outputs):
        if not followed[variable]:
            continue
        sources = op.destroy_map.get(output) or op.view_map.get(output)
        if sources:
            alias(work, output, sources[0])
        else:
            work.reuse(output)


def copy_or_reuse(work: Work, source: Array) -> None:
    """Copies `source` into the old value if that fits and is in C order, else into a new array.

    Source: gpuarray/c_code/gpuarray_helper.h, `theano_try_copy`.
    """
    work.reuse(0, contiguous=True, shape=source.shape)


def with_workspace(library: str) -> Effect:
    """The rule of Ops whose `library` takes a workspace of unknown size."""

    def rule(work: Work) -> None:
        by_maps(work)
        work.frame.note_unknown(work.node.outputs[0], Unknown(f"the workspace of {library} is not known"))

    return rule


def new_array(work: Work) -> None:
    """Ops that always create a new array, while the old value is still live."""
    work.replace(0)


by_maps_in_c = in_c(by_maps)
"""The default rule for Ops that run as C code."""
