"""The extension module `pygpu.gpuarray` 0.7.6 without a device: arrays, contexts, exceptions, and libgpuarray's type codes of dtypes
(libgpuarray 0.7.6 src/gpuarray/types.h, gpuarray_types.c).

Shapes, strides and memory sharing of the arrays are exact; unwritten values are 0, and host memory is allocated when the first nonzero
value is written. The simulated card is set once, before the first context is opened.
"""

import operator

import numpy
from numpy.lib.stride_tricks import as_strided

from .version import ABI, API

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ... import Live


TABLE = (
    ("bool", 0, "ga_bool"), ("int8", 1, "ga_byte"), ("uint8", 2, "ga_ubyte"), ("int16", 3, "ga_short"), ("uint16", 4, "ga_ushort"),
    ("int32", 5, "ga_int"), ("uint32", 6, "ga_uint"), ("int64", 7, "ga_long"), ("uint64", 8, "ga_ulong"), ("float32", 11, "ga_float"),
    ("float64", 12, "ga_double"), ("complex64", 14, "ga_cfloat"), ("complex128", 15, "ga_cdouble"), ("float16", 23, "ga_half"),
)  # fmt: skip
"""(dtype, code, C type in kernels)."""
CODES = dict((name, code) for name, code, _ in TABLE)
DTYPES = dict((code, numpy.dtype(name)) for name, code, _ in TABLE)
NAMES = dict((code, name) for _, code, name in TABLE)
SIZE = 24
SSIZE = 25


def dtype_to_typecode(dtype: "Live") -> int:
    """The type code of a dtype; an int is returned unchanged. Raises ValueError for a dtype that libgpuarray does not support."""
    if isinstance(dtype, int):
        return dtype
    try:
        return CODES[numpy.dtype(dtype).name]
    except (KeyError, TypeError):
        raise ValueError("don't know how to convert to dtype: %s" % (dtype,))


def dtype_to_ctype(dtype: "Live") -> str:
    """The name of a dtype in kernel source, such as `ga_float`."""
    return NAMES[dtype_to_typecode(dtype)]


def dtype_of(dtype: "Live") -> "Live":
    """The numpy dtype of a dtype, a name or a type code."""
    return DTYPES[dtype_to_typecode(dtype)]


CHUNK = 1 << 20
"""Bytes that are tested for zeros at a time."""


class Memory(object):
    """A buffer of `nbytes` bytes. `_bytes` is None while every byte is zero and no writable view exists."""

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        self._bytes = None  # type: Live

    @property
    def address(self) -> int:
        """An integer that no other live buffer has."""
        return id(self)

    @property
    def untouched(self) -> bool:
        """Whether no memory has been allocated, so that every byte is zero."""
        return self._bytes is None

    def view(self, shape: "tuple[int, ...]", dtype: "Live", offset: int, strides: "tuple[int, ...]") -> "Live":
        """A writable numpy array over this memory. Allocates it."""
        if self._bytes is None:
            self._bytes = numpy.zeros(max(1, self.nbytes), "uint8")
        return numpy.ndarray(shape, dtype, self._bytes, offset, strides)

    def replace(self, values: "Live") -> None:
        """Overwrites the whole buffer with a copy of `values`, a contiguous array of the same size in bytes."""
        flat = values.reshape(-1, order="A").view("uint8")
        self._bytes = None if only_zeros(flat) else flat.copy()


def only_zeros(flat: "Live") -> bool:
    """Returns whether all bytes are zero; stops at the first chunk with a nonzero byte."""
    return not any(flat[start : start + CHUNK].any() for start in range(0, flat.size, CHUNK))


def copied(values: "Live") -> "Live":
    """A C-ordered copy; a copy of zeros takes no physical memory until it is written to."""
    if not values.flags.c_contiguous:
        return numpy.array(values, order="C")
    return numpy.zeros(values.shape, values.dtype) if only_zeros(values.reshape(-1).view("uint8")) else values.copy()


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


