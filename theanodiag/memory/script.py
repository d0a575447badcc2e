"""What a script does to memory: its shared variables, its compiled functions, and the events in which it creates, sets and calls them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Union

from ..ir import FunctionGraph, Shape, ShapeTable, Site, Type, TypeKind, Unknown
from ..ir.shape import Value


@dataclass(frozen=True)
class SharedVariable:
    """A shared variable of the script; `GraphInput.shared` refers to it by `id`."""

    id: int
    name: str | None
    """Its name; None where it has none."""
    type: Type
    site: Site | None = None
    """The line of the script that created it."""
    levels: int | None = None
    """The factor (1, 255 or 256) that turns all its observed values into whole numbers from 0 to 255; 0 if all are zero, None if there
    is no such factor."""
    one_hot: bool = False
    """Whether the rows of all its observed values are zeros and a single one, as far as they were checked."""
    assigned: str | None = None
    """The expression by which the script refers to it where a function that uses it is compiled; None where it is not known."""

    @property
    def expression(self) -> str | None:
        """Returns the expression by which the script refers to the variable: `assigned`, or else the target of the line that creates it,
        `data.x` in `data.x = shared(...)`. None if that line creates several variables, because it does not show which one this is.
        """
        line = (self.site and self.site.code) or ""
        shown = _ASSIGNED.match(line) if line.count("shared(") == 1 else None
        return self.assigned or (shown.group(1) if shown else None)

    @property
    def label(self) -> str:
        """Returns the variable's name for messages, or else the expression by which the script refers to it, or else its number."""
        return self.name or self.expression or f"shared variable {self.id}"


_GPU = re.compile(r"GpuArrayType<(.*?)>\(")
_ASSIGNED = re.compile(r"""\s*([A-Za-z_]\w*(?:\.\w+|\[["']?\w+["']?\])*)\s*=\s*(?:[\w.]+\.)?shared\s*\(""")
"""Matches an assignment of a new shared variable to a name, an attribute or an element."""


@dataclass(frozen=True)
class Uncovered:
    """A node that a function's compiler does not support."""

    linker: str
    """The compiler: `jax`, `pytorch` or `numba`."""
    variable: int | None
    """Id of the Variable that the node makes; None where it is not known."""
    op: str | None
    """The Op that the compiler does not support; None where it refuses the node for the shapes of its inputs."""
    reason: str
    """Why the compiler refuses the Op."""


@dataclass(frozen=True)
class CompiledFunction:
    """A function as the framework would run it."""

    index: int
    """Position in the order of compilation."""
    name: str
    graph: FunctionGraph
    """The function's optimized graph."""
    linker: str = "cvm"
    """`cvm`, `vm`, `c|py`, `py`, `c`, `jax`, `numba`, `pytorch`, `mlx`."""
    allow_gc: bool | None = None
    """`allow_gc` of the function's own linker; None: the flag decides."""
    site: Site | None = None
    """The line of the script that compiled it."""
    borrowed: frozenset[int] = frozenset()
    """Positions of the outputs that the caller borrows (`Out(..., borrow=True)`): without `allow_gc` the next call writes into them.

    Source: Theano 1.0.5, compile/function_module.py, `FunctionMaker.__init__` (`no_recycling`).
    """

    uncovered: tuple[Uncovered, ...] = ()
    """Nodes that the compiler of its linker does not support, if checked."""
    compile_seconds: tuple[float, ...] = ()
    """Seconds that XLA took for each kind of call (shapes and dtypes of the arguments) that it compiled, largest arguments first."""

    @property
    def in_one_piece(self) -> bool:
        """Whether JAX or PyTorch runs the function as a whole, with its own allocator, which the framework's flags do not affect."""
        return self.linker in ("jax", "pytorch")


@dataclass(frozen=True)
class Create:
    """An event: the script creates a shared variable with its first value."""

    shared: int
    """Id of the shared variable."""
    shape: Shape | Unknown
    """Shape of the variable's first value."""
    digest: str | None = None
    """Digest of the value, as `SetValue.digest`."""


@dataclass(frozen=True)
class SetValue:
    """An event: the script calls `shared.set_value(...)`."""

    shared: int
    """Id of the shared variable."""
    shape: Shape | Unknown
    """Shape of the new value."""
    borrow: bool = False
    """The argument `borrow` of `set_value`."""
    buffer: str | None = None
    """Identity of the host buffer that was passed: equal where the same array is set again."""
    site: Site | None = None
    """The script's line that calls `set_value`."""
    digest: str | None = None
    """Digest of the data, equal for equal data; None where not known.

    It begins with `whole:`, `part:` (only some elements of a large array were read) or is `zero`.
    """
    on_device: bool = False
    """Whether the value given is a device array."""
    result: int | None = None
    """Number of the device array that was passed, if a function or a shared variable of the script gave it out."""


