"""Device memory, kept on the host from the first value other than zero on: untouched buffers and zeros cost nothing."""

import numpy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ... import Live

CHUNK = 1 << 20
"""How many bytes are looked at at once when zeros are searched."""


class Memory(object):
    """One buffer. `_bytes` is None while all of it is zero and nobody may write to it from outside."""

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        self._bytes = None  # type: Live

    @property
    def address(self) -> int:
        """A number that no other living buffer has."""
        return id(self)

    @property
    def untouched(self) -> bool:
        """Whether it is known to hold zeros only."""
        return self._bytes is None

    def view(self, shape: "tuple[int, ...]", dtype: "Live", offset: int, strides: "tuple[int, ...]") -> "Live":
        """A writable numpy array over this memory."""
        if self._bytes is None:
            self._bytes = numpy.zeros(max(1, self.nbytes), "uint8")
        return numpy.ndarray(shape, dtype, self._bytes, offset, strides)

    def replace(self, values: "Live") -> None:
        """Writes all of it: `values` is a contiguous array of as many bytes, and is copied."""
        flat = values.reshape(-1, order="A").view("uint8")
        self._bytes = None if only_zeros(flat) else flat.copy()


def only_zeros(flat: "Live") -> bool:
    """Whether all bytes are zero; stops at the first chunk with another one."""
    return not any(flat[start : start + CHUNK].any() for start in range(0, flat.size, CHUNK))


def copied(values: "Live") -> "Live":
    """A copy of a numpy array in C order; zeros are copied without being written."""
    if not values.flags.c_contiguous:
        return numpy.array(values, order="C")
    return numpy.zeros(values.shape, values.dtype) if only_zeros(values.reshape(-1).view("uint8")) else values.copy()
