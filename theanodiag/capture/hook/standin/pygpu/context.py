"""Contexts and their errors: pygpu/gpuarray.pyx 0.7.6, classes GpuContext and GpuArrayException, functions init, pygpu_init."""

from .device import chosen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ... import Live


class GpuArrayException(Exception):
    """Whatever libgpuarray refuses."""


class UnsupportedException(GpuArrayException):
    """What this device cannot do."""


class GpuContext(object):
    """One device, opened. Limits are those of every CUDA card since compute capability 3.0."""

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
        """Bytes of the device."""
        return self.device.total_bytes

    @property
    def free_gmem(self) -> int:
        """Bytes that are free."""
        return self.device.free_bytes

    @property
    def largest_memblock(self) -> int:
        """Bytes that one buffer can have."""
        return self.device.free_bytes

    @property
    def bin_id(self) -> bytes:
        """What binaries for this device are called."""
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
    """Opens device `dev`: `cuda`, `cudaN` or `openclN:M`. How memory is cached plays no part here."""
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
    """How many platforms there are."""
    return 1


def count_devices(kind: "str | bytes", platform: int) -> int:
    """How many devices a platform has."""
    return 1


default = [None]  # type: list[GpuContext | None]
"""Its only element is the context that is used where none is given."""


def set_default_context(context: "GpuContext | None") -> None:
    """Sets the context that is used where none is given."""
    default[0] = context


def get_default_context() -> "GpuContext | None":
    """The context that is used where none is given."""
    return default[0]


def ensure(context: "GpuContext | None") -> GpuContext:
    """The given context, else the default one."""
    found = context or default[0]
    if found is None:
        raise TypeError("No context specified.")
    return found
