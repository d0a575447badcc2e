"""Meters: `ClientMeter` reads libgpuarray's own counters; `HostMeter` walks the storage cells of all functions and shared variables and
adds up each host buffer once; `driver` counts the bytes allocated from the CUDA driver, which the simulated one reports, while a real one
is wrapped by a counting library; `resident` and `on_gpu` ask the operating system and NVML about this process.
"""

import ctypes
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .. import Live

    Parts = dict[int, list[tuple[int, int, int]]]


def status(name: str) -> "int | None":
    """Reads a size from /proc/self/status; in bytes, None if it is missing (Linux only)."""
    try:
        with open("/proc/self/status") as file:
            for line in file:
                if line.startswith(name + ":"):
                    return int(line.split()[1]) * 1024
    except (IOError, OSError, ValueError, IndexError):
        pass
    return None


def resident() -> "int | None":
    """Returns the peak of the process's resident memory in bytes."""
    return status("VmHWM")


def reset_peak() -> "int | None":
    """Resets the peak that `resident` reports to the resident bytes, and returns them; None if the system cannot (Linux: proc(5),
    clear_refs).
    """
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except (IOError, OSError):
        return None
    return status("VmRSS")


def on_gpu() -> "int | None":
    """Returns the bytes that this process uses on all GPUs, contexts included, according to NVML (needs nvidia-ml-py); None if unknown."""
    try:
        import pynvml

        pynvml.nvmlInit()
        sizes = []  # type: list[int]
        for number in range(pynvml.nvmlDeviceGetCount()):
            rows = pynvml.nvmlDeviceGetComputeRunningProcesses(pynvml.nvmlDeviceGetHandleByIndex(number))
            sizes.extend(row.usedGpuMemory for row in rows if row.pid == os.getpid() and row.usedGpuMemory is not None)
        return int(sum(sizes)) if sizes else None
    except Exception:
        return None


SMALLEST = 4 << 20
"""libgpuarray's smallest block in bytes (0.7.6, src/gpuarray_buffer_cuda.c, BLOCK_SIZE)."""


def driver(simulated: bool) -> "Live":
    """Returns the meter for the driver: the counters of the simulated driver, if `simulated` is true and it is loaded; else a
    RealDriver.
    """
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
        """Does nothing: the simulated driver counts from its start."""

    def now(self, live: int) -> int:
        """Returns the bytes currently allocated from the driver."""
        self.counters(self.row)
        return int(self.row[0])

    def peak(self, live: int) -> int:
        """Returns the peak of the bytes allocated from the driver."""
        self.counters(self.row)
        return int(self.row[1])


class RealDriver(object):
    """A real device: counts the bytes that libgpuarray requested from the driver, and the bytes that the driver took since then for kernels
    and cuBLAS.

    `counters` is the function of the counting library (counted.c). Without it, only the decrease of free memory is known, which covers both
    and also changes with other users of the device.
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
        """Records the free memory when a device was opened. OpenCL devices do not report it."""
        if self.device is not None or context.kind != b"cuda":
            return
        self.device = context
        self.free = int(context.free_gmem) + first_block
        self.context = int(context.total_gmem) - self.free

    def now(self, live: int) -> "int | None":
        """Returns the bytes taken since the device was opened; None if it does not report free memory."""
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
        """Returns the peak of the bytes taken so far."""
        return None if self.now(live) is None else self.most


def first_block(arguments: "dict[str, Live]") -> int:
    """Returns the bytes that libgpuarray preallocates if it opens a device with these arguments."""
    size = int(arguments.get("initial_cache_size") or 0)
    return max(size, SMALLEST) if size > 0 else 0


def leave(nbytes: int) -> "str | None":
    """Allocates all free memory of the device except `nbytes`, in the context that libgpuarray also uses.

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
    return "the driver reported %r when all but %d bytes were to be allocated" % (codes, nbytes) if any(codes) else None


class MemoryReading(object):
    """The figures of a meter at one moment, in bytes."""

    def __init__(self, live: int, high: int, reserved: "int | None", copied: "int | None") -> None:
        self.live = live
        self.high = high  # peak of live bytes since the last measurement
        self.reserved = reserved  # allocated from the driver; None if unknown
        self.copied = copied  # from the host to the device since the start; None if not counted


class ClientMeter(object):
    """Measures the live bytes of libgpuarray's clients; a buffer with several views counts once."""

    between = True
    """Whether peaks between two measurements are known."""

    def __init__(self, library: str, simulated: bool = True) -> None:
        self.client = ctypes.CDLL(library)
        self.since = self.client.client_since
        self.row = (ctypes.c_uint64 * 5)()
        self.reserved = driver(simulated)

    def look(self) -> MemoryReading:
        """Measures now; also returns the peak since the last measurement."""
        self.since(self.row)
        live, high, copied = self.row[0], self.row[1], self.row[2]
        return MemoryReading(int(live), int(high), self.reserved.now(int(live)), int(copied))

    def begin_call(self, own: "list[Live]", arguments: "Sequence[Live]" = ()) -> None:
        """Does nothing: libgpuarray's buffers are counted all the time."""

    def begin_node(self) -> int:
        """Resets the peak before a node runs. Returns the peak since the last measurement."""
        self.since(self.row)
        return int(self.row[1])

    def end_node(self, own: "list[Live]") -> MemoryReading:
        """Measures after a node has run."""
        return self.look()

    def opened(self, context: "Live", first_block: int) -> None:
        """Records that libgpuarray opened a device and preallocated `first_block` bytes."""
        self.reserved.opened(context, first_block)

    def totals(self) -> "dict[str, int | None]":
        """Returns the peaks of live and reserved bytes since the start, the bytes of the context, and the bytes that the driver took for
        itself.
        """
        row = (ctypes.c_uint64 * 5)()
        self.client.virtual_client_counters(row)
        most = self.reserved.peak(int(row[1]))
        return {"peak": int(row[1]), "reserved_peak": most, "context": self.reserved.context, "beside": self.reserved.beside}

    def refused(self) -> "tuple[int, int]":
        """Returns the number of refused requests so far, and the bytes of the last one."""
        self.since(self.row)
        return int(self.row[3]), int(self.row[4])


