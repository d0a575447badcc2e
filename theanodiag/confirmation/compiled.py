"""Devices behind compilers: PyTensor or Aesara on JAX, and PyTensor on torch, which compile a whole function and have allocators of their
own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

from ..ir import Unknown
from ..memory.settings import MemorySettings
from ..units import format_bytes
from .base import InstrumentFile
from .compiled_reading import read_jax, read_torch
from .model import DeviceSpec, Measured

INSIDE = Path(__file__).parent / "inside"
JAX_LINE = "JAX on {title}: XLA's own assignment of buffers, made before the run, is the estimate"
TORCH_LINE = "torch on {title}: no estimate is made before the run"
NOT_COUNTED = "; on the CPU only arguments, results and the growth of the process are measured"
POOL = 0.75
"""The share of a GPU that XLA takes unless it is told otherwise (XLA_CLIENT_MEM_FRACTION)."""


@dataclass(frozen=True)
class CompiledDevice:
    """JAX's or torch's device: a GPU or the CPU."""

    spec: DeviceSpec
    flags: Mapping[str, str]
    """Flags that select the mode."""
    program: Path
    """Path of the instrument."""
    reader: Callable[[Sequence[Mapping[str, object]]], Measured]
    """Parses the instrument's events."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Variables added to the environment."""
    fraction: float | None = None
    """The share of the device that may be used (`--tight`); None: no limit."""

    @property
    def instrument(self) -> InstrumentFile:
        """The instrument that measures around each compiled function."""
        return InstrumentFile(self.program, {"fraction": self.fraction})

    def environment(self, base: Mapping[str, str], folder: Path) -> dict[str, str]:
        """`base` with the limit, if there is one.

        Python's warnings are off: compilers warn about dtypes and asserts that are not the script's.
        """
        return {"PYTHONWARNINGS": "ignore", **base, **self.variables}

    def settings(self, settings: MemorySettings) -> MemorySettings:
        """The settings unchanged: the simulation runs nodes one by one and is not compared with a compiled function."""
        return settings

    def limited(self, nbytes: int) -> Union[CompiledDevice, Unknown]:
        """The device limited to the share of the GPU that holds `nbytes`; Unknown on the CPU, which has no pool."""
        total = self.spec.total_bytes
        if total is None:
            return Unknown(f"{self.spec.kind} takes host memory here, and has no pool whose size could be set")
        fraction = min(1.0, nbytes / total)
        # XLA reads either name, the newer one first (jaxlib, xla_bridge.py); without its pool it would take what it wants.
        limit = {"XLA_CLIENT_MEM_FRACTION": f"{fraction:.6f}", "XLA_PYTHON_CLIENT_MEM_FRACTION": f"{fraction:.6f}"}
        limit["XLA_PYTHON_CLIENT_PREALLOCATE"] = "true"
        spec = dataclasses.replace(self.spec, free_bytes=nbytes)
        more = limit if self.spec.kind == "jax" else {}
        return dataclasses.replace(self, spec=spec, fraction=fraction, variables={**self.variables, **more})

    def read(self, events: Sequence[Mapping[str, object]]) -> Measured:
        """Parses the instrument's events."""
        return self.reader(events)


def jax(title: str, total: int | None) -> CompiledDevice:
    """The device of mode JAX; `total` is the memory of a GPU in bytes, None for the CPU."""
    return CompiledDevice(_spec("jax", JAX_LINE, title, total), {"mode": "JAX"}, INSIDE / "jax_calls.py", read_jax)


def torch(title: str, total: int | None) -> CompiledDevice:
    """The device of mode PYTORCH; `total` is the memory of a GPU in bytes, None for the CPU."""
    return CompiledDevice(_spec("torch", TORCH_LINE, title, total), {"mode": "PYTORCH"}, INSIDE / "torch_calls.py", read_torch)


def _spec(kind: str, line: str, title: str, total: int | None) -> DeviceSpec:
    what = title if total is None else f"{title}, {format_bytes(total)}"
    said = line.format(title=what) + (NOT_COUNTED if total is None else "")
    return DeviceSpec(kind, said, exact=False, computes=True, total_bytes=total)
