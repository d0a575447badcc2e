"""The catalogue of Ops: one entry a class, found by `op_info`."""

from __future__ import annotations

from .catalogue import op_info
from .model import GpuLowering, IndexMap, OpInfo

__all__ = ["GpuLowering", "IndexMap", "OpInfo", "op_info"]