def buffer_of(value: "Live", given: "Parts | None" = None) -> "tuple[int, int] | None":
    """Returns (address, bytes) of the memory that an array uses; None for other values, including numpy scalars.

    If the script passed a part of a larger array as an argument, `given` lists that part: the rest belongs to the script and is not
    counted.
    """
    if not is_array(value):
        return None
    root = root_of(value)
    for low, high, nbytes in (given or {}).get(address(root), ()):
        if low <= lowest(value) and highest(value) <= high:
            return low, nbytes
    return address(root), int(root.nbytes)


def root_of(value: "Live") -> "Live":
    """Returns the array that owns the memory of `value`, which may be a view."""
    while is_array(getattr(value, "base", None)):
        value = value.base
    return value


def address(value: "Live") -> int:
    """Returns the address of the first element of an array."""
    return int(value.__array_interface__["data"][0])


def lowest(value: "Live") -> int:
    """Returns the lowest address of an array's elements (strides may be negative)."""
    return address(value) + int(sum(min(0, s * (n - 1)) for s, n in zip(value.strides, value.shape)))


def highest(value: "Live") -> int:
    """Returns the address after the highest element of an array."""
    return address(value) + int(sum(max(0, s * (n - 1)) for s, n in zip(value.strides, value.shape)) + value.itemsize)


def parts_of(arguments: "Iterable[Live]", others: "Iterable[Live]") -> "Parts":
    """Returns the arguments that are parts of larger arrays which no cell in `others` holds.

    Returns address of the larger array -> [(lowest address, address after the highest element, bytes) of each part].
    """
    held = set(address(cell[0]) for cell in others if is_array(cell[0]))
    parts = {}  # type: Parts
    for cell in arguments:
        value = cell[0]
        root = root_of(value) if is_array(value) else value
        if root is not value and address(root) not in held:
            parts.setdefault(address(root), []).append((lowest(value), highest(value), int(value.nbytes)))
    return parts


def is_array(value: "Live") -> bool:
    """Returns whether a value is a numpy array."""
    return hasattr(type(value), "__array_interface__") and hasattr(type(value), "ctypes")


def total(cells: "Iterable[Live]", given: "Parts | None" = None) -> "dict[int, int]":
    """Returns a mapping: address -> bytes of the buffers in the storage cells."""
    sizes = {}  # type: dict[int, int]
    for cell in cells:
        buffer = None if cell[0] is None else buffer_of(cell[0], given)
        if buffer is not None and buffer[1] > sizes.get(buffer[0], 0):
            sizes[buffer[0]] = buffer[1]
    return sizes


class HostMeter(object):
    """Measures the live bytes of host arrays. `everything` is a function that returns the storage cells of all functions and shared
    variables, without constants.

    The bytes are measured only when a node ends (`between`). If a function does not run its nodes one by one, its peak is therefore
    unknown.
    """

    between = False
    """Whether peaks between two measurements are known."""

    def __init__(self, everything: "Callable[[], list[Live]]") -> None:
        self.everything = everything
        self.given = {}  # type: Parts
        self.elsewhere = {}  # type: dict[int, int]  # buffers that the running function's cells do not hold
        self.high = self.most = 0

    def look(self) -> MemoryReading:
        """Measures now; also returns the peak since the last measurement."""
        live = sum(total(self.everything(), self.given).values())
        high, self.high = max(self.high, live), live
        self.most = max(self.most, high)
        return MemoryReading(live, high, None, None)

    def begin_call(self, own: "list[Live]", arguments: "Sequence[Live]" = ()) -> None:
        """Prepares for a call of a function with the cells `own`, among them the script's `arguments`: adds up the buffers in all other
        cells, which the call does not change.
        """
        cells, passed = set(map(id, own)), set(map(id, arguments))
        self.given = parts_of(arguments, (c for c in self.everything() if id(c) not in passed))
        self.elsewhere = total((c for c in self.everything() if id(c) not in cells), self.given)

    def begin_node(self) -> int:
        """Does nothing: nothing is allocated between two nodes."""
        return 0

    def end_node(self, own: "list[Live]") -> MemoryReading:
        """Measures the live bytes after a node has run; `own` are the storage cells of the node's function."""
        sizes = total(own, self.given)
        live = sum(sizes.values()) + sum(n for address, n in self.elsewhere.items() if address not in sizes)
        self.high = max(self.high, live)
        return MemoryReading(live, live, None, None)

    def totals(self) -> "dict[str, int | None]":
        """Returns the peak of live bytes since the start."""
        return {"peak": self.most}

    def refused(self) -> "tuple[int, int]":
        """Returns (0, 0): on the host, a refused request raises MemoryError."""
        return 0, 0
