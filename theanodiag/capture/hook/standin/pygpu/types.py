"""dtypes and libgpuarray's type codes: libgpuarray src/gpuarray/types.h and gpuarray_types.c 0.7.6."""

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
    """The type code of a dtype; an int is returned as it is. Raises ValueError for a dtype that libgpuarray does not know."""
    if isinstance(dtype, int):
        return dtype
    try:
        return CODES[numpy.dtype(dtype).name]
    except (KeyError, TypeError):
        raise ValueError("don't know how to convert to dtype: %s" % (dtype,))


def dtype_to_ctype(dtype: "Live") -> str:
    """The C type of a dtype in kernels."""
    return NAMES[dtype_to_typecode(dtype)]


def dtype_of(dtype: "Live") -> "Live":
    """The numpy dtype for a dtype, a name or a type code."""
    return DTYPES[dtype_to_typecode(dtype)]
