"""Simulated device buffers in host memory, and libgpuarray's type codes of dtypes (libgpuarray 0.7.6 src/gpuarray/types.h,
gpuarray_types.c).

Host memory is allocated when the first nonzero value is written.
"""

import numpy

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
    """Whether all bytes are zero; stops at the first chunk with a nonzero byte."""
    return not any(flat[start : start + CHUNK].any() for start in range(0, flat.size, CHUNK))


def copied(values: "Live") -> "Live":
    """A C-ordered copy; a copy of zeros takes no physical memory until it is written to."""
    if not values.flags.c_contiguous:
        return numpy.array(values, order="C")
    return numpy.zeros(values.shape, values.dtype) if only_zeros(values.reshape(-1).view("uint8")) else values.copy()
