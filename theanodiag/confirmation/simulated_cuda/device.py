"""The simulated device's settings, as the environment of a process that is to use it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...memory.settings import AddressPolicy
from ...units import GIB
from .build import Libraries

THEANO_FLAGS = "device=cuda0,floatX=float32,blas.ldflags=,dnn.enabled=False"
"""Flags that make Theano use the simulated device: no BLAS on the host is needed to compile, and cuDNN is not simulated."""


@dataclass(frozen=True)
class VirtualDevice:
    """The properties of the simulated device; sizes in bytes."""

    total_bytes: int = 4 * GIB
    free_bytes: int | None = None
    """Bytes free once a context exists; None: `total_bytes` less 300 MiB."""
    policy: AddressPolicy = AddressPolicy.FIRST_FIT
    """Where the driver places a new block."""
    keep_contents: bool = True
    """Whether large arrays keep what was copied to them; if not, copies cost no time."""
    trace: Path | None = None
    """File to which every request is appended; None: no trace."""
    capability: tuple[int, int] | None = None
    """CUDA compute capability; None: 6.1."""

    def environment(self, libraries: Libraries, base: Mapping[str, str], flags: str = "") -> dict[str, str]:
        """`base` with the variables and Theano's flags that make a process use the device; `flags` are appended to `THEANO_FLAGS`."""
        return {**self.variables(libraries, base), "THEANO_FLAGS": ",".join(part for part in (THEANO_FLAGS, flags) if part)}

    def variables(self, libraries: Libraries, base: Mapping[str, str]) -> dict[str, str]:
        """`base` with the variables that make a process use the device, without flags of Theano."""
        settings = {
            "VIRTUAL_DEVICE_TOTAL": str(self.total_bytes),
            "VIRTUAL_DEVICE_ADDRESSES": self.policy.value,
            "VIRTUAL_DEVICE_NOCOPY": str(int(not self.keep_contents)),
            "LD_LIBRARY_PATH": _front(str(libraries.folder), base.get("LD_LIBRARY_PATH")),
            "LD_PRELOAD": _front(str(libraries.client), base.get("LD_PRELOAD")),
        }
        if self.free_bytes is not None:
            settings["VIRTUAL_DEVICE_FREE"] = str(self.free_bytes)
        if self.trace is not None:
            settings["VIRTUAL_DEVICE_TRACE"] = str(self.trace)
        if self.capability is not None:
            settings["VIRTUAL_DEVICE_CC"] = f"{self.capability[0]}{self.capability[1]}"
        return {**base, **settings}


def _front(path: str, others: str | None) -> str:
    return os.pathsep.join(part for part in (path, others) if part)