@dataclass(frozen=True)
class GetValue:
    """An event: the script calls `shared.get_value(...)`."""

    shared: int
    """Id of the shared variable."""
    borrow: bool = False
    """The argument `borrow` of `get_value`."""
    internal: bool = False
    """Whether the call returns the device array itself (`return_internal_type=True`)."""
    site: Site | None = None
    """The script's line that calls `get_value`."""
    result: int | None = None
    """Number of the device copy that the script got; it stays until the `Release` of that number."""


@dataclass(frozen=True)
class Delete:
    """An event: the script dropped its last reference to a shared variable, or to a function."""

    shared: int | None = None
    """Id of the shared variable; None for a function."""
    function: int | None = None
    """Index of the function; None for a shared variable."""
    collected: bool = False
    """True where the cyclic garbage collector found it on its own: when that happens differs from run to run."""


@dataclass(frozen=True)
class DropConstant:
    """An event: the script dropped its last reference to the device memory of a constant, after the functions whose graphs had it."""

    memory: int
    """The constant's `Constant.memory`."""


@dataclass(frozen=True)
class Compile:
    """An event: the script compiles a function, which places its constants on the device."""

    function: int
    """Index of the compiled function."""


@dataclass(frozen=True)
class BaseArray:
    """The host array of which an argument is a view."""

    buffer: str | None
    """A number that identifies the memory the array is in."""
    shape: Shape | Unknown
    nbytes: int


@dataclass(frozen=True)
class CallInput:
    """An argument of a call of a compiled function."""

    variable: int
    """Id of the Variable in the function's graph."""
    name: str | None
    """Name of the argument; None where it has none."""
    dtype: str | None
    shape: Shape | Unknown
    value: Value | None = None
    """The value, where it is a small integer."""
    buffer: str | None = None
    """Identity of the host buffer: equal in two calls if the same memory was passed."""
    on_device: bool = False
    """Whether the caller passed a device array."""
    digest: str | None = None
    """Digest of the data, as `SetValue.digest`."""
    part_of: BaseArray | None = None
    """The larger host array of which it is a view; None if it is none."""
    result: int | None = None
    """Number of the device array that was passed, if a function or a shared variable of the script gave it out."""
    one_hot: bool = False
    """Whether its rows are zeros and a single one, as far as they were checked."""


@dataclass(frozen=True)
class XlaTemporary:
    """A value in XLA's block of temporaries, at the moment when most of the block is in use."""

    bytes: int
    """Bytes of the block that only it takes."""
    hlo: str
    """Name of the instruction in XLA's optimized program."""
    opcode: str
    """What the instruction does: `fusion`, `dot`, `custom-call`, `while` ..."""
    dtype: str
    """XLA's name of the dtype: `f64`, `s32`, `pred` ..."""
    shape: Shape
    kind: str | None
    """Relation to the Variable. `value`: the Variable itself; `copy`: a padded or reordered copy; `workspace`: workspace of a library;
    `from`: an intermediate value computed from it; `for`: one computed for it.

    None where no Variable is known.
    """
    variable: int | None
    """Id of the Variable; None where it is not one of the function's own graph."""
    name: str | None
    """Name of the Variable; None where it has none."""
    op: str | None
    """Text of the Op that makes the Variable."""
    site: Site | None
    """The line of the script that made the Variable."""
    fused: tuple[str, ...] = ()
    """Texts of other Ops that are computed in the same instruction."""

    @property
    def label(self) -> str:
        """The name for reports: the Variable's name, else its Op, else the instruction, after words such as `copy of`."""
        called = self.name or self.op or self.hlo
        return {"copy": "copy of ", "workspace": "workspace of ", "from": "made from ", "for": "made for "}.get(
            self.kind or "", ""
        ) + called


@dataclass(frozen=True)
class XlaTemporaries:
    """The values in XLA's block of temporaries at the instruction at which most of the block is in use."""

    step: str | None
    """Name of that instruction."""
    rows: tuple[XlaTemporary, ...]
    """The temporaries, largest first; their memory does not overlap."""
    rest: int
    """Bytes of the block in none of them: gaps, rounding, tables of addresses."""

    @property
    def bytes(self) -> int:
        """Bytes of the whole block of temporaries."""
        return sum(row.bytes for row in self.rows) + self.rest


