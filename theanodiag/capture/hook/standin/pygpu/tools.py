"""Arguments of kernels: pygpu/tools.py 0.7.6."""

from .types import dtype_to_ctype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ... import Live


class Argument(object):
    """A named argument of a kernel."""

    def __init__(self, dtype: "Live", name: str) -> None:
        self.dtype = dtype
        self.name = name

    def ctype(self) -> str:
        """The name of its type in kernels."""
        return dtype_to_ctype(self.dtype)


class ArrayArg(Argument):
    """An array."""

    def decltype(self) -> str:
        """How it is declared."""
        return "GLOBAL_MEM " + self.ctype() + " *"


class ScalarArg(Argument):
    """A number."""

    def decltype(self) -> str:
        """How it is declared."""
        return self.ctype()
