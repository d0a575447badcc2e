"""The settings of a simulation, from the flags of the framework that ran the script."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ..devices import DeviceProfile
from ..memory.script import Script
from ..memory.settings import AllocatorKind, MemorySettings
from ..memory.simulate import on_device

WITHOUT_GPU = ("aesara", "pytensor")
"""Frameworks that have no libgpuarray back-end in any release."""


def settings_for(script: Script, device: DeviceProfile) -> MemorySettings:
    """The settings to simulate `script` on `device` as Theano's own back-ends run it."""
    flags, host = script.flags, device.is_host
    return MemorySettings(
        allocator=_allocator(script, host),
        preallocate=_number(flags, "gpuarray.preallocate"),
        cnmem=_number(flags, "lib.cnmem"),
        allow_gc=bool(flags.get("allow_gc", True)),
        scan_allow_gc=bool(flags.get("scan.allow_gc", flags.get("scan__allow_gc", False))),
        total_bytes=device.total_bytes,
        free_bytes=device.available_bytes,
        lift=not host and not has_device_graph(script),
        hypothetical=script.framework in WITHOUT_GPU,
    )


def _allocator(script: Script, host: bool) -> AllocatorKind:
    flags = script.flags
    device = str(flags.get("device", "cpu"))
    if host or any(f.in_one_piece for f in script.functions):
        return AllocatorKind.DIRECT
    if device.startswith("opencl"):
        return AllocatorKind.OPENCL
    if device.startswith("gpu"):
        return AllocatorKind.CNMEM if _number(flags, "lib.cnmem") > 0 else AllocatorKind.DIRECT
    return AllocatorKind.GPUARRAY


def _number(flags: Mapping[str, object], name: str) -> float:
    value = flags.get(name, 0.0)
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else 0.0


def has_device_graph(script: Script) -> bool:
    """Whether the framework itself placed any variable or node on a device."""
    return any(v.type.kind.on_device for v in script.shared.values()) or on_device(script)
