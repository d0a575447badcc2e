"""The view of a node that is about to run, for rules of memory effects; and the common ways in which Ops fill their output cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Protocol

from ..ir import Apply, FunctionGraph, ShapeTable, Unknown, itemsize
from ..ir.shape import Value
from .arrays import Array, Buffer, Cell, Store, c_strides, exact


class Plan(Protocol):
    """What memory rules need to know of a function: the order of its nodes, and its Variables."""

    @property
    def graph(self) -> FunctionGraph:
        """The graph of the function."""

    @property
    def followed(self) -> Sequence[bool]:
        """For each Variable, by id, whether its memory is simulated."""


class Frame(Protocol):
    """What memory rules need of the running function that contains a node; implemented in `memory.call_frame`."""

    @property
    def program(self) -> Plan:
        """The nodes and Variables of the function."""

    @property
    def store(self) -> Store:
        """The heap that serves requests."""

    @property
    def table(self) -> ShapeTable:
        """Shapes and small values of the Variables in this call."""

    @property
    def takes_first(self) -> Mapping[int, bool]:
        """Apply id of each IfElse -> whether it takes its first branch in this call."""

    def cell(self, variable: int) -> Cell:
        """Returns the storage cell of a Variable."""

    def value(self, variable: int) -> Array | None:
        """Returns the array in the cell of a Variable; None if the cell is empty."""

    def put(self, variable: int, value: Array | None) -> None:
        """Replaces the array in the cell of a Variable."""

    def shape(self, variable: int) -> tuple[int, ...] | None:
        """Returns the exact shape of a Variable in this call. If it is unknown, returns None, and the frame records that."""

    def new(self, variable: int, shape: tuple[int, ...]) -> Array:
        """Allocates a new C-order array for a Variable. The caller is its one holder."""

    def temporary(self, nbytes: int, node: int, note: str) -> Buffer:
        """Allocates `nbytes` of workspace, labelled `note`, for node number `node`. The caller is the buffer's one holder."""

    def note_unknown(self, variable: int, why: Unknown) -> None:
        """Records that the size of a Variable is not known, and why."""


