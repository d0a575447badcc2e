"""The GPUs of this machine as NVML reports them (nvidia-ml-py, an extra)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..devices import DeviceProfile, by_name, card_of
from ..devices.measured import Calibration, with_measured
from .model import GpuSeen, NvidiaDriver


class NoNvml(Exception):
    """NVML cannot be used; the message says why."""


def find_gpu(index: int = 0, measured: Mapping[str, Calibration] | None = None) -> DeviceProfile | None:
    """The profile of GPU `index` with its measured context, if `measured` has one; None without NVML, driver or such a GPU."""
    try:
        with _nvml() as nvml:
            seen = _gpu(nvml, index)
    except NoNvml:
        return None
    base = card_of(seen.name, seen.total_bytes) or by_name(f"{seen.total_bytes}B")
    # NVML's "free" is before our context exists: the context still comes out of it.
    free = max(0, seen.free_bytes - base.context.bytes)
    capability = seen.capability or base.compute_capability
    profile = dataclasses.replace(
        base, name=seen.name, total_bytes=seen.total_bytes, free_bytes=free, compute_capability=capability, source="NVML"
    )
    return with_measured(profile, measured or {})


def all_gpus() -> tuple[NvidiaDriver, tuple[GpuSeen, ...]]:
    """The driver and all GPUs; raises `NoNvml`."""
    with _nvml() as nvml:
        cuda = int(nvml.nvmlSystemGetCudaDriverVersion_v2())
        driver = NvidiaDriver(_text(nvml.nvmlSystemGetDriverVersion()), (cuda // 1000, cuda // 10 % 100))
        return driver, tuple(_gpu(nvml, i) for i in range(int(nvml.nvmlDeviceGetCount())))


@contextmanager
def _nvml() -> Iterator[Any]:
    """Context manager: the initialised module pynvml. Raises `NoNvml`."""
    try:
        import pynvml
    except ImportError:
        raise NoNvml("nvidia-ml-py is not installed in theanodiag's environment") from None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        raise NoNvml(f"NVML: {error}") from None
    try:
        yield pynvml
    except pynvml.NVMLError as error:
        raise NoNvml(f"NVML: {error}") from None
    finally:
        pynvml.nvmlShutdown()


def _gpu(nvml: Any, index: int) -> GpuSeen:
    handle = nvml.nvmlDeviceGetHandleByIndex(index)
    name = _text(nvml.nvmlDeviceGetName(handle))
    major, minor = nvml.nvmlDeviceGetCudaComputeCapability(handle)
    return GpuSeen(name, *_memory(nvml, handle), (int(major), int(minor)))


def _memory(nvml: Any, handle: Any) -> tuple[int, int]:
    """(bytes in all, bytes free). CUDA's total lacks what is reserved for the system: 480 MiB on an H100 with driver 580."""
    try:
        memory = nvml.nvmlDeviceGetMemoryInfo(handle, version=nvml.nvmlMemory_v2)
    except (nvml.NVMLError, AttributeError, TypeError):  # a driver before 510, or a package before 11.510
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
        return int(memory.total), int(memory.free)
    return int(memory.total) - int(memory.reserved), int(memory.free)


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
