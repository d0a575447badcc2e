"""Measures a device driver's own memory: `python overhead.py DEVICE` prints MARK and a JSON object. Needs pygpu.

Free memory is read after the context was opened, after one BLAS product, and after cuDNN created a handle; the allocation cache is off, so
that arrays return their memory. The memory of other processes is NVML's figure before the start; without NVML the device is assumed to be
empty, and the answer says so.
"""

import ctypes
import json
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live

MARK = "theanodiag-probe "
"""Marks the line of the output that has the answer."""
CUDNN = ("libcudnn.so", "libcudnn.so.9", "libcudnn.so.8", "libcudnn.so.7")
"""File names of cuDNN that are tried, in this order."""


class MemoryInfo(ctypes.Structure):
    """nvmlMemory_v2_t (nvml.h); `used` excludes memory reserved for the system, which is missing from CUDA's total too."""

    _fields_ = [("version", ctypes.c_uint)] + [(n, ctypes.c_ulonglong) for n in ("total", "reserved", "free", "used")]


class OldMemoryInfo(ctypes.Structure):
    """nvmlMemory_t (nvml.h), for drivers before 510; `used` may include memory reserved for the system."""

    _fields_ = [(n, ctypes.c_ulonglong) for n in ("total", "free", "used")]


def used_before(index: int) -> "int | None":
    """Returns the bytes in use on GPU `index` before our context was opened, according to NVML; None if there is no NVML."""
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    handle = ctypes.c_void_p()
    if nvml.nvmlInit_v2() or nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)):
        return None
    info = MemoryInfo(ctypes.sizeof(MemoryInfo) | 2 << 24)  # type: Live
    ask = getattr(nvml, "nvmlDeviceGetMemoryInfo_v2", None)
    failed = ask is None or ask(handle, ctypes.byref(info))
    if failed:
        info = OldMemoryInfo()
        failed = nvml.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(info))
    nvml.nvmlShutdown()
    return None if failed else int(info.used)


def multiply(context: "Live") -> None:
    """Computes a small product, so that BLAS creates its handle."""
    import pygpu
    from pygpu import blas

    a, x, y = (pygpu.zeros(shape, "float32", context=context) for shape in ((4, 4), (4,), (4,)))
    blas.gemv(1.0, a, x, 0.0, y)
    y.sync()


def open_cudnn() -> bool:
    """Creates a cuDNN handle in the device's context, kept until the process ends. Returns whether that worked."""
    for name in CUDNN:
        try:
            cudnn, cuda = ctypes.CDLL(name), ctypes.CDLL("libcuda.so.1")
        except OSError:
            continue
        context, handle = ctypes.c_void_p(), ctypes.c_void_p()
        ready = not cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) and not cuda.cuCtxPushCurrent_v2(context)
        return ready and not cudnn.cudnnCreate(ctypes.byref(handle))
    return False


def measure(name: str) -> "dict[str, object]":
    """Measures the bytes that context, BLAS and cuDNN take on the device `name`, such as `cuda0`."""
    from pygpu import gpuarray

    index = int(name[4:] or 0)
    before = used_before(index)
    context = gpuarray.init(name, max_cache_size=0)
    free = [int(context.free_gmem)]
    multiply(context)
    free.append(int(context.free_gmem))
    cudnn = open_cudnn()
    free.append(int(context.free_gmem))
    return {
        "name": context.devname.decode("utf-8", "replace").strip("\0 ") if isinstance(context.devname, bytes) else context.devname,
        "context": max(0, int(context.total_gmem) - free[0] - (before or 0)),
        "blas": max(0, free[0] - free[1]),
        "cudnn": max(0, free[1] - free[2]) if cudnn else None,
        "empty": before is None,
    }


def main(argv: "list[str]") -> None:
    """Prints the figures, or the exception, as JSON."""
    try:
        answer = measure(argv[0])
    except Exception as error:
        message = error.args[0] if error.args else error
        answer = {"error": message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)}
    sys.stdout.write("\n" + MARK + json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
