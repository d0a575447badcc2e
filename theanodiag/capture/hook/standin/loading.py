"""Makes `pygpu` importable as the stand-in, and checks whether an installed pygpu sees a device."""

import importlib
import os
import sys

from .device_request import DeviceRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live

FOLDER = os.path.dirname(os.path.abspath(__file__))
"""The folder that holds the stand-in's package `pygpu`."""


def has_device(kind: str) -> bool:
    """Whether the interpreter has an installed pygpu that sees a device of this kind, `cuda` or `opencl`."""
    try:
        return bool(importlib.import_module("pygpu.gpuarray").count_devices(kind, 0))
    except Exception:  # no pygpu, no libgpuarray, no driver: each fails in its own way
        return False


def forget() -> None:
    """Removes an imported pygpu, or what is left of a failed import, from sys.modules."""
    for name in list(sys.modules):
        if name == "pygpu" or name.startswith("pygpu."):
            del sys.modules[name]


def load(request: DeviceRequest) -> "Live":
    """Imports the stand-in as `pygpu` and sets its device; writes no bytecode beside our files."""
    forget()
    keep, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, FOLDER)
    try:
        module = importlib.import_module("pygpu")
    finally:
        sys.path.remove(FOLDER)
        sys.dont_write_bytecode = keep
    device = sys.modules["pygpu.device"]
    device.chosen[0] = device.Device(request.name, request.total_bytes, request.free_bytes, request.capability)
    return module
