"""`theano.tensor.raw_random`: Ops that draw from numpy's RandomState, whose streams do not change between numpy's releases."""

from __future__ import annotations

import sys
from typing import Any

import numpy
import pytensor
import pytensor.tensor as pt
from pytensor.compile import optdb
from pytensor.gradient import DisconnectedType, grad_undefined
from pytensor.graph.basic import Apply, Constant, Variable
from pytensor.graph.rewriting.basic import in2out, node_rewriter
from pytensor.graph.type import Type
from pytensor.scalar import upcast
from pytensor.tensor.exceptions import ShapeError
from pytensor.tensor.type import integer_dtypes

from ..ops.op import LegacyOp

RandomState = numpy.random.RandomState


class RandomStateType(Type):
    """Type of Variables whose value is a numpy.random.RandomState."""

    __props__ = ()

    def __str__(self) -> str:
        return "RandomStateType"

    def filter(self, data: Any, strict: bool = False, allow_downcast: Any = None) -> Any:
        """Returns `data` unchanged. Raises TypeError unless it is a RandomState."""
        if not self.is_valid_value(data):
            raise TypeError(f"{data!r} is no numpy.random.RandomState")
        return data

    def is_valid_value(self, data: Any, strict: bool = True) -> bool:
        """Returns whether `data` is exactly a RandomState, not a subclass."""
        return type(data) is RandomState

    @staticmethod
    def values_eq(a: Any, b: Any) -> bool:
        """Returns whether both states draw the same numbers from now on."""
        kind, key, position, has_gauss, gauss = a.get_state()
        kind_b, key_b, position_b, has_gauss_b, gauss_b = b.get_state()
        same = kind == kind_b and (key == key_b).all() and (position, has_gauss) == (position_b, has_gauss_b)
        return bool(same and (not has_gauss or gauss == gauss_b))

    @staticmethod
    def values_eq_approx(a: Any, b: Any) -> bool:
        """The same as `values_eq`: states have no tolerance."""
        return RandomStateType.values_eq(a, b)

    def get_shape_info(self, obj: Any) -> None:
        """Always None: a state has no shape."""

    def get_size(self, shape_info: Any) -> int:
        """Returns the size of a state, in bytes."""
        state: Any = RandomState(0).get_state()
        return len(state[0]) + state[1].nbytes + 8 * len(state[2:])

    @staticmethod
    def may_share_memory(a: Any, b: Any) -> bool:
        """Returns whether both are the same object."""
        return a is b


random_state_type = RandomStateType()


def copy_state(state: Any) -> Any:
    """Returns a RandomState that draws the same numbers as `state` but is independent of it (copy.copy would share the generator)."""
    copied = RandomState(numpy.random.MT19937(0))
    copied.set_state(state.get_state())
    return copied


