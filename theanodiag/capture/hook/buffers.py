"""Names the memory of each array, so that two arrays that used the same address one after the other get different names."""

import weakref

from .results import is_on_device

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import Live


def shape_of(value: "Live") -> "list[int] | None":
    """Shape of a value as a list of ints; None where it has no shape."""
    shape = getattr(value, "shape", None)
    return None if shape is None else [int(n) for n in shape]


def address_of(value: "Live") -> "str | None":
    """Address of the first element of a host or device array, in hexadecimal; None for anything else."""
    interface = getattr(value, "__array_interface__", None)
    if interface is not None:
        return hex(interface["data"][0]).rstrip("L")
    if not is_on_device(value):
        return None
    opencl = getattr(value.context, "kind", b"cuda") == b"opencl"  # there `gpudata` raises TypeError (pygpu/gpuarray.pyx)
    data = value.base_data + value.offset if opencl else value.gpudata
    return None if data is None else hex(int(data)).rstrip("L")


def owner_of(value: "Live") -> "Live":
    """The array at the end of the chain of `base`: the one that owns the memory of a view."""
    while hasattr(getattr(value, "base", None), "__array_interface__"):
        value = value.base
    return value


class Buffers(object):
    """Names buffers by address; when an address is reused by another array, `#2`, `#3` ... is appended."""

    def __init__(self) -> None:
        self.known = {}  # type: dict[str, tuple[Live, int]]

    def identify(self, value: "Live") -> "str | None":
        """The name of an array's buffer; None for a value that is no array."""
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
        """The larger host array of which `value` is a view, as the event's `part_of`; None where it is no view of a larger one."""
        owner = owner_of(value) if hasattr(value, "__array_interface__") else value
        if owner is value or not getattr(owner, "nbytes", 0) > value.nbytes:
            return None
        return {"buffer": self.identify(owner), "shape": shape_of(owner), "bytes": int(owner.nbytes)}
