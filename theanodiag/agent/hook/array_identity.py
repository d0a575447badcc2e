"""Identifies arrays: names for their memory, and digests of their content.

Two arrays may use the same address one after the other, so each gets a name of its own. The digest shows whether the same data is copied to
a device again. Large arrays are sampled.
"""

import weakref
import zlib

from .results import is_on_device

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live


def shape_of(value: "Live") -> "list[int] | None":
    """Returns the shape of a value as a list of ints; None if it has no shape."""
    shape = getattr(value, "shape", None)
    return None if shape is None else [int(n) for n in shape]


def address_of(value: "Live") -> "str | None":
    """Returns the address of the first element of a host or device array, in hexadecimal; None for other values."""
    interface = getattr(value, "__array_interface__", None)
    if interface is not None:
        return hex(interface["data"][0]).rstrip("L")
    if not is_on_device(value):
        return None
    opencl = getattr(value.context, "kind", b"cuda") == b"opencl"  # there `gpudata` raises TypeError (pygpu/gpuarray.pyx)
    data = value.base_data + value.offset if opencl else value.gpudata
    return None if data is None else hex(int(data)).rstrip("L")


def owner_of(value: "Live") -> "Live":
    """Returns the array that owns the memory of a view: the end of the chain of `base` attributes."""
    while hasattr(getattr(value, "base", None), "__array_interface__"):
        value = value.base
    return value


class Buffers(object):
    """Names buffers by address; when an address is reused by another array, `#2`, `#3` ... is appended."""

    def __init__(self) -> None:
        self.known = {}  # type: dict[str, tuple[Live, int]]

    def identify(self, value: "Live") -> "str | None":
        """Returns the name of an array's buffer; None if the value is not an array."""
        address = address_of(value)
        if address is None:
            return None
        reference, times = self.known.get(address, (None, 0))
        owner = owner_of(value)
        if reference is None or reference() is not owner:
            times += 1
            try:
                self.known[address] = (weakref.ref(owner), times)
            except TypeError:
                times = 1
        return address if times == 1 else "%s#%d" % (address, times)

    def cut_from(self, value: "Live") -> "dict[str, object] | None":
        """Returns the event field `part_of` of a host array that is a view: the larger array that it is cut from; None if there is none."""
        owner = owner_of(value) if hasattr(value, "__array_interface__") else value
        if owner is value or not getattr(owner, "nbytes", 0) > value.nbytes:
            return None
        return {"buffer": self.identify(owner), "shape": shape_of(owner), "bytes": int(owner.nbytes)}


LEAST = 4096
"""Arrays of fewer bytes get no digest."""
BYTES = 1 << 20
"""Arrays of fewer bytes are not examined by `levels` and `is_one_hot`."""
WHOLE = 4 << 20
"""Arrays up to this many bytes are digested whole; larger ones are sampled."""
SAMPLES = 1 << 16
"""Number of evenly spaced elements from which the digest of a larger array is computed."""


def digest(value: "Live") -> "str | None":
    """Returns a digest of an array's content: `whole:...`, `part:...` (sampled) or `zero` (all zeros, as dry calls return).

    None for small arrays, arrays of objects and anything that is not on the host.
    """
    if not hasattr(value, "__array_interface__") or getattr(value, "nbytes", 0) < LEAST or value.dtype.hasobject:
        return None
    whole, part = sample(value)
    if not part.any():
        return "zero"
    data = part.tobytes()
    return "%s:%08x%08x" % ("whole" if whole else "part", zlib.crc32(data) & 0xFFFFFFFF, zlib.adler32(data) & 0xFFFFFFFF)


def sample(value: "Live") -> "tuple[bool, Live]":
    """Returns two things about an array: whether it is small enough to be used whole, and its elements (all of them, or an evenly spaced
    sample).
    """
    whole = value.nbytes <= WHOLE
    return whole, value if whole else value.flat[:: max(1, value.size // SAMPLES) | 1]


LEVELS = (1, 255, 256)
"""Divisors that turn bytes into floats: raw pixels, pixels from 0 to 1, and MNIST of the Deep Learning Tutorials (divided by 256)."""
FLOATS = ("float32", "float64")
CLOSE = 0.001
"""Largest rounding error of a byte that was divided and multiplied again in float32."""


ROWS = 64
"""Approximate number of rows of an array that `is_one_hot` examines."""


def is_one_hot(value: "Live") -> bool:
    """Returns whether each row (along the last axis) of a large float array has a single 1 and zeros otherwise; some evenly spaced rows are
    checked.

    `value` is an array as for `levels`.
    """
    if getattr(value, "dtype", None) not in FLOATS or value.size * value.dtype.itemsize < BYTES or len(value.shape) < 2:
        return False
    memory = getattr(value, "_memory", None)
    if memory is not None and memory.untouched:
        return False
    value = value if memory is None else value._host()
    if not hasattr(value, "__array_interface__"):
        return False
    rows = value[:: max(1, value.shape[0] // ROWS)]
    return bool(((rows != 0).sum(-1) == 1).all() and (rows.max(-1) == 1).all())


def levels(value: "Live") -> "int | None":
    """Returns the divisor in `LEVELS` for which a large float array, multiplied by it, holds only integers from 0 to 255; large arrays are
    sampled.

    0 for an array of zeros, which fits every divisor; None for all others, for small arrays and for arrays of the real pygpu. `value` is a
    numpy array or an array of the simulated device (`simulated_gpu/pygpu/gpuarray.py`).
    """
    if getattr(value, "dtype", None) not in FLOATS or value.size * value.dtype.itemsize < BYTES:  # pygpu's has no nbytes
        return None
    memory = getattr(value, "_memory", None)
    if memory is not None and memory.untouched:
        return 0
    value = value if memory is None else value._host()
    if not hasattr(value, "__array_interface__"):
        return None
    _, part = sample(value)
    if not part.any():
        return 0
    least, most = part.min(), part.max()
    for number in LEVELS:
        if least >= 0 and most * number <= 255 + CLOSE and abs(part * number - (part * number).round()).max() < CLOSE:
            return number
    return None
