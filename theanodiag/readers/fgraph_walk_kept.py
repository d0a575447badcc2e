"""Constants that a function keeps in memory although its graph no longer has them. Runs where `fgraph_walk.py` runs.

The ShapeFeature of a FunctionGraph remembers every Variable it ever saw, and each Variable remembers what it was made from. So the
value of a constant that was moved to the device and then fused into another op stays there for as long as the function lives.
A constant that was folded out of a view (`GpuDimShuffle` of another constant) uses the memory of that one.
Source: Theano 1.0.5, tensor/opt.py, `ShapeFeature.shape_of`, `constant_folding`.
"""

import weakref

from .fgraph_walk_values import describe_constant, describe_type, is_constant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .fgraph_walk import Live


def memory_of(value: "Live") -> "tuple[str, int]":
    """What tells the memory of a value from that of others: where it begins on the device, else the object itself.

    A view may begin later than the memory that it is in (`[::-1]`): its offset does not count.
    Source: pygpu 0.7.6, gpuarray.pyx: `gpudata` is the address plus the offset, and raises TypeError on OpenCL, where `base_data` does.
    """
    for name, shift in (("gpudata", "offset"), ("base_data", "")):
        try:
            return "device", int(getattr(value, name)) - int(getattr(value, shift, 0))
        except (AttributeError, TypeError):
            pass
    return "object", id(value)


class Memories(object):
    """Numbers for the device memory of constants, in the order in which they were met; the functions of a script share them."""

    def __init__(self) -> None:
        self._known = {}  # type: dict[tuple[str, int], tuple[int, Live]]
        self.count = 0
        self.ended = lambda number: None  # type: Callable[[int], None]  # told of each memory that goes

    def number(self, value: "Live") -> "int | None":
        """The number of the memory that a device array is in; None for what is on the host."""
        if not hasattr(type(value), "gpudata"):
            return None
        key = memory_of(value)
        known = self._known.get(key)
        if known is None or known[1]() is None:  # the address may have been taken again
            number = self.count
            known = self._known[key] = (number, reference(value, lambda _: self.ended(number)))
            self.count += 1
        return known[0]


def reference(value: "Live", ended: "Callable[[Live], None]") -> "Live":
    """A weak reference to the array that holds the memory; to nothing where it takes none. `ended` is called when the array goes."""
    while hasattr(type(getattr(value, "base", None)), "gpudata"):
        value = value.base
    try:
        return weakref.ref(value, ended)
    except TypeError:
        return lambda: None


def described(variable: "Live", memories: Memories) -> "dict[str, object]":
    """A Constant, and the number of its device memory."""
    row, number = describe_constant(variable), memories.number(variable.data)
    if number is not None:
        row["memory"] = number
    return row


def kept_constants(fgraph: "Live", counted: "set[tuple[str, int]]", memories: Memories) -> "list[dict[str, object]]":
    """Device constants that only `fgraph`'s ShapeFeature holds: type and shape of each.

    `counted` has the memory of the values that were described already; those found here are added.
    """
    seen = set()
    rows = []  # type: list[dict[str, object]]
    shape_of = getattr(getattr(fgraph, "shape_feature", None), "shape_of", None)
    todo = list(shape_of) if isinstance(shape_of, dict) else []
    while todo:
        variable = todo.pop()
        if variable in seen:
            continue
        seen.add(variable)
        if is_constant(variable):
            if hasattr(type(variable.data), "gpudata") and memory_of(variable.data) not in counted:
                counted.add(memory_of(variable.data))
                rows.append({"type": describe_type(variable.type), "constant": described(variable, memories)})
        elif getattr(variable, "owner", None) is not None:
            todo.extend(variable.owner.inputs)
    return rows
