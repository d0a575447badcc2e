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
    """The framework as a module, from a module, a name, or None for the imported one.

    Raises UsageError where none or several are imported.
    """
    if isinstance(given, ModuleType) or hasattr(given, "shared"):
        return given
    names = NAMES if given is None else (str(given),)
    modules = [sys.modules[name] for name in names if hasattr(sys.modules.get(name), "shared")]
    if not modules:
        wanted = " or ".join(names)
        raise UsageError(f"no framework is imported for making a shared variable: {wanted} is not imported", help="import it first")
    # Who says `import theano` means that name, even where the compat layer serves it from PyTensor.
    if len({id(m.shared) for m in modules}) > 1 and modules[0].__name__ != "theano":
        both = " and ".join(m.__name__ for m in modules)
        raise UsageError(f"{both} are both imported", help=f"say which one: library={modules[0].__name__!r}")
    return modules[0]


def keeps_on_device(lib: Any) -> bool:
    """Whether the framework creates shared variables on a device: Theano's GPU back-ends register constructors of their own."""
    constructors = getattr(lib.shared, "constructors", ())
    return any(".gpuarray" in c.__module__ or ".cuda" in c.__module__ for c in constructors)


def arrays_live(lib: Any) -> int:
    """How many copies of a chunk are live in the variable's memory: 1 on a device; on the host 2, the one in use and the one being read."""
    return 1 if keeps_on_device(lib) else 2


def value_of(variable: Any) -> Any:
    """The array in a shared variable's storage itself, numpy's or the device's, without a copy."""
    return variable.container.storage[0]


def assign(variable: Any, staged: NDArray[Any]) -> NDArray[Any]:
    """Makes `staged` the value of the shared variable; returns an array in which the next value can be staged.

    A device array of the same shape is overwritten in place, so `staged` is free again. (Source: Theano 1.0.5, gpuarray/type.py,
    `GpuArrayType.filter_inplace`.) On the host `borrow=True` puts `staged` itself into the variable without a copy, and the variable's old
    array is free. (Source: compile/sharedvalue.py of Theano 1.0.5, Aesara 2.9.4 and PyTensor: `set_value` deep-copies otherwise.)
    """
    import numpy

    before = value_of(variable)
    variable.set_value(staged, borrow=True)
    if value_of(variable) is not staged:
        return staged
    usable = isinstance(before, numpy.ndarray) and before.flags.writeable and before.flags.c_contiguous
    return before if usable and before.shape == staged.shape and before.dtype == staged.dtype else numpy.zeros_like(staged)