@dataclass(frozen=True)
class XlaFigures:
    """Buffer sizes of one call as XLA's compiler assigned them before any run, in bytes."""

    argument_bytes: int
    """Bytes of all arguments of the call."""
    output_bytes: int
    """Bytes of all outputs, with a table of their addresses."""
    temporary_bytes: int
    """One block, live from the start of the call to its end."""
    backend: str
    """`cuda`, `cpu` (this host), or `bound` where the compiler was not asked."""
    card: str | None = None
    """The GPU for which XLA compiled the function."""
    arguments: tuple[tuple[int, int], ...] = ()
    """(Position among the function's inputs, bytes) of each argument; unused inputs are dropped."""
    results: tuple[int, ...] = ()
    """Bytes of each output; the rest of `output_bytes` is a table of their addresses."""
    dtypes: tuple[str | None, ...] = ()
    """Dtype of each output; None if it is no array. An update may have another dtype than in the graph."""
    refused: str | None = None
    """Why JAX does not compile the graph as it is; the figures are then of the graph with its lengths as constants."""
    temporaries: XlaTemporaries | None = None
    """The values among the temporaries; None if XLA's output does not show them."""
    of: tuple[FunctionGraph, ShapeTable] | None = field(default=None, compare=False, repr=False)
    """The graph and shapes that were compiled; a plan that changes either has no XLA figures."""

    def is_for(self, graph: FunctionGraph, shapes: ShapeTable) -> bool:
        """Returns whether these figures were compiled from exactly this graph and shape table (the same objects)."""
        return self.of is not None and self.of[0] is graph and self.of[1] is shapes

    @property
    def sum_bytes(self) -> int:
        """Bytes of arguments, outputs and temporaries together."""
        return self.argument_bytes + self.output_bytes + self.temporary_bytes


@dataclass(frozen=True)
class Call:
    """An event: the script calls a function."""

    function: int
    """Index of the called function."""
    inputs: tuple[CallInput, ...]
    """The arguments that the script passed."""
    shapes: ShapeTable
    """Shapes of all Variables of its graph in this call."""
    site: Site | None = None
    """The script's line that calls the function."""
    assumed: bool = False
    """True where the script did not make this call: its shapes are static, or given by the user."""
    device_results: tuple[tuple[int, int], ...] = ()
    """Device arrays that the script got, as (position among the outputs, number); each stays until the `Release` of that number.

    Those not listed were dropped at once.
    """
    dropped: bool = False
    """True where the script dropped all results right after the call."""
    xla: XlaFigures | None = None
    """The figures of XLA's compiler for this call; None if it was not asked, or cannot compile the graph."""


@dataclass(frozen=True)
class Release:
    """An event: the script dropped a device array that a function had returned."""

    result: int
    """Number of the array, as in `Call.device_results`."""


Event = Union[Create, SetValue, GetValue, Delete, DropConstant, Compile, Call, Release]
"""One thing that a script does to memory."""


def created_for(graph: FunctionGraph, table: ShapeTable) -> tuple[dict[int, SharedVariable], list[Event]]:
    """Returns the shared variables that a function reads, by number, and the events that create them with their shapes in `table`."""
    variables = {i.shared: graph.variables[i.variable] for i in graph.inputs if i.shared is not None}
    shared = {number: SharedVariable(number, v.name, v.type) for number, v in variables.items()}
    return shared, [Create(number, table.shape(v.id)) for number, v in variables.items()]


@dataclass(frozen=True)
class Script:
    """Everything that memory depends on: shared variables, functions, and the events in the order of the script."""

    shared: Mapping[int, SharedVariable]
    """Shared variables, by id."""
    functions: tuple[CompiledFunction, ...]
    """Compiled functions, by index."""
    events: tuple[Event, ...]
    """What the script does, in order."""
    flags: Mapping[str, object] = field(default_factory=dict)
    """Flags of the framework that ran it, by name."""
    framework: str = ""
    """`theano`, `theano-pymc`, `aesara` or `pytensor`; empty where it is not known."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Environment variables that the allocators of JAX and PyTorch read."""

    @cached_property
    def gpus(self) -> tuple[str, ...]:
        """Names of the GPUs that hold arrays, as in the flag `contexts`; `None` is the GPU of the flag `device`. Empty if the types contain
        no names.

        Source: Theano 1.0.5, gpuarray/type.py, `GpuArrayType.__repr__`.
        """
        types = {id(v.type): v.type for f in self.functions for v in f.graph.variables}
        types.update((id(v.type), v.type) for v in self.shared.values())
        names = (_GPU.match(t.text) for t in types.values() if t.kind is TypeKind.GPUARRAY)
        return tuple(sorted({name[1] for name in names if name}))

    def calls(self, function: int) -> tuple[Call, ...]:
        """Returns the calls of function number `function`, in order."""
        return self._calls.get(function, ())

    @cached_property
    def _calls(self) -> dict[int, tuple[Call, ...]]:
        by_function: dict[int, list[Call]] = {}
        for event in self.events:
            if isinstance(event, Call):
                by_function.setdefault(event.function, []).append(event)
        return {function: tuple(calls) for function, calls in by_function.items()}
