"""What is known of a class of Ops, whatever node it stands in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Optional

IndexMap = Mapping[int, tuple[int, ...]]
"""Positions of inputs by position of an output, as in Theano's `view_map` and `destroy_map`."""
Ranks = tuple[Optional[int], ...]
"""Numbers of dimensions, one for each input or output; None: any."""
FIRST: IndexMap = {0: (0,)}
"""Output 0 over, or a view of, input 0."""
OVERWRITE_FLAGS: Mapping[str, tuple[int, int]] = {"overwrite_a": (0, 0), "overwrite_b": (0, 1), "overwrite_c": (0, 2)}


@dataclass(frozen=True)
class GpuLowering:
    """What Theano's GPU optimiser does with an Op of the host.

    Source: Theano 1.0.5, gpuarray/opt.py (`GraphToGPU`, `op_lifter` and the lifters below them), gpuarray/type.py (`move_to_gpu`).
    """

    name: str | None = None
    """Class name of the counterpart, where that follows rules of its own; else the node is what its view_map and destroy_map say."""
    under_same_rules: bool = False
    """There is a counterpart, and it does what the node on the host does."""
    stays_on_host: bool = False
    """There is no counterpart, or the result is needed on the host."""
    follows_clients: bool = False
    """Without an input on the device it moves if any node that reads it does."""
    host_inputs: tuple[int, ...] = ()
    """Inputs that are read on the host: axes, conditions, numbers of steps, scale factors (gpuarray/blas.py, `GpuGemm.make_node`)."""
    host_inputs_from: int | None = None
    """From this position on inputs say how much or where, and are read on the host."""
    contiguous_inputs: int = 0
    """So many first inputs are made contiguous before (GpuContiguous)."""
    cast_to_int64: int | None = None
    """The input with row numbers that is cast to int64 (gpuarray/subtensor.py, `GpuAdvancedSubtensor1.make_node`)."""
    needs_cudnn: bool = False
    """The counterpart is one of cuDNN alone."""

    @property
    def has_counterpart(self) -> bool:
        """Whether the GPU back-end has this Op."""
        return self.under_same_rules or self.name is not None

    def reads_on_host(self, position: int) -> bool:
        """Whether the node, once it is on the device, still reads the input at `position` on the host."""
        return position in self.host_inputs or (self.host_inputs_from is not None and position >= self.host_inputs_from)


NO_LOWERING = GpuLowering()


@dataclass(frozen=True)
class OpInfo:
    """The facts of one class of Ops; positions count inputs from 0. Rules that compute (shapes, dtypes, device memory) stand elsewhere."""

    name: str
    """Class name, without `Gpu` where both forms are alike."""
    n_outputs: int = 1
    """The least number of outputs, also where a printed graph shows fewer."""
    may_lack_inputs: bool = False
    input_ranks: Ranks = ()
    """What `make_node` demands, as far as it does."""
    output_ranks: Ranks = ()
    scalars_from: int | None = None
    """From this position on inputs are numbers without dimensions."""
    integers_from: int | None = None
    """From this position on inputs are whole numbers: positions, lengths, classes."""
    integer_input: int | None = None
    """The one input that is whole numbers or a truth value."""
    integer_arithmetic: bool = False
    """It moves whole numbers or computes with them: where the output is whole, so are the inputs."""
    factors: tuple[int, int] | None = None
    """Positions of the two factors of a product."""
    reduces: bool = False
    """Its output has fewer elements than its input: a sum, a maximum, the position of one."""
    hands_on: bool = False
    """Its output is all of its first input, in the same shape and order: a transfer, a copy, a check."""
    transfers: bool = False
    """It copies from the host to a device, back, or between devices."""
    rearranges: bool = False
    """Its output has entries of its first input and no others, in another shape or order."""
    views_input: bool = False
    """Output 0 is always a view of input 0."""
    overwrites: IndexMap = field(default_factory=lambda: FIRST)
    """What a form with `inplace=True` overwrites."""
    overwrite_flags: Mapping[str, tuple[int, int]] = field(default_factory=lambda: OVERWRITE_FLAGS)
    """Parameter -> the output that is made over an input, and that input (linear algebra)."""
    fills_scan_buffer: bool = False
    """It makes the buffers into which a Scan writes its recurrences."""
    part_of_input: bool = False
    """What it makes may be part of such a buffer."""
    on_either_side: bool = False
    """It runs on the host and on a device under the same name: its output lies where its input does."""
    makes_sparse: bool = False
    draws_integers: bool = False
    """A RandomVariable whose draws are whole numbers."""
    gpu: GpuLowering = NO_LOWERING


def alike(names: str | Iterable[str], gpu: GpuLowering = NO_LOWERING, **facts: Any) -> Iterator[OpInfo]:
    """One entry for each name (or each word of a string), with the same facts. Raises TypeError for a fact that OpInfo does not have."""
    for name in names.split() if isinstance(names, str) else names:
        yield OpInfo(name, gpu=gpu, **facts)
