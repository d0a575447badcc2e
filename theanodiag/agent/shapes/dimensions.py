"""Dimensions as both shape engines use them (exact, an upper bound, or unknown), and how they combine.

This module runs in theanodiag and, loaded by path, in the user's interpreter. A dimension is an int, a `Bound`, or unknown, which is any
other object: an `Unknown` with its reason in theanodiag, None in the user's interpreter. Unknown dimensions are passed on unchanged.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeVar, Union

    U = TypeVar("U")  # an unknown dimension
    Dim = Union[int, U]

INTEGERS = (int, type(1 << 70))
"""The integer types of the interpreter: CPython 2.7 has two."""


class Bound(int):
    """An upper bound of a dimension whose real size depends on data.

    Arithmetic with a Bound gives a Bound, so rules must use only operations that do not decrease when a dimension grows.
    """

    def __add__(self, other: int) -> "Bound":
        return Bound(int(self) + int(other))

    def __mul__(self, other: int) -> "Bound":
        return Bound(int(self) * int(other))

    def __sub__(self, other: int) -> "Bound":
        return Bound(int(self) - int(other))

    def __rsub__(self, other: int) -> "Bound":
        return Bound(int(other) - int(self))

    def __floordiv__(self, other: int) -> "Bound":
        return Bound(int(self) // int(other))

    def __rfloordiv__(self, other: int) -> "Bound":
        return Bound(int(other) // int(self))

    __radd__ = __add__
    __rmul__ = __mul__


class NoShape(Exception):
    """Raised by a rule that cannot determine a shape; its text is the reason."""


def lift(function: "Callable[..., int]", *dims: "Dim[U]") -> "Dim[U]":
    """Makes a function of dimensions from `function`, which takes numbers: the result is unknown if any dimension is unknown, and a Bound
    if any is a Bound.

    `function` must not decrease when a dimension grows.
    """
    for d in dims:
        if not isinstance(d, INTEGERS):
            return d
    result = function(*[int(d) for d in dims])  # type: ignore[arg-type]
    return Bound(result) if any(isinstance(d, Bound) for d in dims) else result


def is_zero(dim: "Dim[U]") -> bool:
    """Returns whether a dimension is exactly 0."""
    return isinstance(dim, INTEGERS) and dim == 0 and not isinstance(dim, Bound)


def product(dims: "Iterable[Dim[U]]") -> "Dim[U]":
    """Returns the product of dimensions; 0 if one is exactly 0, even if others are unknown."""
    size = 1  # type: Dim[U]
    for d in dims:
        if is_zero(d):
            return 0
        size = lift(int.__mul__, size, d)
    return size


def total(dims: "Iterable[Dim[U]]") -> "Dim[U]":
    """Returns the sum of several dimensions."""
    length = 0  # type: Dim[U]
    for d in dims:
        length = lift(int.__add__, length, d)
    return length


def joint(dims: "Sequence[Dim[U]]") -> "Dim[U]":
    """Returns the dimension that results from broadcasting these dimensions in an elementwise operation.

    A known dimension other than 1 is the result, whatever the others are, because any other would be an error at run time. Without one,
    unknown or bounded dimensions take precedence over 1, because Aesara broadcasts every dimension that has length 1 at run time.
    """
    dim, unknown = 1, False  # type: Dim[U], bool
    for d in dims:
        if not isinstance(d, INTEGERS):
            dim, unknown = (dim, True) if unknown else (d, True)
        elif isinstance(d, Bound):
            dim = dim if unknown else max(dim, d) if isinstance(dim, Bound) else d
        elif d != 1:
            return d
    return dim


def agreed(dims: "Sequence[Dim[U]]") -> "Dim[U]":
    """Returns the common dimension of arrays whose dimensions must be equal: an exact one if there is one, else the smallest bound, else
    the first.
    """
    known = [d for d in dims if isinstance(d, INTEGERS)]
    for d in known:
        if not isinstance(d, Bound):
            return d
    return min(known) if known else dims[0] if dims else 1


def broadcast(shapes: "Sequence[Sequence[Dim[U]]]") -> "tuple[Dim[U], ...]":
    """Returns the shape to which arrays of these shapes broadcast, aligned at the right as in numpy."""
    ndim = max([len(s) for s in shapes] or [0])
    padded = [(1,) * (ndim - len(s)) + tuple(s) for s in shapes]
    return tuple([joint(column) for column in zip(*padded)])


def sliced(dim: "Dim[U]", start: "Dim[U] | None", stop: "Dim[U] | None", step: "Dim[U] | None", vague: bool) -> "Dim[U]":
    """Returns the length of the slice start:stop:step of a dimension; None stands for a missing part. `vague`: one of the three is unknown
    or a Bound.
    """
    if start is None and stop is None and not vague and step in (None, 1, -1):
        return dim
    if not isinstance(dim, INTEGERS):
        return dim if vague else _of_unknown(dim, start or 0, stop, step)  # type: ignore[arg-type]
    if vague:
        return 0 if is_zero(dim) else Bound(dim)
    length = len(range(*slice(start, stop, step).indices(int(dim))))
    if isinstance(dim, Bound):
        return Bound(length if _grows(start or 0, stop, step) else dim)  # type: ignore[arg-type]
    return length


def _grows(start: int, stop: "int | None", step: "int | None") -> bool:
    """Whether a longer dimension never shortens the slice. It may if start counts from the end and stop from the front."""
    return (step or 0) >= 0 and not (stop is not None and start < 0 <= stop)


def _of_unknown(dim: "Dim[U]", start: int, stop: "int | None", step: "int | None") -> "Dim[U]":
    """A bound for a slice of an unknown dimension: `stop - start`, if both count from the same end."""
    if step not in (None, 1):
        return dim
    if stop is None:
        return Bound(-start) if start < 0 else dim
    return Bound(max(0, stop - start)) if (start < 0) == (stop < 0) else dim


def remaining_dim(dims: "Sequence[Dim[U]]", others: "Sequence[Dim[U]]") -> "Dim[U]":
    """Returns the dimension that -1 stands for when an array of shape `dims` is reshaped to `others` and that dimension.

    If `others` contains a Bound, a dimension with the same Bound is assumed to be the same length. Other Bounds may be as small as 1, so
    the result is then bounded by the size of the whole array.
    """
    dims, others = list(dims), list(others)
    for d in [d for d in others if isinstance(d, Bound)]:
        same = [i for i, e in enumerate(dims) if isinstance(e, Bound) and e == d]
        if same:
            del dims[same[0]]
            others.remove(d)
    whole = product(dims)
    unknown = [d for d in [whole] + others if not isinstance(d, INTEGERS)]
    if unknown:
        return 0 if is_zero(whole) else unknown[0]
    rest = product([1 if isinstance(d, Bound) else d for d in others])
    length = int(whole) // int(rest) if rest else 0  # type: ignore[arg-type]
    return Bound(length) if any(isinstance(d, Bound) for d in dims + others) else length


def least(a: "Dim[U]", b: "Dim[U]") -> "Dim[U]":
    """Returns the smaller of two dimensions: exact only if both are."""
    return lift(min, a, b)


def larger(a: "Dim[U]", b: "Dim[U]") -> "Dim[U]":
    """Returns the larger of two dimensions, for a value that may have either: exact only if both are equal."""
    dim = lift(max, a, b)
    return Bound(dim) if isinstance(dim, INTEGERS) and a != b else dim


class Window(object):
    """The way in which the kernel of a convolution moves along one dimension.

    `mode` is `valid`, `half`, `full`, or (padding before, padding behind); `step` is the stride. Source: Theano 1.0.5
    tensor/nnet/abstract_conv.py (get_conv_shape_1axis), tensor/nnet/corr.py (CorrMM_gradWeights.infer_shape).
    """

    def __init__(self, mode: "str | tuple[int, int]", step: int, dilation: int) -> None:
        self.mode = mode  # a word, or what is put before and behind
        self.step = step
        self.dilation = dilation

    def pad(self, reach: int) -> int:
        """Returns the total padding for an effective kernel size of `reach`."""
        if isinstance(self.mode, str):
            return {"valid": 0, "half": 2 * (reach // 2), "full": 2 * (reach - 1)}[self.mode]
        return sum(self.mode)

    def reach(self, kernel: int) -> int:
        """Returns the effective kernel size with dilation: (kernel - 1) * dilation + 1."""
        return (kernel - 1) * self.dilation + 1

    def output(self, image: "Dim[U]", kernel: "Dim[U]") -> "Dim[U]":
        """Returns the output size for an image and a kernel of these sizes."""
        return lift(lambda i, k: (i + self.pad(self.reach(k)) - self.reach(k)) // self.step + 1, image, kernel)

    def image(self, kernel: "Dim[U]", output: "Dim[U]") -> "Dim[U]":
        """Returns the size of the smallest image that gives an output of this size."""
        return lift(lambda k, o: (o - 1) * self.step + self.reach(k) - self.pad(self.reach(k)), kernel, output)

    def tells_kernel(self) -> bool:
        """Returns whether the sizes of image and output determine the kernel size."""
        return self.mode != "half" and not (self.mode == "full" and self.step != 1)

    def kernel(self, image: "Dim[U]", output: "Dim[U]") -> "Dim[U]":
        """Returns the kernel size, from the sizes of image and output; only valid if `tells_kernel()`."""
        if self.mode == "full":
            return lift(lambda i, o: (o - i) // self.dilation + 1, image, output)
        pad = 0 if self.mode == "valid" else sum(self.mode)  # type: ignore[arg-type]
        return lift(lambda i, o: (i + pad - (o - 1) * self.step - 1) // self.dilation + 1, image, output)
