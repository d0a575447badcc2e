"""Shape rule of indexing with arrays and masks in live graphs, as numpy does it."""

from .dimensions import Bound, broadcast, product
from .values import UNKNOWN, length_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live
    from .rules import Shapes
    from .state import LiveState


def advanced(node: "Live", state: "LiveState") -> "Shapes":
    """AdvancedSubtensor: the index arrays' broadcast shape replaces the dimensions that they index.

    It comes first if a slice or a new axis separates the arrays.
    """
    shape, places = list(state.shape(node.inputs[0])), []  # type: list[Live], list[int]
    dims, arrays = [], []  # type: list[Live], list[tuple[Live, ...]]
    for entry in entries_of(node, state):
        if entry is None:
            dims.append(1)
        elif isinstance(entry, list):
            dims.append(length_of(shape.pop(0), entry))
        else:
            places.append(len(dims))
            dims.append(None)
            arrays.append(covered(entry, shape, state))
    common = broadcast(arrays)
    first = 0 if apart(places) else places[0]
    kept = [d for i, d in enumerate(dims) if i not in places] + shape
    before = len([i for i in range(first) if i not in places])
    return [tuple(kept[:before]) + common + tuple(kept[before:])]


def entries_of(node: "Live", state: "LiveState") -> "list[Live]":
    """The indices: None for a new axis, [start, stop, step] for a slice, a Variable for numbers or a mask.

    Up to PyTensor 2 every input after the first is an index; later versions have a pattern in which numbers refer to inputs.
    """
    pattern = getattr(node.op, "idx_list", None)
    if pattern is None:
        return [entry_of(v, state) for v in node.inputs[1:]]

    def part(value: "Live") -> "Live":
        return None if value is None else number_of(node.inputs[1 + value], state)

    return [[part(e.start), part(e.stop), part(e.step)] if isinstance(e, slice) else entry_of(node.inputs[1 + e], state) for e in pattern]


def entry_of(variable: "Live", state: "LiveState") -> "Live":
    """The index that an input is: None, [start, stop, step], or the Variable itself."""
    if type(variable.type).__name__ == "NoneTypeT":
        return None
    if type(variable.type).__name__ != "SliceType":
        return variable
    data = getattr(variable, "data", None)
    if isinstance(data, slice):
        return [data.start, data.stop, data.step]
    if variable.owner is None:
        return [UNKNOWN, UNKNOWN, UNKNOWN]
    return [None if type(v.type).__name__ == "NoneTypeT" else number_of(v, state) for v in variable.owner.inputs]


def number_of(variable: "Live", state: "LiveState") -> "Live":
    """The value of a part of a slice, or UNKNOWN."""
    dim = state.dim(variable)
    return UNKNOWN if dim is None or isinstance(dim, Bound) else dim


def covered(variable: "Live", shape: "list[Live]", state: "LiveState") -> "tuple[Live, ...]":
    """The shape that an index array or mask adds; removes the dimensions that it indexes from the front of `shape`."""
    own = state.shape(variable)
    if getattr(variable.type, "dtype", "") != "bool":
        shape.pop(0)
        return own
    del shape[: len(own)]
    size = product(own)  # type: Live
    return (None if size is None else Bound(size),)


def apart(places: "list[int]") -> bool:
    """Whether the index arrays, at these positions of the result, are not adjacent: then numpy puts their shape first."""
    return places != list(range(places[0], places[0] + len(places)))
