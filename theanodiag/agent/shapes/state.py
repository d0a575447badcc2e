"""The known facts about the Variables of one live graph for one set of inputs: shapes, small values, and reasons for unknown shapes."""

from .dimensions import Bound, NoShape, product

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live


MAX_VALUES = 64
"""Maximum number of elements of a value that is propagated through the graph."""


def is_a(thing: "Live", names: "tuple[str, ...]") -> bool:
    """Returns whether the class of `thing`, or one of its base classes, has one of these names."""
    return any(c.__name__ in names for c in type(thing).__mro__)


def static_dims(kind: "Live") -> "tuple[int | None, ...]":
    """Returns the static shape of a live Type, with None for lengths known only at run time."""
    shape = getattr(kind, "shape", None)
    if isinstance(shape, (tuple, list)):
        return tuple(None if d is None else int(d) for d in shape)
    if is_a(kind, ("SparseType",)):  # Theano's type has no shape
        return (None, None)
    return tuple(1 if b else None for b in getattr(kind, "broadcastable", ()))


def has_shape(kind: "Live") -> bool:
    """Returns whether values of a live Type are arrays or numbers, and not generators, slices or lists."""
    return not is_a(kind, ("TypedListType",)) and hasattr(kind, "dtype") and (hasattr(kind, "ndim") or is_a(kind, ("Scalar", "ScalarType")))


class LiveState(object):
    """What is known about the Variables of a graph in one run: shapes, values, and reasons.

    `shapes` holds tuples with None for an unknown dimension, `values` small numpy arrays; `tainted` holds the Variables whose value is only
    an upper bound.
    """

    def __init__(self) -> None:
        self.shapes = {}  # type: dict[Live, tuple[Live, ...]]
        self.values = {}  # type: dict[Live, Live]
        self.tainted = set()  # type: set[Live]  # Variables whose value is an upper bound
        self.reasons = {}  # type: dict[Live, str]
        self.inner = {}  # type: dict[int, dict[str, Live]]  # by position of the node: table of one step

    def shape(self, variable: "Live") -> "tuple[Live, ...]":
        """Returns the shape of a Variable, with None for each unknown dimension."""
        shape = self.shapes.get(variable)
        if shape is None:
            shape = shape_of_constant(variable)
            if shape is None:
                shape = static_dims(variable.type)
            self.shapes[variable] = shape
        return shape

    def known(self, variable: "Live") -> "tuple[Live, ...]":
        """Returns the shape of a Variable. Raises NoShape if a dimension is unknown."""
        shape = self.shape(variable)
        if None in shape:
            raise NoShape(self.why(variable))
        return shape

    def why(self, variable: "Live") -> str:
        """Returns the reason why the shape of a Variable is unknown."""
        name = getattr(variable, "name", None)
        return self.reasons.get(variable) or "the shape of %s is not known" % (("input %s" % name) if name else "an input")

    def value(self, variable: "Live") -> "Live":
        """Returns the value of a Variable as a numpy array; None if it is unknown or large."""
        value = self.values.get(variable)
        if value is None:
            data = getattr(variable, "data", None)
            if data is not None and getattr(variable, "owner", None) is None:
                value = self.values[variable] = array_of(data)
        return value

    def dim(self, variable: "Live") -> "Live":
        """Returns the value of a Variable that is an integer scalar, as a dimension: an int, a Bound, or None if unknown."""
        value = self.value(variable)
        if value is None or value.size != 1:
            return None
        number = int(value.reshape(()))
        return Bound(number) if variable in self.tainted else number


def shape_of_constant(variable: "Live") -> "tuple[int, ...] | None":
    """Returns the shape of a constant's value; None for a Variable that is not a constant."""
    data = getattr(variable, "data", None)
    shape = getattr(data, "shape", None)
    return tuple(int(d) for d in shape) if isinstance(shape, tuple) else None


def array_of(data: "Live") -> "Live":
    """Converts a small number or array to a numpy array; None for anything else."""
    import numpy

    if isinstance(data, (bytes, str, slice)) or getattr(data, "size", 1) > MAX_VALUES:
        return None
    array = numpy.asarray(data)
    return array if is_followed(array) else None


def is_followed(array: "Live") -> bool:
    """Returns whether theanodiag propagates this value and writes it into shape tables: a small array of booleans or real numbers."""
    return array.dtype.kind in "biuf" and is_small(array.shape)


def is_small(shape: "tuple[int, ...]") -> bool:
    """Returns whether values of this shape are propagated: they have few elements, and no long dimension, even if they are empty."""
    size = product(shape)  # type: Live
    return bool(size <= MAX_VALUES) and max(shape or (0,)) <= MAX_VALUES
