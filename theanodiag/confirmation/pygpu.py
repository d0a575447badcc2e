"""Theano on a device of libgpuarray: a CUDA GPU, OpenCL, or the simulated CUDA driver.

A preloaded library counts the buffers of libgpuarray's clients.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

from ..capture.model import InstrumentRequest
from ..devices import DeviceProfile
from ..ir import Unknown
from ..memory.settings import AddressPolicy, MemorySettings
from ..processes.interpreter import AGENT
from .model import DeviceSpec, Measured, Reserved, read
from .simulated_cuda import Libraries, VirtualDevice

INSTRUMENT = AGENT / "measure" / "calls.py"
NOT_OPENCL = "local_gpua_crossentropysoftmaxargmax1hotwithbias"
"""Name of a rewrite that is excluded on OpenCL, so that its Op stays on the host.

Its kernel declares local variables inside of a block, which OpenCL C forbids (OpenCL 1.2, 6.5.2; Theano 1.0.5, gpuarray/nnet.py,
GpuCrossentropySoftmaxArgmax1HotWithBias).
"""


@dataclass(frozen=True)
class PygpuDevice:
    """A device that libgpuarray opens; `spec.kind` is `cuda`, `opencl` or `virtual`."""

    spec: DeviceSpec
    libraries: Libraries
    """The counting library and the simulated driver."""
    flags: Mapping[str, str]
    """Flags with which Theano uses the device."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Variables set in the environment in addition to the flags."""
    leave: int | None = None
    """Bytes that stay free on a real GPU; the rest is allocated before the script runs (`--tight`). None: no limit."""

    @property
    def instrument(self) -> InstrumentRequest:
        """Requests the instrument that measures at each node and call through the preloaded library."""
        client = str(self.libraries.client)
        return InstrumentRequest(INSTRUMENT, {"meter": "client", "client": client, "nodes": True, "leave": self.leave})

    def environment(self, base: Mapping[str, str], folder: Path) -> dict[str, str]:
        """Returns `base` with the variables that preload the counting library and make the loader find the counting or simulated driver
        first. For `virtual` they also keep compiled kernels in a separate folder.
        """
        preload = ":".join(part for part in (str(self.libraries.client), base.get("LD_PRELOAD")) if part)
        env = {**base, **self.variables, "LD_PRELOAD": preload}
        first = {"virtual": self.libraries.folder, "cuda": self.libraries.counted}.get(self.spec.kind)
        if first is not None:
            env["LD_LIBRARY_PATH"] = ":".join(part for part in (str(first), base.get("LD_LIBRARY_PATH")) if part)
        if self.spec.kind == "virtual":
            # Kernels that the simulated compiler made must never reach a real device.
            kernels = f"gpuarray.cache_path={folder / 'kernels'}"
            env["THEANO_FLAGS"] = ",".join(p for p in (base.get("THEANO_FLAGS"), kernels) if p)
        return env

    def settings(self, settings: MemorySettings) -> MemorySettings:
        """Returns the settings with which the simulation behaves like this device: for `virtual` with the simulated driver's sizes and
        address policy (first fit), for other devices unchanged.
        """
        if self.spec.kind != "virtual":
            return settings
        total, free = self.spec.total_bytes, self.spec.free_bytes
        return dataclasses.replace(settings, address_policy=AddressPolicy.FIRST_FIT, total_bytes=total, free_bytes=free)

    def limited(self, nbytes: int) -> Union[PygpuDevice, Unknown]:
        """Returns the device with less free memory: a smaller simulated device, or a GPU on which an allocation leaves only `nbytes`.

        Unknown on OpenCL.
        """
        if self.spec.kind == "opencl":
            return Unknown("an OpenCL device has no limit that could be lowered")
        spec = dataclasses.replace(self.spec, free_bytes=nbytes)
        if self.spec.kind == "cuda":
            return dataclasses.replace(self, spec=spec, leave=nbytes)
        return dataclasses.replace(self, spec=spec, variables={**self.variables, "VIRTUAL_DEVICE_FREE": str(nbytes)})

    def read(self, events: Sequence[Mapping[str, object]]) -> Measured:
        """Builds the measurements from the instrument's events. On OpenCL libgpuarray has no cache, so reserved bytes are the live
        bytes.
        """
        return read(events, Reserved.LIVE if self.spec.kind == "opencl" else Reserved.TOLD)


FIRST = "cuda0"
"""Name of the only device of the simulated driver."""


def virtual(libraries: Libraries, profile: DeviceProfile, seen: Mapping[str, object]) -> PygpuDevice:
    """Returns the simulated CUDA driver as a device with the sizes of `profile`; `seen` are the flags in force in the script."""
    total, free = profile.total_bytes or 0, profile.available_bytes
    device = VirtualDevice(total, free, capability=profile.compute_capability, keep_contents=True)
    line = f"the real libgpuarray on a simulated CUDA driver of {total} bytes: sizes are true"
    spec = DeviceSpec("virtual", line, exact=True, computes=False, total_bytes=total, free_bytes=free)
    named = str(seen.get("device", ""))
    flags = {"device": named if named in ("cuda", FIRST) else FIRST, "dnn.enabled": "False", "print_active_device": "False"}
    own = {k: v for k, v in device.variables(libraries, {}).items() if k.startswith("VIRTUAL_")}
    return PygpuDevice(spec, libraries, flags, own)


def opencl(libraries: Libraries, name: str, title: str, total: int | None, seen: Mapping[str, object]) -> PygpuDevice:
    """Returns an OpenCL device, on which kernels run; `name` is its name in the flag device, `seen` the flags in force in the script."""
    line = f"OpenCL device {name} ({title}): kernels run; libgpuarray has no cache there, so reserved bytes equal live bytes"
    spec = DeviceSpec("opencl", line, exact=True, computes=True, total_bytes=total)
    before = seen.get("optimizer_excluding")
    excluded = f"{before}:{NOT_OPENCL}" if isinstance(before, str) and before else NOT_OPENCL
    flags = {"device": name, "dnn.enabled": "False", "print_active_device": "False", "optimizer_excluding": excluded}
    return PygpuDevice(spec, libraries, flags)


def cuda(libraries: Libraries, name: str, title: str, total: int | None, free: int | None) -> PygpuDevice:
    """Returns a CUDA GPU; `name` is its name in the flag device, sizes are in bytes."""
    line = f"CUDA device {name} ({title}): live bytes are libgpuarray's own figures; reserved bytes are its requests to the driver"
    spec = DeviceSpec("cuda", line, exact=True, computes=True, total_bytes=total, free_bytes=free)
    return PygpuDevice(spec, libraries, {"device": name, "print_active_device": "False"})


VARIABLES = {"theano": "THEANO_FLAGS", "theano-pymc": "THEANO_FLAGS", "aesara": "AESARA_FLAGS", "pytensor": "PYTENSOR_FLAGS"}
"""Framework -> the environment variable that holds its flags; later flags in it override earlier ones."""


def with_flags(base: Mapping[str, str], framework: str, flags: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment `base` with these flags appended to the variable from which the framework reads flags."""
    name = VARIABLES[framework]
    added = [f"{flag}={value}" for flag, value in flags.items()]
    return {**base, name: ",".join(part for part in (base.get(name, ""), *added) if part)} if added else dict(base)


def in_force(seen: Mapping[str, object], wanted: Mapping[str, str]) -> bool:
    """Returns whether all flags of `wanted` have their wanted values in `seen`, the flags in force."""
    return all(str(seen.get(name)) == value for name, value in wanted.items())
