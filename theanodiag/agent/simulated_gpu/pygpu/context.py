"""Contexts and exceptions as in pygpu/gpuarray.pyx 0.7.6: GpuContext, GpuArrayException, init, pygpu_init.

The simulated card is set once, before the first context is opened.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ... import Live


class Device(object):
    """Properties of the simulated card: name, sizes in bytes, and compute capability, which determines whether cuDNN is supported."""

    def __init__(self, name: str, total_bytes: int, free_bytes: int, capability: "tuple[int, int]") -> None:
        self.name = name
        self.total_bytes = total_bytes
        self.free_bytes = free_bytes
        self.capability = capability

    @property
    def bin_id(self) -> bytes:
        """The name of the architecture, such as b"compute_61", from the compute capability (libgpuarray 0.7.6
        src/gpuarray_buffer_cuda.c)."""
        return ("compute_%d%d" % self.capability).encode("ascii")


GIB = 1 << 30
chosen = [Device("stand-in", 4 * GIB, 4 * GIB, (6, 1))]
"""Its only element is the card in use."""


class GpuArrayException(Exception):
    """Base class of the exceptions of libgpuarray."""


class UnsupportedException(GpuArrayException):
    """Raised if the device does not support an operation."""


class GpuContext(object):
    """An opened device. Its grid and block limits hold for every CUDA card of compute capability 3.0 or newer."""

    maxlsize0 = maxlsize1 = 1024
    maxlsize2 = 64
    maxgsize0 = 2**31 - 1
    maxgsize1 = maxgsize2 = 65535
    lmemsize = 49152
    numprocs = 20
    cudnn_handle = None

    def __init__(self, kind: bytes) -> None:
        self.kind = kind
        self.device = chosen[0]
        self.devname = self.device.name
        self.unique_id = self.pcibusid = "0000:00:00.0"
        self.ptr = id(self)

    @property
    def total_gmem(self) -> int:
        """Total memory of the device in bytes."""
        return self.device.total_bytes

    @property
    def free_gmem(self) -> int:
        """Free memory of the device in bytes."""
        return self.device.free_bytes

    @property
    def largest_memblock(self) -> int:
        """The largest buffer that can be allocated, in bytes."""
        return self.device.free_bytes

    @property
    def bin_id(self) -> bytes:
        """The architecture for which kernels are compiled, such as b"compute_61"; raises UnsupportedException on OpenCL."""
        if self.kind != b"cuda":
            raise UnsupportedException("bin_id")
        return self.device.bin_id

    def __enter__(self) -> "GpuContext":
        return self

    def __exit__(self, *exception: object) -> None:
        return None

    def __reduce__(self) -> "Live":
        raise RuntimeError("Cannot pickle GpuContext object")


def init(dev: str, *args: object, **kwargs: object) -> GpuContext:
    """Opens device `dev`: `cuda`, `cudaN` or `openclN:M`; other arguments are ignored. Raises ValueError for other names."""
    if dev.startswith("cuda"):
        if dev[4:]:
            int(dev[4:])
        return GpuContext(b"cuda")
    if not dev.startswith("opencl"):
        raise ValueError("Unknown device format:" + dev)
    parts = dev[6:].split(":")
    if len(parts) < 2 or not all(part.isdigit() for part in parts[:2]):
        raise ValueError("OpenCL name incorrect. Should be opencl<int>:<int> instead got: " + dev)
    return GpuContext(b"opencl")


def count_platforms(kind: "str | bytes") -> int:
    """The number of platforms of a kind: always 1."""
    return 1


def count_devices(kind: "str | bytes", platform: int) -> int:
    """The number of devices of a platform: always 1."""
    return 1


default = [None]  # type: list[GpuContext | None]
"""Its only element is the default context."""


def set_default_context(context: "GpuContext | None") -> None:
    """Sets the context used for arrays created without one."""
    default[0] = context


def get_default_context() -> "GpuContext | None":
    """The context used for arrays created without one; None if not set."""
    return default[0]


def ensure(context: "GpuContext | None") -> GpuContext:
    """The given context, else the default one. Raises TypeError if both are None."""
    current = context or default[0]
    if current is None:
        raise TypeError("No context specified.")
    return current