class RandomFunction(LegacyOp):
    """(state, shape, *parameters) -> (new state, numbers drawn by `fn`, a method of RandomState or its name).

    `fn` takes the state, the parameters and the shape, which is None if the parameters determine it. The result has `ndim_added` more
    dimensions than `shape` has entries.
    """

    __props__ = ("fn", "outtype", "inplace", "ndim_added")

    def __init__(self, fn: Any, outtype: Any, inplace: bool = False, ndim_added: int = 0) -> None:
        self.__setstate__({"fn": fn, "outtype": outtype, "inplace": inplace, "ndim_added": ndim_added})

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("exec_fn", "destroy_map")}

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, dict):
            state = dict(zip(self.__props__, state))
        self.__dict__.update(state)
        self.exec_fn = getattr(RandomState, self.fn) if isinstance(self.fn, str) else self.fn
        if self.inplace:
            self.destroy_map = {0: [0]}

    def __str__(self) -> str:
        return f"RandomFunction{{{self.exec_fn.__name__}}}"

    def make_node(self, r: Any, shape: Any, *args: Any) -> Any:
        """Makes the Apply node for a state `r`, an integer vector `shape` and the parameters."""
        vector = pt.as_tensor_variable(shape, ndim=1)
        if isinstance(shape, (tuple, list)) and not shape:
            vector = vector.astype("int64")
        assert vector.type.ndim == 1
        assert vector.type.dtype in ("int64", "int32")
        if not isinstance(r.type, RandomStateType):
            sys.stderr.write("WARNING: RandomState instances should be in RandomStateType\n")
        return Apply(self, [r, vector, *map(pt.as_tensor_variable, args)], [r.type(), self.outtype()])

    def output_shapes(self, node: Any, shapes: Any) -> list[Any]:
        """Returns the lengths in `shape`. Raises ShapeError if the parameters determine them."""
        shape = node.inputs[1]
        if self.ndim_added != 0 or (isinstance(shape, Constant) and not len(shape.data)):
            raise ShapeError("the shape follows from the parameters")
        return [None, [shape[i] for i in range(node.outputs[1].ndim)]]

    def draw(self, state: Any, shape: Any, args: Any, dtype: str) -> Any:
        """Returns the numbers drawn from `state`, which advances. Raises ValueError if their rank differs from that of the output type."""
        size = tuple(int(length) for length in shape) or None
        ndim = self.outtype.ndim
        if size is not None and ndim != len(size) + self.ndim_added:
            raise ValueError(
                f"Shape mismatch: self.outtype.ndim ({ndim}) != len(shape) ({len(size)}) + self.ndim_added ({self.ndim_added})"
            )
        drawn = numpy.asarray(self.exec_fn(state, *args, size)).astype(dtype, copy=False)
        if size is None and drawn.ndim == 0 and ndim > 0:
            drawn = drawn.reshape([1] * ndim)
        if drawn.ndim != ndim:
            raise ValueError(
                f'Shape mismatch: "out" should have dimension {ndim}, but the value produced by "perform" has dimension {drawn.ndim}'
            )
        if size is not None and self.ndim_added >= 0 and size != drawn.shape[: len(size)]:
            raise ValueError(
                f'Shape mismatch: "out" should have shape {size} (plus {self.ndim_added} extra dimensions), but the value produced by '
                f'"perform" has shape {drawn.shape}'
            )
        return drawn

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        """Draws from a copy of the state, or from the state itself if `inplace`."""
        state, shape, *args = inputs
        assert type(state) is RandomState, (type(state), state)
        if not self.inplace:
            state = copy_state(state)
        outputs[0][0] = state
        outputs[1][0] = self.draw(state, shape, args, node.outputs[1].type.dtype)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> list[Any]:
        """Returns undefined gradients for every input."""
        return [grad_undefined(self, k, x, "No gradient defined through raw random numbers op") for k, x in enumerate(inputs)]

    def pushforward(self, inputs: Any, outputs: Any, tangents: Any) -> list[Any]:
        """Returns disconnected tangents for every output."""
        return [DisconnectedType()() for _ in outputs]


def _borrowed(entry: int, ndim: int, args: Any) -> tuple[Any, bool]:
    """(length, whether it is broadcastable) of dimension `entry` of a result of rank `ndim`, derived from the parameters."""
    overlap = [a for a in args if entry >= ndim - a.ndim]
    if not overlap:
        raise ValueError("Auto-shape of -1 must overlapwith the shape of one of the broadcastableinputs")
    for a in overlap:
        if not a.broadcastable[entry + a.ndim - ndim]:
            return a.shape[entry + a.ndim - ndim], False
    return pt.as_tensor_variable(1), True


def _infer_ndim_bcast(ndim: Any, shape: Any, *args: Any) -> tuple[int, Any, tuple[bool, ...]]:
    """(rank, vector of lengths, broadcast pattern) of a draw of `shape` with the parameters `args`."""
    lengths: Any
    entries: list[tuple[Any, bool]]
    if isinstance(shape, (tuple, list)):
        if ndim is None:
            ndim = len(shape)
        elif len(shape) != ndim:
            raise ValueError("ndim should be equal to len(shape), but\n", f"ndim = {ndim}, len(shape) = {len(shape)}, shape = {shape}")
        entries = []
        for i, s in enumerate(shape):
            if isinstance(s, Variable):
                entries.append((s, False))
            elif s >= 0:
                entries.append((pt.as_tensor_variable(s), s == 1))
            elif s == -1:
                entries.append(_borrowed(i, ndim, args))
        flags = [flag for _, flag in entries]
        lengths = pt.stack([length for length, _ in entries]) if entries else pt.constant([], dtype="int64")
    elif shape is None:
        if not args:
            raise TypeError("_infer_ndim_bcast cannot infer shape without either shape or args")
        ndim = max(a.ndim for a in args)
        entries = [_borrowed(i, ndim, args) for i in range(ndim)]
        flags = [flag for _, flag in entries]
        lengths = pt.stack([pt.cast(length, "int64") for length, _ in entries]) if entries else pt.constant([], dtype="int64")
    else:
        lengths = pt.as_tensor_variable(shape)
        if lengths.ndim != 1:
            raise TypeError(f"shape must be a vector or list of scalar, got '{lengths}'")
        if ndim is None:
            ndim = pt.get_vector_length(lengths)
        flags = [False] * ndim
    if lengths.ndim != 1:
        raise TypeError(f"shape must be a vector or list of scalar, got '{lengths}'")
    if lengths.dtype not in integer_dtypes:
        raise TypeError("shape must be an integer vector or list", lengths.dtype)
    needed = max((a.ndim for a in args), default=0)
    if needed > ndim:
        raise ValueError("ndim should be at least as big as required by args value", (ndim, needed), args)
    assert ndim == len(flags)
    return ndim, pt.cast(lengths, "int64"), tuple(flags)


