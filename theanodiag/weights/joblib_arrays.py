"""Arrays as joblib writes them: behind their object in the stream of the pickle (0.10 and later), or in files beside it (before).

Sources: joblib's `numpy_pickle.py` (NumpyArrayWrapper) and `numpy_pickle_compat.py` (NDArrayWrapper, ZNDArrayWrapper).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from .budget import Damaged
from .machine import Machine
from .objects import Array, Dtype, Record, text_of


def is_wrapper(record: Record) -> bool:
    """Whether an array follows in the stream."""
    return record.kind.name == "NumpyArrayWrapper" and "numpy_pickle" in record.kind.module


def is_beside(record: Record) -> bool:
    """Whether an array stands in another file."""
    return record.kind.name in ("NDArrayWrapper", "ZNDArrayWrapper") and "numpy_pickle" in record.kind.module


def from_stream(record: Record, machine: Machine) -> object:
    """The array whose elements follow in the stream; afterwards the machine is behind them."""
    shape, dtype, order = record.get("shape"), record.get("dtype"), record.get("order")
    if not isinstance(dtype, Dtype):
        raise Damaged("an array of joblib without its dtype")
    if dtype.objects:
        inner = Machine(machine.content, machine.at, machine.host)
        found = inner.load()
        machine.at = inner.at
        return found
    made = Array()
    made.set(b"", dtype, shape, isinstance(order, str) and order == "F")
    if record.get("numpy_array_alignment_bytes") is not None:
        machine.take(machine.number("<B"))
    size = dtype.itemsize
    if size is None:
        raise Damaged(f"an array of joblib {dtype}: where it ends is not known here", "save its numbers alone")
    made.data = machine.take(math.prod(made.shape or ()) * size)
    return made


def from_beside(record: Record, read: Callable[[str], object]) -> object:
    """The array in the file that the record names: npy, or packed bytes with the shape in the record."""
    name = text_of(record.get("filename"))
    if name is None:
        raise Damaged("an array of joblib without its file")
    found = read(name)
    if not isinstance(found, (bytes, memoryview)):
        return found
    state = record.get("state")
    if not isinstance(state, tuple) or len(state) != 4:
        raise Damaged("an array of joblib without its state")
    made = Array()
    made.set_state((*state, found))
    return made
