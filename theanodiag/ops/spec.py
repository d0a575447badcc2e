"""The catalogue's entry for a class of Ops: facts, and the rules that compute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Optional

from ..agent.shapes.dimensions import NoShape
from ..ir import Apply, FunctionGraph, Op, Shape, Type, Unknown
from .dtypes import DtypeRule
from .memory_effects import Effect, by_maps
from .node import Node, ShapeRule, ValueRule, sized
from .parameters import Params, Reader, generic

IndexMap = Mapping[int, tuple[int, ...]]
"""Position of an output -> positions of inputs, as in Theano's `view_map` and `destroy_map`."""
Ranks = tuple[Optional[int], ...]
"""Required number of dimensions of each input or output; None: any number."""
FIRST: IndexMap = {0: (0,)}
"""The map of an Op whose output 0 overwrites input 0, or is a view of it."""
OVERWRITE_FLAGS: Mapping[str, tuple[int, int]] = {"overwrite_a": (0, 0), "overwrite_b": (0, 1), "overwrite_c": (0, 2)}
"""Default of `OpSpec.overwrite_flags`: parameter -> (output, input that it overwrites if the parameter is true)."""


OutputTypes = Callable[[FunctionGraph, Apply], "list[Type] | None"]
"""Returns the types of all outputs of a node; None if they do not follow from its inputs."""


@dataclass(frozen=True)
class GpuLowering:
    """How Theano's GPU optimizer replaces a host Op by its counterpart, a GPU Op.

    Source: Theano 1.0.5, gpuarray/opt.py (`GraphToGPU`, `op_lifter` and the lifters below them), gpuarray/type.py (`move_to_gpu`).
    """

    name: str | None = None
    """Class name of the GPU counterpart, where that has memory rules of its own; None: the node follows its view_map and destroy_map."""
    under_same_rules: bool = False
    """Whether there is a counterpart that has the same effect on memory as the host Op."""
    stays_on_host: bool = False
    """Whether the Op always stays on the host: it has no counterpart, or its result is needed on the host."""
    follows_clients: bool = False
    """Whether, without an input on the device, the node moves if any of its clients does."""
    host_inputs: tuple[int, ...] = ()
    """Positions of inputs that the counterpart reads on the host: axes, conditions, numbers of steps, scale factors.

    Source of the last: gpuarray/blas.py, `GpuGemm.make_node`.
    """
    host_inputs_from: int | None = None
    """Position of the first input (length, index) that is read on the host, as all after it are; None: there is none."""
    contiguous_inputs: int = 0
    """Number of first inputs that are made C-contiguous beforehand (GpuContiguous)."""
    cast_to_int64: int | None = None
    """Position of the input with row numbers, which is cast to int64 (gpuarray/subtensor.py, `GpuAdvancedSubtensor1.make_node`)."""
    needs_cudnn: bool = False
    """Whether the only counterpart is an Op of cuDNN."""

    @property
    def has_counterpart(self) -> bool:
        """Whether the GPU back-end has a counterpart of this Op."""
        return self.under_same_rules or self.name is not None

    def reads_on_host(self, position: int) -> bool:
        """Returns whether the counterpart reads input number `position` on the host."""
        return position in self.host_inputs or (self.host_inputs_from is not None and position >= self.host_inputs_from)


NO_LOWERING = GpuLowering()
"""The default: no counterpart is known."""


