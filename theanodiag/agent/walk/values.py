"""Describes types, constants and source lines of live Variables as JSON values."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live

STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
"""The folder of the interpreter's standard library."""

MAX_VALUES = 64
"""Maximum number of elements of a constant whose value is kept."""

KINDS = (
    ("GpuArrayType", "gpuarray"),
    ("CudaNdarrayType", "cudandarray"),
    ("SparseType", "sparse"),
    ("SparseTensorType", "sparse"),
    ("RandomType", "random"),
    ("RandomStateType", "random"),
    ("RandomGeneratorType", "random"),
    ("TensorType", "tensor"),
    ("DenseTensorType", "tensor"),
    ("XTensorType", "tensor"),
    ("ScalarType", "scalar"),
    ("Scalar", "scalar"),
)
"""Class name of a Type or of one of its bases -> TypeKind value; the first match counts."""


def kind_of(kind: "Live") -> str:
    """Returns the TypeKind value of a live Type, such as "gpuarray" or "sparse"; "other" if unknown."""
    names = [c.__name__ for c in type(kind).__mro__]
    return next((value for name, value in KINDS if name in names), "other")


def static_shape(kind: "Live") -> "list[int | None]":
    """Returns the static shape of a live Type: None for a length known only at run time, 1 for a broadcastable dimension."""
    shape = getattr(kind, "shape", None)
    if isinstance(shape, (tuple, list)):
        return [None if d is None else int(d) for d in shape]
    return [1 if b else None for b in getattr(kind, "broadcastable", ())]


def describe_type(kind: "Live") -> "dict[str, object]":
    """Describes a live Type as JSON values: kind, dtype, static shape and text."""
    dtype = getattr(kind, "dtype", None)
    return {"kind": kind_of(kind), "dtype": None if dtype is None else str(dtype), "shape": static_shape(kind), "text": str(kind)}


def is_constant(variable: "Live") -> bool:
    """Returns whether a Variable is a Constant."""
    return hasattr(variable, "data") and any(c.__name__ == "Constant" for c in type(variable).__mro__)


def small_value(data: "Live") -> "Live":
    """Converts a numeric array of at most `MAX_VALUES` elements to a number or nested lists; None for others, and for inf and nan, which
    JSON cannot hold.
    """
    import numpy

    if isinstance(data, (bytes, str, type(None), slice)) or getattr(data, "size", 1) > MAX_VALUES:
        return None
    array = numpy.asarray(data)
    if array.dtype.kind not in "biuf" or array.size > MAX_VALUES or not numpy.isfinite(array).all():
        return None
    return array.tolist()


def describe_constant(variable: "Live") -> "dict[str, object]":
    """Describes a Constant as JSON values: its shape, and its value if it is small."""
    row = {"shape": [int(d) for d in getattr(variable.data, "shape", ())]}  # type: dict[str, object]
    value = small_value(variable.data)
    if value is not None:
        row["value"] = value
    return row


OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
"""The folder of theanodiag, or of the copy that CPython 2.7 reads."""


def framework_roots() -> "tuple[str, ...]":
    """Returns the folders of the imported frameworks and of theanodiag, each with a trailing separator."""
    names = [n for n in ("theano", "aesara", "pytensor") if getattr(sys.modules.get(n), "__file__", None)]
    return tuple(os.path.dirname(os.path.abspath(str(sys.modules[n].__file__))) + os.sep for n in names) + (OURS,)


def find_site(variable: "Live", roots: "tuple[str, ...]") -> "dict[str, object] | None":
    """Finds the source line that created a Variable: the innermost frame of `tag.trace` that is neither in a framework nor in theanodiag.

    Frames in the user's own files take precedence over frames in installed libraries. A frame in `make_node` of a user's Op is used only if
    there is no other, because the Op was not applied there.
    """
    frames = getattr(getattr(variable, "tag", None), "trace", None) or ()
    if frames and isinstance(frames[0], list):  # since Theano 0.8 a list of traces
        frames = frames[0]
    nearest = inside = None
    for frame in reversed(frames):
        path = frame[0]
        installed = "site-packages" in path or "dist-packages" in path
        if path.startswith(roots) or path.startswith("<frozen") or (path.startswith(STANDARD) and not installed):
            continue
        if frame[2] == "make_node":
            inside = inside or frame
        elif not installed:
            return place(frame)
        else:
            nearest = nearest or frame
    frame = nearest or inside
    return place(frame) if frame else None


def place(frame: "Live") -> "dict[str, object]":
    """Converts a frame of a trace to JSON values: path, line, function, code."""
    path, line, function, code = frame[0], frame[1], frame[2], frame[3]
    row = {"path": path, "line": int(line)}
    if function and function != "<module>":
        row["function"] = function
    if code:
        row["code"] = code.strip()
    return row
