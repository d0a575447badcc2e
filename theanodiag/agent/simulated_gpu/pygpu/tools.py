"""Kernel arguments and their C declarations, as in pygpu/tools.py 0.7.6."""

from .gpuarray import dtype_to_ctype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ... import Live


class Argument(object):
    """A named argument of a kernel."""

    def __init__(self, dtype: "Live", name: str) -> None:
        self.dtype = dtype
        self.name = name

    def ctype(self) -> str:
        """The C type of the argument in kernels, such as `ga_float`."""
        return dtype_to_ctype(self.dtype)


class ArrayArg(Argument):
    """A kernel argument that is an array."""

    def decltype(self) -> str:
        """The declaration's type in C: a pointer to global memory."""
        return "GLOBAL_MEM " + self.ctype() + " *"


class ScalarArg(Argument):
    """A kernel argument that is a number."""

    def decltype(self) -> str:
        """The declaration's type in C."""
        return self.ctype()