def _generate_broadcasting_indices(out_shape: Any, *shapes: Any) -> list[Any]:
    """Indices into an array of shape `out_shape`, and for each of `shapes` the indices that broadcast to them."""
    for shape in shapes:
        for dim, length in enumerate(out_shape):
            if shape[dim] not in (1, length):
                message = f"shape[{dim}] ({shape[dim]}) should be equal to out_shape[{dim}] ({length}) or to 1"
                raise ValueError(message, shape, out_shape, shapes)
    everywhere = list(numpy.ndindex(*out_shape))
    return [everywhere] + [[tuple(0 if shape[d] == 1 else i for d, i in enumerate(index)) for index in everywhere] for shape in shapes]


def _type(dtype: Any, flags: Any) -> Any:
    """TensorType of `dtype` with the broadcast pattern `flags`."""
    return pt.TensorType(dtype, shape=tuple(1 if flag else None for flag in flags))


def _real(kind: str, random_state: Any, size: Any, first: Any, second: Any, ndim: Any, dtype: Any) -> Any:
    """(new state, draw) of the float distribution `kind` with two parameters."""
    first, second = pt.as_tensor_variable(first), pt.as_tensor_variable(second)
    if dtype is None:
        dtype = upcast(pytensor.config.floatX, first.dtype, second.dtype)
    ndim, size, flags = _infer_ndim_bcast(ndim, size, first, second)
    return RandomFunction(kind, _type(dtype, flags))(random_state, size, first, second)


def uniform(random_state: Any, size: Any = None, low: Any = 0.0, high: Any = 1.0, ndim: Any = None, dtype: Any = None) -> Any:
    """Draws uniform numbers between `low` and `high`. Returns (new state, numbers)."""
    return _real("uniform", random_state, size, low, high, ndim, dtype)


def normal(random_state: Any, size: Any = None, avg: Any = 0.0, std: Any = 1.0, ndim: Any = None, dtype: Any = None) -> Any:
    """Draws Gaussian numbers with mean `avg` and standard deviation `std`. Returns (new state, numbers)."""
    return _real("normal", random_state, size, avg, std, ndim, dtype)


def binomial(
    random_state: Any, size: Any = None, n: Any = 1, p: Any = 0.5, ndim: Any = None, dtype: Any = "int64", prob: Any = None
) -> Any:
    """Draws numbers of successes in `n` trials with probability `p`; `prob` is the older name of `p`. Returns (new state, numbers)."""
    if prob is not None:
        p = prob
        _say_prob()
    n, p = pt.as_tensor_variable(n), pt.as_tensor_variable(p)
    ndim, size, _ = _infer_ndim_bcast(ndim, size, n, p)
    return RandomFunction("binomial", _type(dtype, (False,) * ndim))(random_state, size, n, p)


def _say_prob() -> None:
    """Writes to stderr that the parameter `prob` is now called `p`, as Theano does."""
    message = "the parameter prob to the binomal fct have been renamed to p to have the same name as numpy."
    sys.stderr.write("DEPRECATION WARNING: " + message + "\n")


def _stretched(array: Any, ndim: int, what: str) -> Any:
    """`array` with leading axes of length 1 up to rank `ndim`. Raises ValueError, naming `what`, if it has more axes."""
    if array.ndim > ndim:
        raise ValueError(f"{what}.ndim ({array.ndim}) should not be larger than len(size) ({ndim})", array)
    return array.reshape((1,) * (ndim - array.ndim) + array.shape)


def random_integers_helper(random_state: Any, low: Any, high: Any, size: Any) -> Any:
    """Returns integers from `low` to `high` (arrays that broadcast), both included, drawn one by one as in Theano."""
    ndim = len(size) if size is not None else max(low.ndim, high.ndim)
    low, high = _stretched(low, ndim, "low"), _stretched(high, ndim, "high")
    shape = tuple(size) if size is not None else tuple(max(a, b) for a, b in zip(low.shape, high.shape))
    if low.size == high.size == 1:
        return random_state.randint(low=low.item(), high=high.item() + 1, size=shape)
    out = numpy.empty(shape)
    for here, i, j in zip(*_generate_broadcasting_indices(shape, low.shape, high.shape)):
        out[here] = random_state.randint(low=low[i], high=high[j] + 1)
    return out


