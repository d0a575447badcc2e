"""theano.tensor.nnet: activations and losses (Theano 1.0.5, theano/tensor/nnet/nnet.py and sigm.py)."""

from ..target import current

__all__ = [
    "batch_normalization", "binary_crossentropy", "categorical_crossentropy", "confusion_matrix", "crossentropy_categorical_1hot",
    "crossentropy_softmax_1hot", "elu", "hard_sigmoid", "logsoftmax", "logsoftmax_last", "relu", "selu", "sigmoid_binary_crossentropy",
    "softmax", "softmax_graph", "softmax_last", "softsign", "ultra_fast_sigmoid",
]  # fmt: skip


def _rows(x: object) -> object:
    """Theano's softmax takes vectors and matrices of floats, and gives back a vector as a matrix of one row."""
    rows = current.tensor.as_tensor_variable(x)
    if rows.ndim not in (1, 2) or "float" not in rows.dtype:
        raise ValueError("x must be 1-d or 2-d tensor of floats. Got {}".format(rows.type))
    return current.tensor.shape_padleft(rows, n_ones=1) if rows.ndim == 1 else rows


def softmax_last(c: object, axis: object = -1) -> object:
    """Softmax along `axis`: by default the last, as in Aesara's nnet."""
    return current.module("tensor.special").softmax(current.tensor.as_tensor_variable(c), axis=axis)


def logsoftmax_last(c: object, axis: object = -1) -> object:
    """Logarithm of the softmax along `axis`: by default the last, as in Aesara's nnet."""
    return current.module("tensor.special").log_softmax(current.tensor.as_tensor_variable(c), axis=axis)


def softmax(c: object) -> object:
    """Row by row."""
    return softmax_last(_rows(c))


def softmax_graph(c: object) -> object:
    """The softmax written out: the same values."""
    return softmax(c)


def logsoftmax(c: object) -> object:
    """Row by row."""
    return logsoftmax_last(_rows(c))


def relu(x: object, alpha: object = 0) -> object:
    """max(x, alpha * x), in the form that Theano uses."""
    t = current.tensor
    value = t.as_tensor_variable(x)
    if isinstance(alpha, int) and alpha == 0:
        return 0.5 * (value + abs(value))
    slope = t.as_tensor_variable(alpha)
    return 0.5 * (1 + slope) * value + 0.5 * (1 - slope) * abs(value)


def elu(x: object, alpha: object = 1) -> object:
    """x above 0, alpha * (exp(x) - 1) below."""
    t = current.tensor
    return t.switch(t.gt(x, 0), x, alpha * t.expm1(x))


def selu(x: object) -> object:
    """The scaled elu."""
    return 1.0507009873554804934193349852946 * current.tensor.as_tensor_variable(elu(x, 1.6732632423543772848170429916717))


def hard_sigmoid(x: object) -> object:
    """clip(0.2 x + 0.5, 0, 1)."""
    t = current.tensor
    value = t.as_tensor_variable(x)
    dtype = value.dtype if "float" in value.dtype else "float64"
    return t.clip(value * t.constant(0.2, dtype=dtype) + t.constant(0.5, dtype=dtype), 0, 1)


def ultra_fast_sigmoid(x: object) -> object:
    """Theano's piecewise approximation of the sigmoid."""
    t = current.tensor
    half = 0.5 * t.as_tensor_variable(x)
    size = abs(half)
    middle = 0.935409070603099 + 0.0458812946797165 * (size - 1.7)
    value = t.switch(t.lt(size, 1.7), 1.5 * size / (1 + size), t.switch(t.lt(size, 3), middle, 0.99505475368673))
    return t.cast(0.5 * (t.switch(t.ge(half, 0), value, -value) + 1), half.dtype)


def softsign(x: object) -> object:
    """x / (1 + |x|)."""
    value = current.tensor.as_tensor_variable(x)
    return value / (1 + abs(value))


def binary_crossentropy(output: object, target: object) -> object:
    """Element by element; `output` is a probability."""
    t = current.tensor
    p, true = t.as_tensor_variable(output), t.as_tensor_variable(target)
    return -(true * t.log(p) + (1.0 - true) * t.log(1.0 - p))


def sigmoid_binary_crossentropy(output: object, target: object) -> object:
    """binary_crossentropy(sigmoid(output), target), stable."""
    t = current.tensor
    score, true = t.as_tensor_variable(output), t.as_tensor_variable(target)
    return t.softplus(-abs(score)) + score * (t.gt(score, 0) - true)


def crossentropy_categorical_1hot(coding_dist: object, true_one_of_n: object) -> object:
    """-log of the probability of the true class, row by row."""
    t = current.tensor
    coding, true = t.as_tensor_variable(coding_dist), t.as_tensor_variable(true_one_of_n)
    return -t.log(coding[t.arange(true.shape[0]), true])


def categorical_crossentropy(coding_dist: object, true_dist: object) -> object:
    """Row by row; the true distribution is a matrix of probabilities or a vector of classes."""
    t = current.tensor
    coding, true = t.as_tensor_variable(coding_dist), t.as_tensor_variable(true_dist)
    if true.ndim == coding.ndim:
        return -t.sum(true * t.log(coding), axis=coding.ndim - 1)
    if true.ndim == coding.ndim - 1:
        return crossentropy_categorical_1hot(coding, true)
    raise TypeError("rank mismatch between coding and true distributions")


def crossentropy_softmax_1hot(x: object, y_idx: object) -> object:
    """(cross-entropy of softmax(x) row by row, softmax(x))."""
    t = current.tensor
    index = t.as_tensor_variable(y_idx)
    log = t.as_tensor_variable(logsoftmax(x))
    return -log[t.arange(index.shape[0]), index], softmax(x)


def batch_normalization(inputs: object, gamma: object, beta: object, mean: object, std: object, mode: str = "low_mem") -> object:
    """(inputs - mean) * (gamma / std) + beta; both modes have the same value."""
    if mode not in ("low_mem", "high_mem"):
        raise ValueError('mode must be either "low_mem", "high_mem"')
    as_tensor = current.tensor.as_tensor_variable
    return (as_tensor(inputs) - mean) * (as_tensor(gamma) / std) + beta


def confusion_matrix(actual: object, pred: object) -> object:
    """[counts of (actual, predicted), the classes in order]."""
    t = current.tensor
    classes = [t.as_tensor_variable(v) for v in (actual, pred)]
    order = current.module("tensor.extra_ops").Unique(False, False, False)(t.concatenate(classes))
    rows, columns = (t.eq(v.dimshuffle(0, "x"), order).astype("int64") for v in classes)
    return [t.dot(rows.T, columns), order]