class Work:
    """A node that is about to run, as memory rules see it."""

    __slots__ = ("frame", "node")

    def __init__(self, frame: Frame, node: Apply) -> None:
        self.frame = frame
        self.node = node

    @property
    def params(self) -> Mapping[str, object]:
        """Parameters of the node's Op."""
        return self.node.op.params

    def input(self, position: int) -> Array | None:
        """Returns the array of input number `position`; None if it is missing, of unknown size, or its memory is not simulated."""
        inputs = self.node.inputs
        return self.frame.value(inputs[position]) if position < len(inputs) else None

    def watches(self, output: int) -> bool:
        """Returns whether the memory of output number `output` is simulated."""
        return self.frame.program.followed[self.node.outputs[output]]

    def shape_in(self, position: int) -> tuple[int, ...] | None:
        """Returns the exact shape of input number `position`, whether or not its memory is simulated; None if the shape is unknown."""
        if position >= len(self.node.inputs):
            return None
        shape = exact(self.frame.table.shape(self.node.inputs[position]))
        return None if isinstance(shape, Unknown) else shape

    def shape(self, output: int) -> tuple[int, ...] | None:
        """Returns the exact shape of output number `output`. If it is unknown, returns None, and the frame records that."""
        return self.frame.shape(self.node.outputs[output])

    def known(self, position: int) -> Value | None:
        """Returns the value of input number `position` if it is small and known; otherwise None."""
        if position >= len(self.node.inputs):
            return None
        variable = self.node.inputs[position]
        constant = getattr(self.frame.program.graph.variables[variable], "value", None)
        return constant if constant is not None else self.frame.table.values.get(variable)

    def size_out(self) -> int:
        """Returns the bytes of one element of the first output."""
        return itemsize(self.frame.program.graph.variables[self.node.outputs[0]].type.dtype or "int8")

    def current(self, output: int) -> Array | None:
        """Returns the array that an earlier call left in the cell of output number `output`; None if there is none."""
        return self.frame.value(self.node.outputs[output])

    def fresh(self, output: int, shape: tuple[int, ...] | None = None) -> Array | None:
        """Allocates a new array for output number `output`, with `shape`, or with its own shape if none is given. The one holder of the
        array is the caller, not yet the output's cell.
        """
        shape = shape if shape is not None else self.shape(output)
        return None if shape is None else self.frame.new(self.node.outputs[output], shape)

    def assign(self, output: int, array: Array | None) -> None:
        """Moves `array` into the cell of output number `output`. The cell becomes its holder in place of the caller."""
        self.frame.put(self.node.outputs[output], array)
        self.release(array)

    def share(self, output: int, array: Array | None) -> None:
        """Puts an array that has another holder too, such as a view of an input, into the cell of output number `output`."""
        self.frame.put(self.node.outputs[output], array)

    def clear(self, output: int) -> None:
        """Empties the cell of output number `output`."""
        self.frame.put(self.node.outputs[output], None)

    def release(self, array: Array | None) -> None:
        """Removes the caller as a holder of `array`."""
        if array is not None:
            self.frame.store.drop(array.buffer)

    def reuse(self, output: int, contiguous: bool = False, shape: tuple[int, ...] | None = None) -> None:
        """Keeps the array in the cell of output number `output` if it has the right shape (and, with `contiguous`, is in C order);
        otherwise replaces it.

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
        """Allocates a new array for output number `output`. The old array stays live until the new one is in the cell.

        It stays live even if the C code frees its reference, because the storage cell still holds it. Source: Theano 1.0.5, gof/cc.py,
        `struct_variable_codeblocks`; gpuarray/type.py, `GpuArrayType.c_sync`.
        """
        array = self.fresh(output, shape)
        cell = self.frame.cell(self.node.outputs[output])
        if array is None or cell.value is not None:
            self.assign(output, array)
        else:
            cell.value = array  # the hold passes from the caller to the cell

    def copied(self, array: Array, note: str) -> Array:
        """Makes a copy of `array` in C order, as workspace labelled `note`. The caller is its one holder."""
        buffer = self.temporary(array.nbytes, note)
        return Array(buffer, array.shape, c_strides(array.shape, array.itemsize), array.itemsize)

    def temporary(self, nbytes: int, note: str) -> Buffer:
        """Allocates `nbytes` of workspace labelled `note`; free it with `give`."""
        return self.frame.temporary(nbytes, self.node.id, note)

    def give(self, *buffers: Buffer) -> None:
        """Frees buffers that `temporary` allocated as workspace."""
        for buffer in buffers:
            self.frame.store.drop(buffer)


Effect = Callable[[Work], None]
"""A memory rule: simulates what the run of one node allocates, shares and frees."""


def in_c(rule: Effect) -> Effect:
    """Makes the memory rule of an Op that runs as C code. Until such an Op is done, the old values of output cells stay live, together with
    new values and workspace.

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
    """Makes output number `output` a view of input number `position` (or that input itself), with the input's strides if the shapes are
    equal.
    """
    source, shape = work.input(position), work.shape(output)
    if source is None or shape is None:
        work.clear(output)
    elif shape == source.shape:
        work.share(output, source)
    else:
        work.share(output, Array(source.buffer, shape, c_strides(shape, source.itemsize), source.itemsize))


def by_maps(work: Work) -> None:
    """The default memory rule: outputs in destroy_map or view_map alias their input; every other output reuses the array of the last call
    if it has the right shape.
    """
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
    """Copies `source` into the output's array of the last call if that has the right shape and is in C order, else into a new array.

    Source: gpuarray/c_code/gpuarray_helper.h, `theano_try_copy`.
    """
    work.reuse(0, contiguous=True, shape=source.shape)


def with_workspace(library: str) -> Effect:
    """Makes the memory rule of Ops for which `library` allocates a workspace of unknown size."""

    def rule(work: Work) -> None:
        by_maps(work)
        work.frame.note_unknown(work.node.outputs[0], Unknown(f"the workspace of {library} is not known"))

    return rule


def new_array(work: Work) -> None:
    """Memory rule of Ops that always create a new array. The old value stays live until the new one exists."""
    work.replace(0)


by_maps_in_c = in_c(by_maps)
"""The default memory rule for Ops that run as C code."""
