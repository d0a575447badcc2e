"""Which memory an array uses, told so that memory given back and taken again is not mistaken for the same array."""

import weakref

from .results import is_on_device

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import Live


def shape_of(value: "Live") -> "list[int] | None":
    """Shape of a value as JSON; None where it has none."""
    shape = getattr(value, "shape", None)
    return None if shape is None else [int(n) for n in shape]


def address_of(value: "Live") -> "str | None":
    """Where the memory of a host or device array begins; None where it has none."""
    interface = getattr(value, "__array_interface__", None)
    if interface is not None:
        return hex(interface["data"][0]).rstrip("L")
    if not is_on_device(value):
        return None
    opencl = getattr(value.context, "kind", b"cuda") == b"opencl"  # there `gpudata` raises TypeError (pygpu/gpuarray.pyx)
    data = value.base_data + value.offset if opencl else value.gpudata
    return None if data is None else hex(int(data)).rstrip("L")


def owner_of(value: "Live") -> "Live":
    """The array that holds the memory of a view."""
    while hasattr(getattr(value, "base", None), "__array_interface__"):
        value = value.base
    return value


class Buffers(object):
    """Names memory by its address and, where that was given back and taken again, a number behind it."""

    def __init__(self) -> None:
        self.known = {}  # type: dict[str, tuple[Live, int]]

    def identify(self, value: "Live") -> "str | None":
        """The name of the memory of an array; None where it has none."""
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
        """The array of which a host array is a part; None where it is no part of a larger one."""
        owner = owner_of(value) if hasattr(value, "__array_interface__") else value
        if owner is value or not getattr(owner, "nbytes", 0) > value.nbytes:
            return None
        return {"buffer": self.identify(owner), "shape": shape_of(owner), "bytes": int(owner.nbytes)}
