"""The GPU of this machine as NVML describes it (nvidia-ml-py, an extra)."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..devices import CARDS, DeviceProfile, by_name


def find_gpu(index: int = 0) -> DeviceProfile | None:
    """The profile of GPU `index`; None where there is no NVML, no driver or no such GPU."""
    try:
        import pynvml
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return None
    try:
        return _profile(pynvml, index)
    except pynvml.NVMLError:
        return None
    finally:
        pynvml.nvmlShutdown()


def _profile(nvml: Any, index: int) -> DeviceProfile:
    handle = nvml.nvmlDeviceGetHandleByIndex(index)
    memory, name = nvml.nvmlDeviceGetMemoryInfo(handle), nvml.nvmlDeviceGetName(handle)
    text = name.decode() if isinstance(name, bytes) else str(name)
    known = [card for card in CARDS.values() if card.name.split(" (")[0].lower() in text.lower()]
    base = known[0] if known else by_name(str(memory.total))
    # NVML's "free" is before our context exists: the context still comes out of it.
    free = max(0, int(memory.free) - base.context.bytes)
    return dataclasses.replace(base, name=text, total_bytes=int(memory.total), free_bytes=free, source="NVML")