@dataclass(frozen=True)
class OpSpec:
    """The entry of the catalogue for one class of Ops; positions count from 0. Attributes that are not given have the defaults of an
    unknown Op.
    """

    name: str
    """Class name; without `Gpu` if the entry holds for both forms. `*RV` stands for all names with that ending that have no entry."""
    n_outputs: int = 1
    """Smallest number of outputs, also where a printed graph shows fewer."""
    may_lack_inputs: bool = False
    """Whether a node may have no inputs at all."""
    input_ranks: Ranks = ()
    """Numbers of dimensions that `make_node` requires of the inputs; empty: none known."""
    output_ranks: Ranks = ()
    """Numbers of dimensions that the outputs always have; empty: none known."""
    scalars_from: int | None = None
    """Position of the first of the inputs that are scalars, as all after it are."""
    integers_from: int | None = None
    """Position of the first of the inputs that are integers (positions, lengths, classes), as all after it are."""
    integer_input: int | None = None
    """Position of the one input that is an integer or a Boolean."""
    integer_arithmetic: bool = False
    """Whether it moves or computes with integers, so that where the output is an integer the inputs are too."""
    factors: tuple[int, int] | None = None
    """Positions of the two factors, for matrix products."""
    reduces: bool = False
    """Whether its output has fewer elements than its input: sums, maxima, positions of maxima."""
    hands_on: bool = False
    """Whether its output equals its first input, in the same shape and order, as in transfers, copies and checks."""
    transfers: bool = False
    """Whether it copies between host and device, or between devices."""
    rearranges: bool = False
    """Whether its output has only elements of its first input, in another shape or order."""
    views_input: bool = False
    """Whether output 0 is always a view of input 0."""
    overwrites: IndexMap = field(default_factory=lambda: FIRST)
    """Which inputs the outputs overwrite in a form with `inplace=True`."""
    overwrite_flags: Mapping[str, tuple[int, int]] = field(default_factory=lambda: OVERWRITE_FLAGS)
    """Parameter -> (output, input that it overwrites if the parameter is true), for linear algebra."""
    fills_scan_buffer: bool = False
    """Whether it makes the buffers into which a Scan writes its recurrences."""
    part_of_input: bool = False
    """Whether its output may be part of such a Scan buffer."""
    on_either_side: bool = False
    """Whether it has the same name on the host and on a device: its output is where its input is."""
    makes_sparse: bool = False
    """Whether its output is a sparse matrix."""
    product: bool = False
    """Whether XLA computes it as a matrix product."""
    nan_without_result: bool = False
    """Whether JAX chooses between its result and NaN where the result is read (jax/_src/lax/linalg.py)."""
    shape: ShapeRule | None = None
    """Computes the shapes of the outputs; None: it is not supported."""
    no_array: bool = False
    """Whether its outputs are not arrays but slices, descriptors, lists or generators, so that it needs no shape rule."""
    value: ValueRule | None = None
    """Computes small values of the outputs from known ones; None: values are not followed through it."""
    agrees: AgreementRule | None = None
    """Yields which dimensions of inputs and outputs have equal lengths, in addition to those that follow from a `Like` as `shape`."""
    all_outputs: OutputTypes | None = None
    """Returns the types of all outputs, also of those that a text leaves out since nothing reads them."""
    dtype: DtypeRule | None = None
    """Rule for the dtypes of the outputs, for texts that print no types; None: taken from its parameters, else the widest float of the
    inputs."""
    memory: Effect = by_maps
    """The memory rule: what the Op allocates, shares and frees while it runs."""
    gpu_memory: Effect = by_maps
    """The memory rule of the Op of this name with `Gpu` in front, if that has no entry of its own."""
    xla_scratch: ScratchRule | None = None
    """Computes the bytes that XLA needs while the Op runs, in addition to its results; None: no bytes."""
    printed_as: Mapping[str, Params] = field(default_factory=dict)
    """Names under which it is printed, where they are not its class name -> parameters that the name implies."""
    printed_parameters: Reader = generic
    """Parses what is printed in brackets behind its name."""
    gpu: GpuLowering = NO_LOWERING
    """How Theano's GPU optimizer replaces the Op."""

    @property
    def on_gpu(self) -> OpSpec:
        """Returns the entry for the GPU version of the Op, whose name has the prefix `Gpu`."""
        return replace(self, name=f"Gpu{self.name}", memory=self.gpu_memory)


def alike(names: str | Iterable[str], gpu: GpuLowering = NO_LOWERING, **facts: Any) -> Iterator[OpSpec]:
    """Yields one entry for each name (or each word of a string), all with the same facts. Raises TypeError for an unknown fact."""
    for name in names.split() if isinstance(names, str) else names:
        yield OpSpec(name, gpu=gpu, **facts)


Sizes = Sequence[int]
"""Bytes of each of a node's inputs or outputs."""


@dataclass(frozen=True)
class ScratchQuery:
    """What a workspace rule knows about a node whose workspace in XLA is computed."""

    op: Op
    """The Op; for one that works on each matrix of a stack, the Blockwise around it."""
    shape: Shape | Unknown
    """Shape of the node's first input."""
    inputs: Sizes
    outputs: Sizes
    terms: int
    """Number of elements of the first input for each element of the result."""
    on_gpu: bool


ScratchRule = Callable[[ScratchQuery], int]
"""Computes the bytes of workspace that XLA needs for a node while it runs, in addition to its results."""


Run = tuple[int, int, int, int, int]
"""A run of equal dimensions: (Variable a, its first dimension, Variable b, its first dimension, number of dimensions).

Variables are inputs by position, or outputs counted down from -1.
"""
Equal = Iterable[Run]
"""Some runs of dimensions that have equal lengths."""
OUT = -1
"""The number that stands for output 0 in a run."""
AgreementRule = Callable[[Node], Equal]
"""Yields the runs of equal dimensions of a node; raises NoShape if a type or value that this needs is unknown."""


def rank_of(node: Node, position: int) -> int:
    """Returns the number of dimensions of input number `position`. Raises NoShape if its type is not printed."""
    kind = node.type(position)
    if not sized(kind):
        raise NoShape("a type is not printed")
    return kind.ndim


def out_rank(node: Node) -> int:
    """Returns the number of dimensions of output 0. Raises NoShape if its type is not printed."""
    rank = node.out_ndim()
    if rank is None:
        raise NoShape("a type is not printed")
    return rank
