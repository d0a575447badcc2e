"""Stand-in results of functions that are not computed: zeros of the right shape and dtype, which take physical memory only when read."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live


def kind_of(kind: "Live") -> str:
    """The family of a Type's values, by the names of its classes: `tensor`, `gpu`, `sparse`, `scalar`, `list` or `other`."""
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
    ("XTensorType", "tensor"),  # with named dimensions: its values are numpy arrays
    ("Scalar", "scalar"),
    ("ScalarType", "scalar"),
    ("TypedListType", "list"),
)
"""Class name of a Type -> family of its values; the first match counts."""


def fill(kind: "Live", shape: "tuple[int, ...]", value: "Live", like: "Live") -> "Live":
    """A value of Type `kind`: `value` if known, else zeros of `shape`, else `like` (an input's value) if zeros of this
    Type are impossible."""
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
    """A numpy array of Type `kind`: `value` if it is known and has this shape, else zeros."""
    import numpy

    if value is not None:
        known = numpy.asarray(value, dtype=kind.dtype)
        if known.shape == shape:
            return known
    try:
        return numpy.zeros(shape, dtype=kind.dtype)
    except MemoryError:  # more than the system grants: a read-only view of a single zero
        return numpy.broadcast_to(numpy.zeros((), dtype=kind.dtype), shape)


def keeps(old: "Live", kind: "Live", shape: "tuple[int, ...] | None") -> bool:
    """Whether a dry update may keep the value `old`: it already has the new shape and dtype, or has no shape (a generator's state)."""
    if kind_of(kind) not in ("tensor", "gpu", "sparse"):
        return True
    if shape is None:
        return old is not None
    return tuple(getattr(old, "shape", ())) == shape and str(getattr(old, "dtype", "")) == kind.dtype
