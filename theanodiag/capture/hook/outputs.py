"""Values of the right shape and dtype for what a function would have computed: zeros, in memory that is touched only if it is read."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import Live


def kind_of(kind: "Live") -> str:
    """What the values of a Type are, by the names of its classes."""
    names = [c.__name__ for c in type(kind).__mro__]
    for name, family in FAMILIES:
        if name in names:
            return family
    return "other"


FAMILIES = (
    ("GpuArrayType", "gpu"),
    ("SparseType", "sparse"),
    ("SparseTensorType", "sparse"),
    ("TensorType", "tensor"),
    ("DenseTensorType", "tensor"),
    ("Scalar", "scalar"),
    ("ScalarType", "scalar"),
    ("TypedListType", "list"),
)


def fill(kind: "Live", shape: "tuple[int, ...]", value: "Live", like: "Live") -> "Live":
    """A value of Type `kind`: `value` where it is known, else zeros; `like` (an input's value) where nothing can be made."""
    family = kind_of(kind)
    if family == "tensor":
        return dense(kind, shape, value)
    if family == "scalar":
        import numpy

        return numpy.dtype(kind.dtype).type(0 if value is None else value)
    if family == "gpu":
        import pygpu.gpuarray

        return pygpu.gpuarray.zeros(shape, dtype=kind.dtype, context=kind.context)
    if family == "sparse":
        import scipy.sparse

        return getattr(scipy.sparse, kind.format + "_matrix")(shape, dtype=kind.dtype)
    return [] if family == "list" else like


def dense(kind: "Live", shape: "tuple[int, ...]", value: "Live") -> "Live":
    """A numpy array; a small known value of the right shape is used as it is."""
    import numpy

    if value is not None:
        known = numpy.asarray(value, dtype=kind.dtype)
        if known.shape == shape:
            return known
    try:
        return numpy.zeros(shape, dtype=kind.dtype)
    except MemoryError:  # more than this machine would promise: zeros that may only be read
        return numpy.broadcast_to(numpy.zeros((), dtype=kind.dtype), shape)


def keeps(old: "Live", kind: "Live", shape: "tuple[int, ...] | None") -> bool:
    """Whether an update leaves the value `old` as it is: same shape and dtype, or a value without a shape (a generator's state)."""
    if kind_of(kind) not in ("tensor", "gpu", "sparse"):
        return True
    if shape is None:
        return old is not None
    return tuple(getattr(old, "shape", ())) == shape and str(getattr(old, "dtype", "")) == kind.dtype
