"""Shape rules of Ops for which the frameworks have no `infer_shape`, from the Ops' documentation, and bounds for shapes that depend on
data."""

import math

from .dimensions import Bound, NoShape, Window, agreed, broadcast, least, lift, product
from .frequent_ops import axes_of, like, wanted_dims
from .state import has_shape
from .values import UNKNOWN, length_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live
    from .frequent_ops import Shapes
    from .state import LiveState


def advanced(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of AdvancedSubtensor: the broadcast shape of the index arrays replaces the dimensions that they index.

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
    """Returns the indices of an AdvancedSubtensor: None for a new axis, [start, stop, step] for a slice, and the Variable itself for a
    number, index array or mask.

    Up to PyTensor 2 every input after the first is an index; later versions have a pattern in which numbers refer to inputs.
    """
    pattern = getattr(node.op, "idx_list", None)
    if pattern is None:
        return [entry_of(v, state) for v in node.inputs[1:]]

    def part(value: "Live") -> "Live":
        return None if value is None else number_of(node.inputs[1 + value], state)

    return [[part(e.start), part(e.stop), part(e.step)] if isinstance(e, slice) else entry_of(node.inputs[1 + e], state) for e in pattern]


def entry_of(variable: "Live", state: "LiveState") -> "Live":
    """Returns the index that an input of AdvancedSubtensor stands for: None, [start, stop, step], or the Variable itself."""
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
    """Returns the value of a part of a slice, or UNKNOWN."""
    dim = state.dim(variable)
    return UNKNOWN if dim is None or isinstance(dim, Bound) else dim


def covered(variable: "Live", shape: "list[Live]", state: "LiveState") -> "tuple[Live, ...]":
    """Returns the dimensions of the result that an index array or mask produces, and removes the dimensions that it indexes from the front
    of `shape`.
    """
    own = state.shape(variable)
    if getattr(variable.type, "dtype", "") != "bool":
        shape.pop(0)
        return own
    del shape[: len(own)]
    size = product(own)  # type: Live
    return (None if size is None else Bound(size),)


def apart(places: "list[int]") -> bool:
    """Returns whether the index arrays, at these positions of the result, are not adjacent. If they are not, numpy puts their
    shape first.
    """
    return places != list(range(places[0], places[0] + len(places)))


def nonzero(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shapes of Nonzero: at most as many positions as elements.

    Theano 1.0.5 gives one matrix, with a row for each dimension; others a vector for each.
    """
    shape = state.shape(node.inputs[0])
    size = product(shape)  # type: Live
    length = None if size is None else Bound(size)
    return [(len(shape), length) if v.type.ndim == 2 else (length,) for v in node.outputs]


def unique(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shapes of Unique: at most as many elements (or slices along the axis) as the input; the inverse has one entry for
    each element of the input.
    """
    shape, axis = state.shape(node.inputs[0]), getattr(node.op, "axis", None)
    length = product(shape) if axis is None else shape[int(axis)]  # type: Live
    most = None if length is None else Bound(length)
    first = (most,) if axis is None else tuple(most if i == axis % len(shape) else d for i, d in enumerate(shape))
    shapes = [first]  # type: Shapes
    for flag, dims in (("return_index", (most,)), ("return_inverse", (length,)), ("return_counts", (most,))):
        if getattr(node.op, flag, False):
            shapes.append(dims)
    return shapes


def windows(op: "Live") -> "list[Window]":
    """Returns one Window for each spatial dimension of a convolution; `border_mode` may be one number or word for all."""
    n, given = len(op.subsample), op.border_mode
    modes = given if isinstance(given, (tuple, list)) else [given] * n
    return [Window((m, m) if isinstance(m, int) else m, s, d) for m, s, d in zip(modes, op.subsample, op.filter_dilation)]


def corr(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of CorrMM and Corr3dMM of images (batch, channels, ...) and kernels (filters, channels, ...): (batch,
    filters, ...).
    """
    image, kernel = state.shape(node.inputs[0]), state.shape(node.inputs[1])
    kinds = windows(node.op)
    n = len(kinds)
    return [(image[0], kernel[0]) + tuple(w.output(i, k) for w, i, k in zip(kinds, image[-n:], kernel[-n:]))]


def given_sizes(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the spatial sizes that a gradient node gets as additional inputs, because with a stride the other shapes do not determine
    them; may be empty.
    """
    return [state.dim(v) for v in node.inputs[2:]]


def corr_weights(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of the gradient with respect to the kernels: (output channels, image channels / groups, ...)."""
    image, top, op = state.shape(node.inputs[0]), state.shape(node.inputs[1]), node.op
    kinds = windows(op)
    n = len(kinds)
    sizes = given_sizes(node, state) or [w.kernel(i, t) if w.tells_kernel() else None for w, i, t in zip(kinds, image[-n:], top[-n:])]
    shared = (top[1], lift(lambda c: c // getattr(op, "num_groups", 1), image[1])) + tuple(sizes)
    return [shared[:1] + top[2:] + shared[1:] if getattr(op, "unshared", False) else shared]


def corr_inputs(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of the gradient with respect to the images: (batch, kernel channels * groups, ...)."""
    kernel, top, op = state.shape(node.inputs[0]), state.shape(node.inputs[1]), node.op
    kinds = windows(op)
    n = len(kinds)
    sizes = given_sizes(node, state) or [w.image(k, t) for w, k, t in zip(kinds, kernel[-n:], top[-n:])]
    return [(top[0], lift(lambda c: c * getattr(op, "num_groups", 1), kernel[-n - 1])) + tuple(sizes)]


def sample(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shapes of mrg_uniform of (state, size): those of the next state, and of a sample of that size."""
    size = wanted_dims(node.inputs[1], state)
    ndim = node.outputs[1].type.ndim
    return [state.shape(node.inputs[0]), (None,) * ndim if size is None else tuple(size)]


def drawn(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shapes of RandomFunction and RandomVariable if only some dimensions of the requested size are known.

    Raises LookupError if all or none are known; the caller then uses the framework's `infer_shape`.
    """
    size = wanted_dims(node.inputs[1], state) or []
    if None not in size or len(size) != node.outputs[1].type.ndim:
        raise LookupError("all or nothing of the size is known")
    return [None, tuple(size)]


def softmax_argmax(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shapes of CrossentropySoftmaxArgmax1HotWithBias: negative log likelihoods, probabilities, classes."""
    x = state.shape(node.inputs[0])
    return [x[:1], x, x[:1]]


def cumulated(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of CumOp: that of the input; without an axis that of the flattened input."""
    shape = state.shape(node.inputs[0])
    return [shape if getattr(node.op, "axis", None) is not None else (product(shape),)]


def reduced_by_cudnn(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shapes of GpuDnnReduction: the input's shape without the reduced axes, for values and, if requested, indices."""
    shape = state.shape(node.inputs[0])
    axes = axes_of(node.op.axis, len(shape))
    return [tuple(d for i, d in enumerate(shape) if i not in axes)] * len(node.outputs)


def real_fft(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of RFFT of (batch array, size): the last dimension becomes n // 2 + 1, and 2 is appended for real and
    imaginary part.
    """
    dims = sizes_of(node, state)
    return [state.shape(node.inputs[0])[:1] + dims[:-1] + (None if dims[-1] is None else dims[-1] // 2 + 1, 2)]


def sizes_of(node: "Live", state: "LiveState") -> "tuple[Live, ...]":
    """Returns the dimensions that are the value of a node's second input. Raises NoShape if they are unknown."""
    dims = wanted_dims(node.inputs[1], state)
    if not dims:
        raise NoShape("a Fourier transform of a size that is not known")
    return tuple(dims)


def inverse_real_fft(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of IRFFT of (batch array, size): the spatial dimensions are the value of `size`."""
    return [state.shape(node.inputs[0])[:1] + sizes_of(node, state)]


def qr(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shapes of QRFull and QRIncomplete: those of Q and R for numpy's modes (`full` is an old name of `reduced`).

    Theano and Aesara have no `infer_shape` for them.
    """
    m, n = state.shape(node.inputs[0])
    k = least(m, n)
    both = [(m, k), (k, n)]  # type: Shapes
    modes = {"complete": [(m, m), (m, n)], "full": both, "reduced": both, "r": [(k, n)], "economic": [(m, n)], "raw": [(n, m), (k,)]}  # type: dict[str, Shapes]
    return modes[node.op.mode]


def magma_qr(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shapes of GpuMagmaQR: those of R, then Q. Source: Theano 1.0.5 gpuarray/linalg.py, gpuarray/c_code/magma_qr.c."""
    m, n = state.shape(node.inputs[0])
    k = least(m, n)
    shapes = [(k, n), (m, k)]  # type: Shapes
    return shapes[: len(node.outputs)]


def scipy_qr(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shapes of QR of PyTensor 3 for scipy's modes, on its own or batched (Blockwise).

    Its `infer_shape` differs from its results: R alone has all rows if computed by Python, and no more rows than columns if computed by
    Numba; `raw` gives (m, n), (k,), (k, n). Raises LookupError for another Blockwise. Source: PyTensor 3.0.7 and 3.3.7
    tensor/linalg/decomposition/qr.py, link/numba/dispatch/linalg/decomposition/qr.py, and runs of both.
    """
    op = getattr(node.op, "core_op", node.op)
    if type(op).__name__ != "QR":
        raise LookupError("another Blockwise")
    shape = state.shape(node.inputs[0])
    batch, m, n = shape[:-2], shape[-2], shape[-1]
    k = least(m, n)
    rows = m if m is None or m == k else Bound(m)
    modes = {"full": [(m, m), (m, n)], "economic": [(m, k), (k, n)], "r": [(rows, n)], "raw": [(m, n), (k,), (k, n)]}
    return [batch + dims for dims in modes[op.mode] + ([(n,)] if op.pivoting else [])]


def least_squares(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shapes of Lstsq: the solution, residuals (none if they are not unique), the rank, the singular values, as in
    numpy.
    """
    rows, columns = state.shape(node.inputs[0])
    right = state.shape(node.inputs[1])
    residuals = right[1] if len(right) > 1 else 1
    return [(columns,) + right[1:], (None if residuals is None else Bound(residuals),), (), (least(rows, columns),)]


def tensor_solution(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of TensorSolve of (a, b): the dimensions of `a` that `b` lacks, after the axes given as a parameter were
    moved to the end.
    """
    shape, right = state.shape(node.inputs[0]), state.shape(node.inputs[1])
    axes = getattr(node.op, "axes", None) or ()
    moved = [d for i, d in enumerate(shape) if i not in axes] + [shape[i] for i in axes]
    return [tuple(moved[len(right) :])]


def diagonals(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of DiagonalSubtensor of (array, i, j): axis i has n_i - n_j + 1 elements, one for each window of
    length n_j.
    """
    shape, axes = state.shape(node.inputs[0]), [state.dim(v) for v in node.inputs[1:3]]
    if None in axes:
        raise NoShape("DiagonalSubtensor along axes that are not known")
    i, j = [int(a) % len(shape) for a in axes]
    length = None if shape[i] is None or shape[j] is None else shape[i] - shape[j] + 1
    if length is not None and isinstance(shape[j], Bound):
        length = Bound(shape[i])  # the window may be as short as 1
    return [tuple(length if k == i else d for k, d in enumerate(shape))]


def split(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shapes of Split of (array, axis, sizes), in PyTensor 3 of (array, sizes) with the axis as a parameter: parts of
    these sizes along the axis.
    """
    shape, fixed = state.shape(node.inputs[0]), getattr(node.op, "axis", None)
    axis = state.dim(node.inputs[1]) if fixed is None else int(fixed)
    if axis is None:
        raise NoShape("Split along an axis that is not known")
    sizes = wanted_dims(node.inputs[2 if fixed is None else 1], state) or []
    sizes = sizes if len(sizes) == len(node.outputs) else [None] * len(node.outputs)
    axis %= len(shape)
    return [shape[:axis] + (size,) + shape[axis + 1 :] for size in sizes]


def arange(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of ARange of (start, stop, step): ceil((stop - start) / step) elements. Raises LookupError if a value is
    unknown.
    """
    values = [state.value(v) for v in node.inputs[:3]]
    if any(v is None or v.size != 1 for v in values):
        raise LookupError("a value is not known")
    start, stop, step = [v.reshape(()).item() for v in values]
    if not step:
        raise NoShape("ARange with step 0")
    if node.inputs[0] in state.tainted or node.inputs[2] in state.tainted:
        raise NoShape("the start or the step of ARange depends on data")
    length = max(0, int(math.ceil((stop - start) / float(step)))) if isinstance(step, float) else max(0, -(-(stop - start) // step))
    return [(Bound(length) if node.inputs[1] in state.tainted else length,)]


def sparse_and_dense(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of the sum of a sparse matrix and a dense one of the same shape, or a dense vector that is added to each
    row.
    """
    a, b = state.shape(node.inputs[0]), state.shape(node.inputs[1])
    return [tuple(agreed([x, y]) for x, y in zip(a, b)) if len(b) == 2 else a]


def sparse_parts(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shapes of CSMProperties: entries, their positions, where each row (CSR) or column (CSC) begins, the shape."""
    rows, columns = state.shape(node.inputs[0])
    ends = rows if getattr(node.inputs[0].type, "format", "") == "csr" else columns
    return [(None,), (None,), (None if ends is None else ends + 1,), (2,)]


def sparse_part(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of GetItem2d of (matrix, start, stop, step of rows, start, stop, step of columns)."""
    entries = [number_of(v, state) if has_shape(v.type) else None for v in node.inputs[1:7]]
    shape = state.shape(node.inputs[0])
    return [tuple(length_of(d, e) for d, e in zip(shape, (entries[:3], entries[3:])))]


def sparse_whole(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of CSM of (entries, positions, beginnings, shape); the shape may come from another matrix's
    CSMProperties.
    """
    dims, owner = wanted_dims(node.inputs[3], state), node.inputs[3].owner
    if dims is not None:
        return [tuple(dims)]
    if owner is None or type(owner.op).__name__ != "CSMProperties":
        raise NoShape("the shape of a sparse matrix that is computed from data")
    return [state.shape(owner.inputs[0])]


def choose(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of Choose of (positions, choices): the broadcast of the positions with each choice. The choices are a list,
    or an array stacked along dimension 0.
    """
    owner = node.inputs[1].owner
    listed = [state.shape(v) for v in owner.inputs] if owner is not None and type(owner.op).__name__ == "MakeList" else None
    if listed is None and not has_shape(node.inputs[1].type):
        raise NoShape("Choose from a list that is not known")
    return [broadcast([state.shape(node.inputs[0])] + (listed if listed is not None else [state.shape(node.inputs[1])[1:]]))]


def sparse_rows(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of GetItemList of (matrix, row numbers): one row for each number."""
    return [(state.shape(node.inputs[1])[0], state.shape(node.inputs[0])[1])]


def choice(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of ChoiceFromUniform: for each row of probabilities as many numbers as the third input's value."""
    return [(state.shape(node.inputs[0])[0], state.dim(node.inputs[2]))]


def eigen(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shapes of eigenvalue Ops: eigenvalues, and eigenvectors if there is a second output."""
    shape = state.shape(node.inputs[0])
    shapes = [shape[:1], shape]  # type: Shapes
    return shapes[: len(node.outputs)]


def transposed(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of the pseudo-inverse of (m, n): (n, m)."""
    return [state.shape(node.inputs[0])[::-1]]


def ctc(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shapes of ConnectionistTemporalClassification of (time, batch, classes): a cost for each batch entry, and the
    gradient.
    """
    x = state.shape(node.inputs[0])
    shapes = [x[1:2], x]  # type: Shapes
    return shapes[: len(node.outputs)]


BY_NAME = {
    "Nonzero": nonzero,
    "Unique": unique,
    "AdvancedSubtensor": advanced,
    "AdvancedBooleanSubtensor": advanced,
    "Split": split,
    "DiagonalSubtensor": diagonals,
    "ARange": arange,
    "AddSD": sparse_and_dense,
    "AddSparseDense": sparse_and_dense,
    "CSMProperties": sparse_parts,
    "CSM": sparse_whole,
    "RandomFunction": drawn,
    "RandomVariable": drawn,
    "Choose": choose,
    "GetItem2d": sparse_part,
    "GetItemList": sparse_rows,
    "Corr3dMMGradWeights": corr_weights,
    "Corr3dMMGradInputs": corr_inputs,
    "CorrMM": corr,
    "Corr3dMM": corr,
    "CorrMM_gradWeights": corr_weights,
    "CorrMM_gradInputs": corr_inputs,
    "Corr3dMM_gradWeights": corr_weights,
    "Corr3dMM_gradInputs": corr_inputs,
    "mrg_uniform_base": sample,
    "GPUA_mrg_uniform": sample,
    "CrossentropySoftmaxArgmax1HotWithBias": softmax_argmax,
    "CrossentropySoftmax1HotWithBiasDx": like(1),
    "CumOp": cumulated,
    "DnnReduction": reduced_by_cudnn,
    "RFFTOp": real_fft,
    "CuRFFTOp": real_fft,
    "IRFFTOp": inverse_real_fft,
    "CuIRFFTOp": inverse_real_fft,
    "Lstsq": least_squares,
    "lstsq": least_squares,
    "TensorSolve": tensor_solution,
    "PivotToPermutations": like(0),
    "MagmaQR": magma_qr,
    "QR": scipy_qr,
    "Blockwise": scipy_qr,
    "QRFull": qr,
    "QRIncomplete": qr,
    "Cholesky": like(0),
    "CusolverSolve": like(1),
    "CublasTriangularSolve": like(1),
    "MagmaEigh": eigen,
    "MatrixPinv": transposed,
    "GPUAMultinomialFromUniform": like(0),
    "GPUAChoiceFromUniform": choice,
    "GPUAMultinomialWOReplacementFromUniform": choice,
    "ConnectionistTemporalClassification": ctc,
    "IncDiagonalSubtensor": like(0),
    "GradClip": like(0),
}
"""Class name of an Op, without `Gpu` -> its shape rule."""
