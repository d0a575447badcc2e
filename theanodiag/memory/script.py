"""What a script does to memory: its shared variables, its compiled functions, and the order in which it makes, sets and calls them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Union

from ..ir import FunctionGraph, Shape, ShapeTable, Site, Type, Unknown
from ..ir.shape import Value


@dataclass(frozen=True)
class SharedVariable:
    """A shared variable of the script. `id` is the one that `GraphInput.shared` names."""

    id: int
    name: str | None
    type: Type
    site: Site | None = None
    """Where the script made it."""


@dataclass(frozen=True)
class Uncovered:
    """What a compiler does not take of a graph."""

    linker: str
    """`jax`, `pytorch` or `numba`."""
    variable: int | None
    """The Variable that the node makes; None where it cannot be told."""
    op: str | None
    """The Op for which there is no code; None where the node is refused for the shapes that it is given."""
    reason: str


@dataclass(frozen=True)
class CompiledFunction:
    """A function as the framework would run it."""

    index: int
    """Position in the order of compilation."""
    name: str
    graph: FunctionGraph
    linker: str = "cvm"
    """`cvm`, `vm`, `c|py`, `py`, `c`, `jax`, `numba`, `pytorch`, `mlx`."""
    allow_gc: bool | None = None
    """What the function's own linker says; None where the flag decides."""
    site: Site | None = None
    borrowed: frozenset[int] = frozenset()
    """Positions of the outputs that the caller borrows (`Out(..., borrow=True)`): without `allow_gc` the next call writes into them.

    Source: Theano 1.0.5, compile/function_module.py, `FunctionMaker.__init__` (`no_recycling`).
    """

    uncovered: tuple[Uncovered, ...] = ()
    """What the compiler of its linker does not take, as far as it was asked."""

    @property
    def in_one_piece(self) -> bool:
        """Whether JAX or PyTorch runs it: it asks their allocators for memory, and no flag of the framework's reaches these."""
        return self.linker in ("jax", "pytorch")


@dataclass(frozen=True)
class Create:
    """A shared variable gets its first value."""

    shared: int
    shape: Shape | Unknown
    site: Site | None = None
    digest: str | None = None
    """What the value was, as `SetValue.digest`."""


@dataclass(frozen=True)
class SetValue:
    """`shared.set_value(...)`."""

    shared: int
    shape: Shape | Unknown
    borrow: bool = False
    buffer: str | None = None
    """Identity of the host buffer, for finding equal data set again."""
    site: Site | None = None
    digest: str | None = None
    """Equal for equal data: `whole:...`, `part:...` (of a large array only some elements were read) or `zero`; None: not told."""
    on_device: bool = False
    """Whether the value given is a device array."""
    result: int | None = None
    """The number of that array, if the script has it from a function or a shared variable."""


@dataclass(frozen=True)
class GetValue:
    """`shared.get_value(...)`; `internal` where the device array itself is asked for."""

    shared: int
    borrow: bool = False
    internal: bool = False
    site: Site | None = None
    result: int | None = None
    """The number of the copy on the device that the script got; it stays until the Release of that number."""


@dataclass(frozen=True)
class Delete:
    """The last reference to a shared variable's container, or to a function, went away."""

    shared: int | None = None
    function: int | None = None
    collected: bool = False
    """True where a search for garbage ended it that the script did not ask for: when that is differs from run to run."""


@dataclass(frozen=True)
class DropConstant:
    """The last reference to the device memory of a constant went away, after that to the functions whose graphs had it."""

    memory: int
    """The number that `Constant.memory` is."""


@dataclass(frozen=True)
class Compile:
    """A function is compiled: its constants go to the device."""

    function: int


@dataclass(frozen=True)
class BaseArray:
    """The host array of which an argument is a part."""

    buffer: str | None
    shape: Shape | Unknown
    nbytes: int


@dataclass(frozen=True)
class CallInput:
    """One argument of a call."""

    variable: int
    """Id in the function's graph."""
    name: str | None
    dtype: str | None
    shape: Shape | Unknown
    value: Value | None = None
    """Where it is a small integer."""
    buffer: str | None = None
    """Identity of the host buffer: the same at two calls means the same memory was passed."""
    on_device: bool = False
    """Whether the caller passed a device array."""
    digest: str | None = None
    """What it held, as `SetValue.digest`."""
    part_of: BaseArray | None = None
    """The larger host array of which it is a view."""
    result: int | None = None
    """The number of a device array that the script has from a function or a shared variable."""


@dataclass(frozen=True)
class XlaFigures:
    """XLA's assignment of the buffers of one call, as its compiler made it before any run; all sizes in bytes."""

    argument_bytes: int
    output_bytes: int
    temporary_bytes: int
    """One block, which is there from the call's start to its end."""
    backend: str
    """`cuda`, or `cpu` for this host."""
    card: str | None = None
    """The GPU that was described to the compiler."""
    arguments: tuple[tuple[int, int], ...] = ()
    """What it takes: (position among the function's inputs, bytes); inputs with which nothing is computed are dropped."""
    results: tuple[int, ...] = ()
    """Bytes of each output of the function; a table of their addresses is the rest of `output_bytes`."""
    refused: str | None = None
    """Why JAX does not compile the graph as it is; the figures are of the graph with its lengths as constants."""
    of: tuple[FunctionGraph, ShapeTable] | None = field(default=None, compare=False, repr=False)
    """What was compiled. A plan that changes either has a call of which XLA said nothing."""

    def suits(self, graph: FunctionGraph, shapes: ShapeTable) -> bool:
        """Whether just this graph was compiled, for just these shapes."""
        return self.of is not None and self.of[0] is graph and self.of[1] is shapes

    @property
    def sum_bytes(self) -> int:
        """Arguments, outputs and temporaries."""
        return self.argument_bytes + self.output_bytes + self.temporary_bytes


@dataclass(frozen=True)
class Call:
    """One call of a function."""

    function: int
    inputs: tuple[CallInput, ...]
    shapes: ShapeTable
    site: Site | None = None
    assumed: bool = False
    """True where the script did not make this call: its shapes were given by the user or are static."""
    device_results: tuple[tuple[int, int], ...] = ()
    """Device arrays that the script got: (position among the outputs, number); each stays until the Release of that number. Those
    that are not listed were dropped at once."""
    dropped: bool = False
    """True where the script threw all results away in the instruction after the call."""
    xla: XlaFigures | None = None
    """What XLA said of it; None where it was not asked, or has no code for the graph."""


@dataclass(frozen=True)
class Release:
    """The script dropped a device array that a function had returned."""

    result: int
    """Its number in `Call.device_results`."""


Event = Union[Create, SetValue, GetValue, Delete, DropConstant, Compile, Call, Release]


@dataclass(frozen=True)
class Script:
    """Everything the memory of a device depends on, in the order of the script."""

    shared: Mapping[int, SharedVariable]
    functions: tuple[CompiledFunction, ...]
    events: tuple[Event, ...]
    flags: Mapping[str, object] = field(default_factory=dict)
    """Flags of the framework that ran it, by name."""
    framework: str = ""
    """`theano`, `theano-pymc`, `aesara` or `pytensor`; empty where nobody said it."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that the allocators of JAX and torch read."""

    def calls(self, function: int) -> tuple[Call, ...]:
        """The calls of the function with that index, in order."""
        return self._calls.get(function, ())

    @cached_property
    def _calls(self) -> dict[int, tuple[Call, ...]]:
        found: dict[int, list[Call]] = {}
        for event in self.events:
            if isinstance(event, Call):
                found.setdefault(event.function, []).append(event)
        return {function: tuple(calls) for function, calls in found.items()}
