"""Device buffers in host memory, allocated when the first nonzero value is written: untouched buffers and zeros cost nothing."""

import numpy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ... import Live

CHUNK = 1 << 20
"""Bytes that are tested for zeros at a time."""


class Memory(object):
    """One buffer of `nbytes` bytes. `_bytes` is None while all of it is zero and no writable view of it exists."""

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        self._bytes = None  # type: Live

    @property
    def address(self) -> int:
        """An integer that no other living buffer has."""
        return id(self)

    @property
    def untouched(self) -> bool:
        """Whether the buffer is known to hold zeros only."""
        return self._bytes is None

    def view(self, shape: "tuple[int, ...]", dtype: "Live", offset: int, strides: "tuple[int, ...]") -> "Live":
        """A writable numpy array over this memory."""
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
    """A copy in C order; a copy of zeros takes no memory until it is written to."""
    if not values.flags.c_contiguous:
        return numpy.array(values, order="C")
    return numpy.zeros(values.shape, values.dtype) if only_zeros(values.reshape(-1).view("uint8")) else values.copy()
