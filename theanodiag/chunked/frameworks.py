"""The framework that the user's process has imported, and how a value gets into one of its shared variables."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAMES = ("theano", "aesara", "pytensor")


def library(given: Any = None) -> Any:
    """The framework: a module, a name, or None for the one that is imported."""
    if isinstance(given, ModuleType) or hasattr(given, "shared"):
        return given
    names = NAMES if given is None else (str(given),)
    found = [sys.modules[name] for name in names if hasattr(sys.modules.get(name), "shared")]
    if not found:
        wanted = " or ".join(names)
        raise UsageError(f"no framework is there to make a shared variable: {wanted} is not imported", help="import it first")
    # One that says `import theano` means it, also where that name stands for one of the others.
    if len({id(m.shared) for m in found}) > 1 and found[0].__name__ != "theano":
        both = " and ".join(m.__name__ for m in found)
        raise UsageError(f"{both} are both imported", help=f"say which one: library={found[0].__name__!r}")
    return found[0]


def keeps_on_device(lib: Any) -> bool:
    """Whether shared variables are made on a device: Theano's back-ends register a constructor of their own."""
    constructors = getattr(lib.shared, "constructors", ())
    return any(".gpuarray" in c.__module__ or ".cuda" in c.__module__ for c in constructors)


def arrays_live(lib: Any) -> int:
    """How many copies of a chunk the budget pays for: on a device one; on the host the one in use and the one that is read."""
    return 1 if keeps_on_device(lib) else 2


def value_of(variable: Any) -> Any:
    """What a shared variable holds, itself: a device array, or a numpy array. It is the same cell in all three frameworks."""
    return variable.container.storage[0]


def put(variable: Any, staged: NDArray[Any]) -> NDArray[Any]:
    """The staged value becomes that of the variable; returns the array to stage the next one in.

    A device array of the same shape is written in place, and `staged` is free again. (Source: Theano 1.0.5, gpuarray/type.py,
    `GpuArrayType.filter_inplace`.) On the host `borrow=True` puts `staged` itself into the variable, which copies nothing; what was there
    before is free. (Source: compile/sharedvalue.py of Theano 1.0.5, Aesara 2.9.4 and PyTensor: `set_value` deep-copies otherwise.)
    """
    import numpy

    before = value_of(variable)
    variable.set_value(staged, borrow=True)
    if value_of(variable) is not staged:
        return staged
    usable = isinstance(before, numpy.ndarray) and before.flags.writeable and before.flags.c_contiguous
    return before if usable and before.shape == staged.shape and before.dtype == staged.dtype else numpy.zeros_like(staged)
