"""Constants that a function keeps in memory although they are no longer in its graph.

The ShapeFeature of a FunctionGraph keeps every Variable it ever saw, and each Variable keeps its owner. So the value of a constant that was
moved to the device and then fused into another Op stays there for as long as the function exists. A constant that was folded out of a view
(`GpuDimShuffle` of another constant) shares the memory of that one. Source: Theano 1.0.5, tensor/opt.py, `ShapeFeature.shape_of`,
`constant_folding`.
"""

import weakref

from .values import describe_constant, describe_type, is_constant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live


def memory_of(value: "Live") -> "tuple[str, int]":
    """A key that identifies the memory of a value: the address of its device buffer, else the object's id.

    A view may begin later than its buffer (`[::-1]`), so the offset is subtracted. Source: pygpu 0.7.6, gpuarray.pyx: `gpudata` is the
    address plus the offset, and raises TypeError on OpenCL, where `base_data` does not.
    """
    for name, shift in (("gpudata", "offset"), ("base_data", "")):
        try:
            return "device", int(getattr(value, name)) - int(getattr(value, shift, 0))
        except (AttributeError, TypeError):
            pass
    return "object", id(value)


class Memories(object):
    """Numbers the device memory of constants in the order of first occurrence; all functions of a script share one instance."""

    def __init__(self) -> None:
        self._known = {}  # type: dict[tuple[str, int], tuple[int, Live]]
        self.count = 0
        self.ended = lambda number: None  # type: Callable[[int], None]  # called with the number of each memory that is freed

    def number(self, value: "Live") -> "int | None":
        """The number of the memory that holds a device array; None for values on the host."""
        if not hasattr(type(value), "gpudata"):
            return None
        key = memory_of(value)
        known = self._known.get(key)
        if known is None or known[1]() is None:  # the address may have been reused
            number = self.count
            known = self._known[key] = (number, reference(value, lambda _: self.ended(number)))
            self.count += 1
        return known[0]


def reference(value: "Live", ended: "Callable[[Live], None]") -> "Live":
    """A weak reference to the array that owns the memory of `value`, with the callback `ended`; a function that returns None where no
    reference can be made.
    """
    while hasattr(type(getattr(value, "base", None)), "gpudata"):
        value = value.base
    try:
        return weakref.ref(value, ended)
    except TypeError:
        return lambda: None


def described(variable: "Live", memories: Memories) -> "dict[str, object]":
    """The JSON of a Constant, with the number of its device memory."""
    row, number = describe_constant(variable), memories.number(variable.data)
    if number is not None:
        row["memory"] = number
    return row


def kept_constants(fgraph: "Live", counted: "set[tuple[str, int]]", memories: Memories) -> "list[dict[str, object]]":
    """Type and shape of each device constant that only `fgraph`'s ShapeFeature keeps.

    `counted` holds the memory of all values described before; memory found here is added to it.
    """
    seen = set()
    rows = []  # type: list[dict[str, object]]
    # PyTensor 3.3 keeps no such table; its attribute of that name warns.
    todo = list(getattr(getattr(fgraph, "shape_feature", None), "__dict__", {}).get("shape_of", ()))
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
