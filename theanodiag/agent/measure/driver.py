"""Counts the bytes allocated from the CUDA driver: the simulated driver reports them, a real one is wrapped by a counting library."""

import ctypes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live

SMALLEST = 4 << 20
"""libgpuarray's smallest block in bytes (0.7.6, src/gpuarray_buffer_cuda.c, BLOCK_SIZE)."""


def driver(simulated: bool) -> "Live":
    """The counters of the simulated driver, if `simulated` and it is loaded; else a meter of a real device."""
    if simulated:
        try:
            return SimulatedDriver(ctypes.CDLL("libcuda.so.1").virtual_counters)
        except (OSError, AttributeError):
            pass
    try:
        return RealDriver(ctypes.CDLL("libcuda.so").counted_requests)
    except (OSError, AttributeError):
        return RealDriver(None)


class SimulatedDriver(object):
    """Reads the counters of the simulated driver."""

    context = beside = None

    def __init__(self, counters: "Live") -> None:
        self.counters = counters
        self.row = (ctypes.c_uint64 * 8)()

    def opened(self, context: "Live", first_block: int) -> None:
        """Does nothing: the driver counts from the start."""

    def now(self, live: int) -> int:
        """Bytes currently allocated from the driver."""
        self.counters(self.row)
        return int(self.row[0])

    def peak(self, live: int) -> int:
        """Peak of the bytes allocated from the driver."""
        self.counters(self.row)
        return int(self.row[1])


class RealDriver(object):
    """A real device: the bytes that libgpuarray requested from the driver, and those that the driver took since for kernels and cuBLAS.

    `counters` is the function of the counting library (counted.c). Without it, only the decrease of free memory is known, which covers both
    and is disturbed by other users of the device.
    """

    def __init__(self, counters: "Live") -> None:
        self.counters = counters
        self.row = (ctypes.c_uint64 * 3)()
        self.device = None  # type: Live
        self.free = 0  # bytes free once the context exists and nothing is allocated
        self.most = 0
        self.context = None  # type: int | None  # bytes taken by then
        self.beside = None  # type: int | None  # peak of the bytes that the driver took for itself after that

    def opened(self, context: "Live", first_block: int) -> None:
        """Stores the free memory at this moment. OpenCL devices do not report it."""
        if self.device is not None or context.kind != b"cuda":
            return
        self.device = context
        self.free = int(context.free_gmem) + first_block
        self.context = int(context.total_gmem) - self.free

    def now(self, live: int) -> "int | None":
        """Bytes taken since the device was opened; None if it does not report free memory."""
        if self.device is None:
            return None
        gone = max(0, self.free - int(self.device.free_gmem))
        taken = self._counted(live)
        if taken is None:
            taken = gone
            self.most = max(self.most, taken)
        else:
            self.most = int(self.row[1])
            self.beside = max(self.beside or 0, gone - taken)
        return taken

    def _counted(self, live: int) -> "int | None":
        """Bytes that libgpuarray allocated from the driver; None without a counting library, or if libgpuarray loaded the driver by another
        name."""
        if self.counters is None:
            return None
        self.counters(self.row)
        return int(self.row[0]) if self.row[2] or not live else None

    def peak(self, live: int) -> "int | None":
        """Peak of the bytes taken so far."""
        return None if self.now(live) is None else self.most


def first_block(arguments: "dict[str, Live]") -> int:
    """Bytes that opening a device with these arguments preallocates."""
    size = int(arguments.get("initial_cache_size") or 0)
    return max(size, SMALLEST) if size > 0 else 0


def leave(nbytes: int) -> "str | None":
    """Allocates all free memory of the device except `nbytes`, in the context that libgpuarray uses too.

    Returns an error message; None if it worked.
    """
    cuda = ctypes.CDLL("libcuda.so.1")
    context, pointer, free, total = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_size_t(), ctypes.c_size_t()
    codes = [
        cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
        cuda.cuCtxPushCurrent_v2(context),
        cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)),
    ]
    ballast = max(0, free.value - nbytes)
    if ballast:
        codes.append(cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(ballast)))
    cuda.cuCtxPopCurrent_v2(ctypes.byref(context))
    return "the driver answered %r when %d bytes were to be left free" % (codes, nbytes) if any(codes) else None
