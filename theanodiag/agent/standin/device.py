"""The simulated GPU's properties; makes the simulated `pygpu` importable, and checks whether an installed pygpu finds a real device."""

import importlib
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live


CAPABILITY = (6, 1)
"""Compute capability where none was given: Pascal, for which Theano 1.0 was tuned.

Graphs depend on it below 3.0 (no cuDNN) and, in Theano 0.9, below 2.0.
"""
CUDNN = 7605
"""The version of cuDNN where the script insists on one: the last cuDNN 7, the newest that Theano 1.0.5 knows (theano/gpuarray/dnn.py:
_dnn_check_version).
"""


class DeviceRequest(object):
    """The GPU to simulate, from the `gpu` object of the options; sizes in bytes."""

    def __init__(self, data: "dict[str, Live]") -> None:
        self.name = str(data.get("name") or "stand-in")
        self.total_bytes = int(data["total_bytes"])
        free = data.get("free_bytes")
        self.free_bytes = self.total_bytes if free is None else int(free)
        self.capability = tuple(data.get("capability") or CAPABILITY)  # type: Live
        self.cudnn = data.get("cudnn")  # type: int | None  # version; None: no cuDNN, unless the script's flags require it


FOLDER = os.path.dirname(os.path.abspath(__file__))
"""The folder that holds the stand-in's package `pygpu`."""


def has_device(kind: str) -> bool:
    """Whether an installed pygpu finds a device of this kind, `cuda` or `opencl`."""
    try:
        return bool(importlib.import_module("pygpu.gpuarray").count_devices(kind, 0))
    except Exception:  # no pygpu, no libgpuarray, no driver: each fails in its own way
        return False


def forget() -> None:
    """Removes pygpu, or the rest of a failed import of it, from sys.modules."""
    for name in list(sys.modules):
        if name == "pygpu" or name.startswith("pygpu."):
            del sys.modules[name]


def load(request: DeviceRequest) -> "Live":
    """Imports the simulated package as `pygpu` and sets its device. Writes no bytecode files."""
    forget()
    keep, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, FOLDER)
    try:
        module = importlib.import_module("pygpu")
    finally:
        sys.path.remove(FOLDER)
        sys.dont_write_bytecode = keep
    context = sys.modules["pygpu.context"]
    context.chosen[0] = context.Device(request.name, request.total_bytes, request.free_bytes, request.capability)
    return module
