"""The catalogue of Ops: the facts of each class of Ops, one entry a class, found by `op_info(name)`."""

from __future__ import annotations

from .registry import is_buffer, op_info
from .spec import FIRST, GpuLowering, IndexMap, OpSpec

__all__ = ["FIRST", "GpuLowering", "IndexMap", "OpSpec", "is_buffer", "op_info"]
