"""How much was taken from the driver: the simulated one counts, a real one is asked for what is free."""

import ctypes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import Live

SMALLEST = 4 << 20
"""libgpuarray's smallest block (0.7.6, src/gpuarray_buffer_cuda.c, BLOCK_SIZE)."""


def driver(told: bool) -> "Live":
    """The simulated driver's counters, if that is what there is and it may tell; else the device is asked."""
    try:
        return Simulated(ctypes.CDLL("libcuda.so.1").virtual_counters) if told else FreeMemoryMeter()
    except (OSError, AttributeError):
        return FreeMemoryMeter()


class Simulated(object):
    """The simulated driver's own counters."""

    context = None

    def __init__(self, counters: "Live") -> None:
        self.counters = counters
        self.row = (ctypes.c_uint64 * 8)()

    def opened(self, context: "Live", first_block: int) -> None:
        """It counts from the start."""

    def now(self, live: int) -> int:
        """Bytes taken from it."""
        self.counters(self.row)
        return int(self.row[0])

    def peak(self, live: int) -> int:
        """The most that was ever taken."""
        self.counters(self.row)
        return int(self.row[1])


class FreeMemoryMeter(object):
    """A real device: what was free when it was opened, less what is free now. Others who use it disturb that."""

    def __init__(self) -> None:
        self.device = None  # type: Live
        self.free = 0  # once the context exists and nothing is taken
        self.most = 0
        self.context = None  # type: int | None  # what was gone by then

    def opened(self, context: "Live", first_block: int) -> None:
        """Counts from here; OpenCL does not tell what is free."""
        if self.device is not None or context.kind != b"cuda":
            return
        self.device = context
        self.free = int(context.free_gmem) + first_block
        self.context = int(context.total_gmem) - self.free

    def now(self, live: int) -> "int | None":
        """Bytes taken since it was opened; None where it does not tell."""
        if self.device is None:
            return None
        taken = max(0, self.free - int(self.device.free_gmem))
        self.most = max(self.most, taken)
        return taken

    def peak(self, live: int) -> "int | None":
        """The most that was seen."""
        return None if self.now(live) is None else self.most


def first_block(arguments: "dict[str, Live]") -> int:
    """What opening a device with these arguments takes at once."""
    asked = int(arguments.get("initial_cache_size") or 0)
    return max(asked, SMALLEST) if asked > 0 else 0


def leave(nbytes: int) -> "str | None":
    """Takes all of the device but `nbytes`, in the context that libgpuarray uses too; why not, where that fails."""
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
