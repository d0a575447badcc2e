"""The few flags on which memory depends, picked out of a resolution for the simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from ..ir.shape import Unknown
from .model import FlagValue, Resolution

Text = Union[str, None, Unknown]
Number = Union[float, None, Unknown]
Switch = Union[bool, None, Unknown]


@dataclass(frozen=True)
class EffectiveFlags:
    """Values as the library would have them; None where the version has no such flag, Unknown where it refuses the value."""

    floatX: Text
    device: Text
    """None for PyTensor: it has no such flag, and runs on the CPU unless a linker of another kind is chosen."""
    force_device: Switch
    """False: a GPU that cannot be started is only logged, and the job runs on the CPU."""
    allow_gc: Switch
    """Whether intermediates are freed during a call; False too where the linker is one that ends in `nogc`."""
    scan_allow_gc: Switch
    preallocate: Number
    """`gpuarray.preallocate`: < 0 no cache, 0 < p <= 1 a share of the GPU (at most 0.95), > 1 MB."""
    cnmem: Number
    """`lib.cnmem` of Theano 0.8 and 0.9: 0 no pool, 0 < p <= 1 a share (at most 0.985), > 1 MB."""
    linker: Text
    mode: Text
    optimizer: Text


def effective(resolution: Resolution) -> EffectiveFlags:
    """Picks the flags that matter for memory."""
    linker = _text(resolution, "linker")
    allow_gc = _switch(resolution, "allow_gc")
    keeps = isinstance(linker, str) and linker.endswith("_nogc")
    return EffectiveFlags(
        floatX=_text(resolution, "floatX"),
        device=_text(resolution, "device"),
        force_device=_switch(resolution, "force_device"),
        allow_gc=False if keeps else allow_gc,
        scan_allow_gc=_switch(resolution, "scan.allow_gc"),
        preallocate=_number(resolution, "gpuarray.preallocate"),
        cnmem=_number(resolution, "lib.cnmem"),
        linker=linker,
        mode=_text(resolution, "mode"),
        optimizer=_text(resolution, "optimizer"),
    )


def _value(resolution: Resolution, dotted: str) -> FlagValue | Unknown:
    setting = resolution.get(dotted)
    return setting.value if setting else None


def _text(resolution: Resolution, dotted: str) -> Text:
    value = _value(resolution, dotted)
    return value if value is None or isinstance(value, Unknown) else str(value)


def _number(resolution: Resolution, dotted: str) -> Number:
    value = _value(resolution, dotted)
    return value if value is None or isinstance(value, Unknown) else float(value)


def _switch(resolution: Resolution, dotted: str) -> Switch:
    value = _value(resolution, dotted)
    return value if value is None or isinstance(value, Unknown) else bool(value)