__all__ = [
    "SIZE", "SSIZE", "GpuArray", "GpuArrayException", "GpuContext", "GpuKernel", "UnsupportedException", "abi_version", "api_version",
    "array", "asarray", "ascontiguousarray", "asfortranarray", "count_devices", "count_platforms", "dtype_to_ctype", "dtype_to_typecode",
    "empty", "get_default_context", "init", "may_share_memory", "set_default_context", "zeros",
]  # fmt: skip


class GpuKernel(object):
    """A compiled kernel. The constructor always raises UnsupportedException."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise UnsupportedException("no kernel is compiled without a device")


def api_version() -> "tuple[int, int]":
    """The API version of libgpuarray as (major, minor)."""
    return API


def abi_version() -> "tuple[int, int]":
    """The ABI version of libgpuarray as (major, minor)."""
    return ABI


class GpuArray(object):
    """A simulated device array. As in pygpu, instances come only from `empty`, `zeros` and `array`."""

    _memory = None  # type: Live  # Memory
    _ghost = None  # type: Live  # a numpy array of the same geometry over no memory: never read, never written
    offset = 0
    base = None  # type: GpuArray | None
    context = None  # type: Live  # GpuContext

    def __init__(self) -> None:
        if type(self) is GpuArray:
            raise RuntimeError("Called raw GpuArray.__init__")

    shape = property(lambda self: self._ghost.shape)
    strides = property(lambda self: self._ghost.strides)
    dtype = property(lambda self: self._ghost.dtype)
    ndim = property(lambda self: self._ghost.ndim)
    size = property(lambda self: int(self._ghost.size))
    itemsize = property(lambda self: self._ghost.itemsize)
    nbytes = property(lambda self: int(self._ghost.nbytes))
    flags = property(lambda self: self._ghost.flags)
    typecode = property(lambda self: dtype_to_typecode(self._ghost.dtype))
    T = property(lambda self: self.transpose())

    @property
    def gpudata(self) -> int:
        """An integer that identifies the buffer and the offset in it; not a pointer."""
        return int(self.base_data + self.offset)

    base_data = property(lambda self: int(self._memory.address))

    def _view(self, ghost: "Live", cls: "Live" = None) -> "GpuArray":
        """A view of the same memory with the shape, strides and dtype of `ghost`."""
        start = ghost.__array_interface__["data"][0] - self._ghost.__array_interface__["data"][0]
        return over(self._memory, ghost, self.offset + start, self.context, cls or type(self), self)

    def _host(self) -> "Live":
        """A numpy array that shares this memory."""
        return self._memory.view(self.shape, self.dtype, self.offset, self.strides)

    def _read(self) -> "Live":
        """A copy of the values as a C-ordered numpy array."""
        return numpy.zeros(self.shape, self.dtype) if self._memory.untouched else copied(self._host())

    def __array__(self, dtype: "Live" = None, copy: "Live" = None) -> "Live":
        """The values as a new numpy array."""
        values = self._read()
        return values if dtype is None else values.astype(dtype)

    def write(self, src: "Live") -> None:
        """Copies a numpy array into this array. Raises ValueError unless dtype and size in bytes agree and this array is contiguous."""
        if self.dtype != src.dtype:
            raise ValueError("GpuArray and Numpy array do not have matching data types")
        if self.nbytes != src.nbytes:
            raise ValueError("GpuArray and Numpy array do not have the same size in bytes")
        order = "C" if self.flags.c_contiguous else "F"  # type: Live
        if not self.flags[order + "_CONTIGUOUS"]:
            raise ValueError("Destination GpuArray is not contiguous")
        values = numpy.asarray(src, order=order)
        if self.nbytes == self._memory.nbytes:
            self._memory.replace(values)
        else:
            self._host()[...] = values.reshape(self.shape, order=order)

    def read(self, dst: "Live") -> None:
        """Copies the values into the numpy array `dst`."""
        dst[...] = self._read().reshape(dst.shape)

    def copy(self, order: str = "C") -> "GpuArray":
        """A copy in memory order `C` or `F`."""
        return array(self, order=order, cls=type(self))

    def __copy__(self) -> "GpuArray":
        return self.copy()

    def __deepcopy__(self, memo: "Live") -> "GpuArray":
        copy = memo.get(id(self))  # type: GpuArray | None
        return self.copy() if copy is None else copy

    def __reduce__(self) -> "Live":
        raise RuntimeError("Cannot pickle GpuArray object")

    def sync(self) -> None:
        """Does nothing: there is no pending work."""

    def transfer(self, new_ctx: "GpuContext") -> "GpuArray":
        """A copy in the context of another device."""
        return array(self._read(), context=new_ctx)

    def view(self, cls: "Live" = None) -> "GpuArray":
        """A view of the whole array as class `cls`."""
        return self._view(self._ghost, cls or GpuArray)

    def astype(self, dtype: "Live", order: str = "A", copy: bool = True) -> "GpuArray":
        """The array converted to `dtype`; the array itself if nothing changes and `copy` is False."""
        return array(self, dtype, copy, order, cls=type(self))

    def reshape(self, shape: "Live", order: str = "C") -> "GpuArray":
        """The array with another shape; a view if it is contiguous, else a copy."""
        if self.flags.c_contiguous if order == "C" else self.flags.f_contiguous:
            return self._view(self._ghost.reshape(shape, order=order))
        return array(self._read().reshape(shape, order=order), context=self.context, order=order)

    def transpose(self, *axes: int) -> "GpuArray":
        """A view of the array with permuted axes."""
        return self._view(self._ghost.transpose(*axes))

    def __len__(self) -> int:
        return len(self._ghost)

    def __bool__(self) -> bool:
        return bool(self._read())

    __nonzero__ = __bool__
    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, key: "Live") -> "GpuArray":
        return self._view(self._ghost[basic(key)])

    def __setitem__(self, key: "Live", value: "Live") -> None:
        target = self[key]
        values = numpy.asarray(value, dtype=self.dtype)
        if target.nbytes == self._memory.nbytes and target.flags.c_contiguous and values.shape == target.shape:
            self._memory.replace(numpy.ascontiguousarray(values))
        else:
            target._host()[...] = values

    def take1(self, idx: "Live") -> "GpuArray":
        """The rows with the indices `idx`."""
        return array(self._read().take(numpy.asarray(idx), axis=0), context=self.context)

    def __str__(self) -> str:
        return str(self._read())

    def __repr__(self) -> str:
        return "gpuarray." + repr(self._read())


def basic(key: "Live") -> "tuple[Live, ...]":
    """Converts a basic index to a tuple with an Ellipsis, which makes numpy return a view even for a single element.

    Raises NotImplementedError for advanced indices.
    """
    parts = key if isinstance(key, tuple) else (key,)
    if any(not isinstance(k, (slice, type(None), type(Ellipsis))) and not hasattr(k, "__index__") for k in parts):
        raise NotImplementedError("fancy indexing not supported")
    parts = tuple(operator.index(k) if hasattr(k, "__index__") else k for k in parts)
    return parts if Ellipsis in parts else parts + (Ellipsis,)


def over(memory: Memory, ghost: "Live", offset: int, context: "GpuContext", cls: "Live", base: "GpuArray | None") -> GpuArray:
    """An array over `memory`, `offset` bytes from its start, with the shape, strides and dtype of `ghost`."""
    view = (cls or GpuArray).__new__(cls or GpuArray)  # type: GpuArray
    view._memory, view._ghost, view.offset, view.context, view.base = memory, ghost, offset, context, base
    return view


def geometry(shape: "Live", dtype: "Live", order: str) -> "Live":
    """A numpy array with this shape, dtype and memory order but no memory of its own: only shape and strides may be used."""
    sizes = tuple(int(n) for n in shape)
    strides, step = [], dtype.itemsize
    for n in sizes if order == "F" else sizes[::-1]:
        strides.append(step)
        step *= max(n, 1)
    return as_strided(numpy.empty((), dtype), sizes, strides if order == "F" else strides[::-1])


def empty(shape: "Live", dtype: "Live" = "float64", order: str = "C", context: "GpuContext | None" = None, cls: "Live" = None) -> GpuArray:
    """A new array of zeros (pygpu leaves the values undefined)."""
    sizes = shape if hasattr(shape, "__len__") else (shape,)
    ghost = geometry(sizes, dtype_of(dtype), "F" if order == "F" else "C")
    return over(Memory(int(ghost.nbytes)), ghost, 0, ensure(context), cls, None)


zeros = empty


def array(
    proto: "Live",
    dtype: "Live" = None,
    copy: bool = True,
    order: "str | None" = None,
    ndmin: int = 0,
    context: "GpuContext | None" = None,
    cls: "Live" = None,
) -> GpuArray:
    """A new array with the values of `proto`; `proto` itself if `copy` is False and it is a GpuArray of the right dtype and order.

    Raises ValueError if `context` is not that of `proto`.
    """
    if not isinstance(proto, GpuArray):
        return from_host(proto, dtype, order, ndmin, ensure(context), cls)
    if context is not None and context is not proto.context:
        raise ValueError("cannot copy an array to a different context")
    if not copy and (dtype is None or dtype_to_typecode(dtype) == proto.typecode) and in_order(proto, order):
        view = proto if proto.ndim >= ndmin else proto.reshape((1,) * (ndmin - proto.ndim) + proto.shape)
        return view if cls is None or type(view) is cls else view.view(cls)
    lies_so = proto.flags.f_contiguous and not proto.flags.c_contiguous
    kept = "F" if order == "F" or (order in (None, "A") and lies_so) else "C"  # type: Live
    shape = (1,) * (ndmin - proto.ndim) + proto.shape
    new_array = empty(shape, proto.dtype if dtype is None else dtype, kept, proto.context, cls or type(proto))
    if not proto._memory.untouched:
        new_array._memory.replace(numpy.array(proto._host(), new_array.dtype, order=kept))
    return new_array


def in_order(proto: GpuArray, order: "str | None") -> bool:
    """Whether an array is contiguous in memory order `C` or `F`; any array for None or `A`."""
    return order in (None, "A") or bool(proto.flags[str(order) + "_CONTIGUOUS"])


def from_host(proto: "Live", dtype: "Live", order: "str | None", ndmin: int, context: "GpuContext", cls: "Live") -> GpuArray:
    """A new array with the values of a numpy array."""
    kept = "F" if order == "F" else "C"  # type: Live
    values = numpy.asarray(proto, None if dtype is None else dtype_of(dtype), order=kept)
    values = values.reshape((1,) * (ndmin - values.ndim) + values.shape)
    new_array = empty(values.shape, values.dtype, kept, context, cls)
    new_array._memory.replace(values)
    return new_array


def asarray(a: "Live", dtype: "Live" = None, order: str = "A", context: "GpuContext | None" = None) -> GpuArray:
    """`a` as an array on the device, copied only if needed."""
    return array(a, dtype, False, order, context=context, cls=GpuArray)


def ascontiguousarray(a: "Live", dtype: "Live" = None, context: "GpuContext | None" = None) -> GpuArray:
    """`a` as a C-contiguous array on the device."""
    return array(a, dtype, False, "C", 1, context)


def asfortranarray(a: "Live", dtype: "Live" = None, context: "GpuContext | None" = None) -> GpuArray:
    """`a` as a Fortran-contiguous array on the device."""
    return array(a, dtype, False, "F", 1, context)


def may_share_memory(a: GpuArray, b: GpuArray) -> bool:
    """Whether two arrays use the same buffer, as libgpuarray's cuda_share: also true for views that do not overlap."""
    return a._memory is b._memory and bool(a._memory.nbytes)
