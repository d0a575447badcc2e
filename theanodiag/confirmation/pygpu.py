"""Theano on a device of libgpuarray: a CUDA GPU, OpenCL, or the simulated driver. A library before libgpuarray counts its buffers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

from ..devices import DeviceProfile
from ..ir import Unknown
from ..memory.settings import AddressPolicy, MemorySettings
from .base import InstrumentFile
from .flags import joined
from .model import DeviceSpec, Measured
from .reading import Reserved, read
from .simulated_cuda import Libraries, VirtualDevice

INSTRUMENT = Path(__file__).parent / "inside" / "calls.py"
NOT_OPENCL = "local_gpua_crossentropysoftmaxargmax1hotwithbias"
"""The rewrite to a kernel that declares local variables inside of a block, which OpenCL C forbids (OpenCL 1.2, 6.5.2; Theano 1.0.5,
gpuarray/nnet.py, GpuCrossentropySoftmaxArgmax1HotWithBias): the op stays on the host."""


@dataclass(frozen=True)
class PygpuDevice:
    """One of the three."""

    spec: DeviceSpec
    libraries: Libraries
    flags: Mapping[str, str]
    variables: Mapping[str, str] = field(default_factory=dict)
    """Variables of the environment beside the flags; those that are lists of paths go in front of the user's."""
    leave: int | None = None
    """Bytes that the process shall find free on a real device (`--tight`)."""

    @property
    def instrument(self) -> InstrumentFile:
        """Counts at the nodes and calls."""
        client = str(self.libraries.client)
        return InstrumentFile(INSTRUMENT, {"meter": "client", "client": client, "nodes": True, "leave": self.leave})

    def environment(self, base: Mapping[str, str], folder: Path) -> dict[str, str]:
        """The library in front; the simulated driver where that is the device."""
        preload = ":".join(part for part in (str(self.libraries.client), base.get("LD_PRELOAD")) if part)
        env = {**base, **self.variables, "LD_PRELOAD": preload}
        if self.spec.kind == "virtual":
            path = ":".join(part for part in (str(self.libraries.folder), base.get("LD_LIBRARY_PATH")) if part)
            # Kernels that the simulated compiler made must never reach a real device.
            kernels = f"gpuarray.cache_path={folder / 'kernels'}"
            env.update(LD_LIBRARY_PATH=path, THEANO_FLAGS=",".join(p for p in (base.get("THEANO_FLAGS"), kernels) if p))
        return env

    def settings(self, settings: MemorySettings) -> MemorySettings:
        """The simulated driver puts blocks at the first place that fits."""
        if self.spec.kind != "virtual":
            return settings
        total, free = self.spec.total_bytes, self.spec.free_bytes
        return dataclasses.replace(settings, address_policy=AddressPolicy.FIRST_FIT, total_bytes=total, free_bytes=free)

    def limited(self, nbytes: int) -> Union[PygpuDevice, Unknown]:
        """Less capacity on the simulated device; on a GPU the rest is taken before the script starts."""
        if self.spec.kind == "opencl":
            return Unknown("an OpenCL device has no limit that could be lowered")
        spec = dataclasses.replace(self.spec, free_bytes=nbytes)
        if self.spec.kind == "cuda":
            return dataclasses.replace(self, spec=spec, leave=nbytes)
        return dataclasses.replace(self, spec=spec, variables={**self.variables, "VIRTUAL_DEVICE_FREE": str(nbytes)})

    def read(self, events: Sequence[Mapping[str, object]]) -> Measured:
        """On OpenCL every buffer is the driver's own: what is live is what is taken."""
        return read(events, Reserved.LIVE if self.spec.kind == "opencl" else Reserved.TOLD)


def virtual(libraries: Libraries, profile: DeviceProfile, seen: Mapping[str, object]) -> PygpuDevice:
    """The simulated driver for a device that need not exist; `seen`: the flags in force in the script."""
    total, free = profile.total_bytes or 0, profile.available_bytes
    device = VirtualDevice(total, free, capability=profile.compute_capability, keep_contents=True)
    line = f"the real libgpuarray on a simulated CUDA driver of {total} bytes: sizes are true"
    spec = DeviceSpec("virtual", line, exact=True, computes=False, total_bytes=total, free_bytes=free)
    named = str(seen.get("device", ""))
    flags = {"device": named if named.startswith("cuda") else "cuda0", "dnn.enabled": "False", "print_active_device": "False"}
    own = {k: v for k, v in device.variables(libraries, {}).items() if k.startswith("VIRTUAL_")}
    return PygpuDevice(spec, libraries, flags, own)


def opencl(libraries: Libraries, name: str, title: str, total: int | None, seen: Mapping[str, object]) -> PygpuDevice:
    """An OpenCL device, with real kernels and real numbers."""
    line = f"OpenCL device {name} ({title}): kernels run; libgpuarray has no cache there, so that what is reserved is what is live"
    spec = DeviceSpec("opencl", line, exact=True, computes=True, total_bytes=total)
    excluded = joined(seen, "optimizer_excluding", NOT_OPENCL)
    flags = {"device": name, "dnn.enabled": "False", "print_active_device": "False", "optimizer_excluding": excluded}
    return PygpuDevice(spec, libraries, flags)


def cuda(libraries: Libraries, name: str, title: str, total: int | None, free: int | None) -> PygpuDevice:
    """A CUDA GPU."""
    line = f"CUDA device {name} ({title}): live bytes are libgpuarray's own; what is reserved is what the driver says has gone"
    spec = DeviceSpec("cuda", line, exact=True, computes=True, total_bytes=total, free_bytes=free)
    return PygpuDevice(spec, libraries, {"device": name, "print_active_device": "False"})