def random_integers(random_state: Any, size: Any = None, low: Any = 0, high: Any = 1, ndim: Any = None, dtype: Any = "int64") -> Any:
    """Draws integers from `low` to `high`, both included. Returns (new state, integers)."""
    low, high = pt.as_tensor_variable(low), pt.as_tensor_variable(high)
    ndim, size, flags = _infer_ndim_bcast(ndim, size, low, high)
    return RandomFunction(random_integers_helper, _type(dtype, flags))(random_state, size, low, high)


def choice_helper(random_state: Any, a: Any, replace: Any, p: Any, size: Any) -> Any:
    """Returns random elements of the vector `a`, or of range(a) for a scalar; an empty `p` means equal probabilities."""
    if a.ndim > 1:
        raise ValueError("a.ndim (%i) must be 0 or 1" % a.ndim)
    if p.ndim != 1:
        raise ValueError("p.ndim (%i) must be 1" % p.ndim)
    return random_state.choice(a if a.ndim else a.item(), size, bool(replace), p if p.size else None)


def choice(
    random_state: Any, size: Any = None, a: Any = 2, replace: Any = True, p: Any = None, ndim: Any = None, dtype: Any = "int64"
) -> Any:
    """Draws random elements of the vector `a`, or of range(a) for a scalar. Returns (new state, elements)."""
    replace = pt.constant(replace, dtype="int8") if isinstance(replace, bool) else pt.as_tensor_variable(replace)
    ndim, size, flags = _infer_ndim_bcast(ndim, size)
    if not isinstance(p, (Variable, numpy.ndarray)):
        p = p or []
    p = pt.as_tensor_variable(p)
    return RandomFunction(choice_helper, _type(dtype, flags))(random_state, size, pt.as_tensor_variable(a), replace, p)


def poisson(random_state: Any, size: Any = None, lam: Any = 1.0, ndim: Any = None, dtype: Any = "int64") -> Any:
    """Draws Poisson counts with mean `lam`. Returns (new state, counts)."""
    ndim, size, flags = _infer_ndim_bcast(ndim, size)
    return RandomFunction("poisson", _type(dtype, flags))(random_state, size, pt.as_tensor_variable(lam))


def permutation_helper(random_state: Any, n: Any, shape: Any) -> Any:
    """Returns an array of random permutations of range(n), with the shape (*shape, n)."""
    assert n.shape == ()
    shape = () if shape is None else tuple(shape)
    out = numpy.empty((*shape, int(n)), int)
    for index in numpy.ndindex(*shape):
        out[index] = random_state.permutation(int(n))
    return out


def permutation(random_state: Any, size: Any = None, n: Any = 1, ndim: Any = None, dtype: Any = "int64") -> Any:
    """Draws random permutations of range(n). Returns (new state, permutations); the permutations have one more dimension than `size` has
    entries.
    """
    flags: tuple[bool, ...]
    if size is None or (isinstance(size, tuple) and size == ()):
        if ndim not in (None, 1):
            raise TypeError("You asked for just one permutation but asked for more then 1 dimensions.")
        size, flags = (), ()
    else:
        ndim, size, flags = _infer_ndim_bcast(ndim, size)
    return RandomFunction(permutation_helper, _type(dtype, (*flags, False)), ndim_added=1)(random_state, size, n)


def multinomial_helper(random_state: Any, n: Any, pvals: Any, size: Any) -> Any:
    """Returns the counts of each class for each row of probabilities in `pvals`, drawn row by row as in Theano."""
    ndim = len(size) if size is not None else max(n.ndim, pvals.ndim - 1)
    n = _stretched(n, ndim, "n")
    if pvals.ndim - 1 > ndim:
        raise ValueError(f"pvals.ndim-1 ({pvals.ndim - 1}) should not be larger than len(size) ({ndim})", pvals, size)
    pvals = pvals.reshape((1,) * (ndim - pvals.ndim + 1) + pvals.shape)
    shape = tuple(size) if size is not None else tuple(max(a, b) for a, b in zip(n.shape, pvals.shape))
    out = numpy.empty((*shape, pvals.shape[-1]))
    assert pvals.min() >= 0
    for here, i, j in zip(*_generate_broadcasting_indices(shape, n.shape, pvals.shape[:-1])):
        row = pvals[j]
        total: Any = numpy.sum(row)
        # Rounding can bring the sum above 1, which numpy refuses: scaled down slightly, as Theano does.
        if 1.0 < total < 1.0 + 1e-5 or row[-1] < 5e-5:
            row = row * (1.0 - 5e-5)
            total = numpy.sum(row)
        assert total <= 1.0, total
        out[here] = random_state.multinomial(n=n[i], pvals=row.astype("float64"))
    return out


