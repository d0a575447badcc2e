"""The catalogue of Ops: the facts of each class of Ops, one entry a class, found by `op_info(name)`."""

from __future__ import annotations

from .catalogue import op_info
from .model import FIRST, GpuLowering, IndexMap, OpInfo

__all__ = ["FIRST", "GpuLowering", "IndexMap", "OpInfo", "op_info"]