def multinomial(random_state: Any, size: Any = None, n: Any = 1, pvals: Any = (0.5, 0.5), ndim: Any = None, dtype: Any = "int64") -> Any:
    """Draws counts of each class in `n` draws; the last dimension of `pvals` has the probabilities. Returns (new state, counts)."""
    n, pvals = pt.as_tensor_variable(n), pt.as_tensor_variable(pvals)
    ndim, size, flags = _infer_ndim_bcast(ndim, size, n, pvals.T[0].T)
    outtype = _type(dtype, (*flags, pvals.type.broadcastable[-1]))
    return RandomFunction(multinomial_helper, outtype, ndim_added=1)(random_state, size, n, pvals)


@node_rewriter([RandomFunction])
def random_make_inplace(fgraph: Any, node: Any) -> Any:
    """Replaces a RandomFunction by one that advances its state in place."""
    if node.op.inplace:
        return False
    fn, outtype, _, ndim_added = node.op._props()
    return RandomFunction(fn, outtype, inplace=True, ndim_added=ndim_added).make_node(*node.inputs).outputs


optdb.register("legacy_random_make_inplace", in2out(random_make_inplace, ignore_newtrees=True), "fast_run", "inplace", position=99)


class RandomStreamsBase:
    """The distributions as methods; a subclass defines `gen`."""

    def gen(self, op: Any, *args: Any, **kwargs: Any) -> Any:
        """Makes a draw by the function `op`, with its own state."""
        raise NotImplementedError

    def binomial(self, size: Any = None, n: Any = 1, p: Any = 0.5, ndim: Any = None, dtype: Any = "int64", prob: Any = None) -> Any:
        """Returns the numbers of successes in `n` trials of probability `p`; `prob` is the older name of `p`."""
        if prob is not None:
            p = prob
            _say_prob()
        return self.gen(binomial, size, n, p, ndim=ndim, dtype=dtype)

    def uniform(self, size: Any = None, low: Any = 0.0, high: Any = 1.0, ndim: Any = None, dtype: Any = None) -> Any:
        """Returns uniform numbers between `low` and `high`."""
        return self.gen(uniform, size, low, high, ndim=ndim, dtype=dtype)

    def normal(self, size: Any = None, avg: Any = 0.0, std: Any = 1.0, ndim: Any = None, dtype: Any = None) -> Any:
        """Returns Gaussian numbers with mean `avg` and standard deviation `std`."""
        return self.gen(normal, size, avg, std, ndim=ndim, dtype=dtype)

    def random_integers(self, size: Any = None, low: Any = 0, high: Any = 1, ndim: Any = None, dtype: Any = "int64") -> Any:
        """Returns integers from `low` to `high`, both included."""
        return self.gen(random_integers, size, low, high, ndim=ndim, dtype=dtype)

    def choice(self, size: Any = None, a: Any = 2, replace: Any = True, p: Any = None, ndim: Any = None, dtype: Any = "int64") -> Any:
        """Returns random elements of the vector `a`, or of range(a) for a scalar."""
        return self.gen(choice, size, a, replace, p, ndim=ndim, dtype=dtype)

    def poisson(self, size: Any = None, lam: Any = None, ndim: Any = None, dtype: Any = "int64") -> Any:
        """Returns Poisson counts with mean `lam`."""
        return self.gen(poisson, size, lam, ndim=ndim, dtype=dtype)

    def permutation(self, size: Any = None, n: Any = 1, ndim: Any = None, dtype: Any = "int64") -> Any:
        """Returns random permutations of range(n); the result has one more dimension than `size` has entries."""
        return self.gen(permutation, size, n, ndim=ndim, dtype=dtype)

    def multinomial(self, size: Any = None, n: Any = 1, pvals: Any = (0.5, 0.5), ndim: Any = None, dtype: Any = "int64") -> Any:
        """Returns the counts of each class in `n` draws; the last dimension of `pvals` holds the probabilities."""
        return self.gen(multinomial, size, n, pvals, ndim=ndim, dtype=dtype)

    def shuffle_row_elements(self, input: Any) -> Any:
        """Returns `input` with each row shuffled; the attribute `permutation` of the result holds the row indices."""
        order = self.permutation(size=input.shape[:-1], n=input.shape[-1], ndim=input.ndim - 1)
        shuffled = pt.basic.permute_row_elements(input, order)
        shuffled.permutation = order
        return shuffled
