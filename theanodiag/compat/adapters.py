"""Adapters: functions with Theano 1.0.5's arguments and meaning, implemented with the installed framework.

They serve the rows of `names/counterparts.py` whose `new` is `=name`, for both Aesara and PyTensor; `api/` serves PyTensor only.
"""

import functools
from collections import OrderedDict
from typing import List, Mapping, Optional, Sequence

from .errors import NoSuchAttribute
from .framework import current

_NAMES = frozenset(
    """OrderedDict OrderedUpdates RandomStreams _asarray change_flags clone default extract_constant flatten
    graph_inputs ifilter imap inputs izip logsoftmax logsoftmax_last max_pool_2d patternbroadcast reduce softmax
    softmax_graph softmax_last stack ultra_fast_sigmoid config""".split()
)


def names() -> frozenset:  # type: ignore[type-arg]
    """Returns the names of all adapters."""
    return _NAMES


def get(name: str) -> object:
    """Returns the adapter called `name`. Raises LookupError if there is none."""
    if name not in _NAMES:
        raise LookupError(name)
    return flags_by_any_name() if name == "config" else globals()[name]


def __getattr__(name: str) -> object:
    """For `from theanodiag.compat.adapters import config` in ported source."""
    if name == "config":
        return flags_by_any_name()
    raise AttributeError(name)


def _rows(x: object) -> object:
    """`x` as a float matrix, a vector as one row, as in Theano's softmax. Raises ValueError for other ranks and dtypes."""
    rows = current.tensor.as_tensor_variable(x)
    if rows.ndim not in (1, 2) or "float" not in rows.dtype:
        raise ValueError("x must be 1-d or 2-d tensor of floats. Got {}".format(rows.type))
    return current.tensor.shape_padleft(rows, n_ones=1) if rows.ndim == 1 else rows


def softmax_last(c: object, axis: object = -1) -> object:
    """Returns the softmax along `axis`, by default the last, as in Aesara."""
    return current.module("tensor.special").softmax(current.tensor.as_tensor_variable(c), axis=axis)


def logsoftmax_last(c: object, axis: object = -1) -> object:
    """Returns the logarithm of the softmax along `axis`, by default the last, as in Aesara."""
    return current.module("tensor.special").log_softmax(current.tensor.as_tensor_variable(c), axis=axis)


def softmax(c: object) -> object:
    """Returns the softmax of each row of a matrix; a vector becomes a matrix of one row."""
    return softmax_last(_rows(c))


def softmax_graph(c: object) -> object:
    """`theano.tensor.nnet.softmax_graph`: same values as softmax."""
    return softmax(c)


def logsoftmax(c: object) -> object:
    """Returns the logarithm of the softmax of each row of a matrix; a vector becomes a matrix of one row."""
    return logsoftmax_last(_rows(c))


def ultra_fast_sigmoid(x: object) -> object:
    """Approximation of the sigmoid in three pieces without an exponential (Theano 1.0.5, sigm.py)."""
    t = current.tensor
    half = 0.5 * t.as_tensor_variable(x)
    size = abs(half)
    middle = 0.935409070603099 + 0.0458812946797165 * (size - 1.7)
    value = t.switch(t.lt(size, 1.7), 1.5 * size / (1 + size), t.switch(t.lt(size, 3), middle, 0.99505475368673))
    return t.cast(0.5 * (t.switch(t.ge(half, 0), value, -value) + 1), half.dtype)


def stack(*tensors: object, axis: int = 0) -> object:
    """`stack([a, b], axis)`, or the older `stack(a, b)`."""
    if len(tensors) == 2 and isinstance(tensors[0], (list, tuple)) and isinstance(tensors[1], int):
        return current.tensor.stack(tensors[0], axis=tensors[1])
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        return current.tensor.stack(tensors[0], axis=axis)
    if len(tensors) == 1:
        return current.tensor.stack([row for row in tensors[0]], axis=axis)  # type: ignore[attr-defined]
    return current.tensor.stack(list(tensors), axis=0)


def flatten(x: object, ndim: Optional[int] = None, outdim: Optional[int] = None) -> object:
    """Returns `x` with its first ndim - 1 dimensions kept and the others flattened; `outdim` is the older name of `ndim`. Raises ValueError
    for both.
    """
    if ndim is not None and outdim is not None:
        raise ValueError("You should only specify ndim")
    return current.tensor.as_tensor_variable(x).flatten(ndim or outdim or 1)


def patternbroadcast(x: object, broadcastable: Sequence[bool]) -> object:
    """Returns `x` with length 1 declared for the flagged dimensions; the others are unchanged, because a static shape cannot be
    withdrawn.
    """
    axes = [axis for axis, flag in enumerate(broadcastable) if flag]
    return current.module("tensor.shape").specify_broadcastable(x, *axes) if axes else current.tensor.as_tensor_variable(x)


def default(x: object, default: object) -> object:
    """Returns `x` as a tensor, or `default` if x is None."""
    return current.tensor.as_tensor_variable(default if x is None else x)


def extract_constant(x: object, elemwise: bool = True, only_process_constants: bool = False) -> object:
    """Returns the value of a Variable if all its elements are one known constant, else the Variable itself."""
    basic = current.module("tensor.basic")
    find = getattr(basic, "get_underlying_scalar_constant_value", None) or basic.get_scalar_constant_value
    try:
        return find(x, elemwise=elemwise, only_process_constants=only_process_constants)
    except basic.NotScalarConstantError:
        return x


def max_pool_2d(
    input: object, ds: object, ignore_border: Optional[bool] = None, st: object = None, padding: object = (0, 0), mode: str = "max"
) -> object:
    """`theano.tensor.signal.downsample.max_pool_2d`, implemented with the framework's pool_2d."""
    return current.module("tensor.signal.pool").pool_2d(input, ws=ds, ignore_border=bool(ignore_border), stride=st, pad=padding, mode=mode)


class RandomStreams:
    """The framework's RandomStream, with the methods and arguments of Theano's RandomStreams."""

    def __init__(self, seed: Optional[int] = None, use_cuda: Optional[bool] = None) -> None:
        self._stream = current.module("tensor.random.utils").RandomStream(seed=seed)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def _draw(self, kind: str, *parameters: object, size: object = None, dtype: Optional[str] = None, **rest: object) -> object:
        """A draw with parameters in the installed framework's form, converted to `dtype`."""
        drawn = getattr(self._stream, kind)(*parameters, size=size)
        return drawn if dtype is None or drawn.dtype == dtype else current.tensor.cast(drawn, dtype)

    def uniform(
        self,
        size: object = None,
        low: object = 0.0,
        high: object = 1.0,
        ndim: object = None,
        dtype: Optional[str] = None,
        nstreams: object = None,
    ) -> object:
        """Returns uniform numbers between `low` and `high`."""
        return self._draw("uniform", low, high, size=size, dtype=dtype)

    def normal(
        self,
        size: object = None,
        avg: object = 0.0,
        std: object = 1.0,
        ndim: object = None,
        dtype: Optional[str] = None,
        nstreams: object = None,
    ) -> object:
        """Returns Gaussian numbers with mean `avg` and standard deviation `std`."""
        return self._draw("normal", avg, std, size=size, dtype=dtype)

    def binomial(
        self,
        size: object = None,
        n: object = 1,
        p: object = 0.5,
        ndim: object = None,
        dtype: str = "int64",
        prob: object = None,
        nstreams: object = None,
    ) -> object:
        """Returns the numbers of successes in `n` trials of probability `p`; `prob` is the older name of `p`."""
        return self._draw("binomial", n, p if prob is None else prob, size=size, dtype=dtype)

    def multinomial(
        self,
        size: object = None,
        n: object = 1,
        pvals: object = (0.5, 0.5),
        ndim: object = None,
        dtype: str = "int64",
        nstreams: object = None,
    ) -> object:
        """Returns the counts of each class in `n` draws with the probabilities `pvals`."""
        return self._draw("multinomial", n, pvals, size=size, dtype=dtype)

    def choice(
        self, size: object = None, a: object = 2, replace: bool = True, p: object = None, ndim: object = None, dtype: str = "int64"
    ) -> object:
        """Returns random elements of range(a), with probabilities `p`."""
        drawn = self._stream.choice(a, size=size, replace=replace, p=p)
        return current.tensor.cast(drawn, dtype)

    def random_integers(self, size: object = None, low: object = 0, high: object = 1, ndim: object = None, dtype: str = "int64") -> object:
        """Returns integers from `low` to `high`, both included."""
        return self._draw("integers", low, current.tensor.as_tensor_variable(high) + 1, size=size, dtype=dtype)

    def permutation(self, size: object = None, n: object = 1, ndim: object = None, dtype: str = "int64") -> object:
        """Returns random permutations of range(n)."""
        return self._draw("permutation", n, size=size, dtype=dtype)

    def poisson(self, size: object = None, lam: object = 1.0, ndim: object = None, dtype: str = "int64") -> object:
        """Returns Poisson counts with mean `lam`."""
        return self._draw("poisson", lam, size=size, dtype=dtype)


izip = zip
imap = map
ifilter = filter
reduce = functools.reduce


class OrderedUpdates(OrderedDict):  # type: ignore[type-arg]
    """An ordered mapping from shared variables to their new values; `+` joins two, and values of the second take precedence."""

    def __add__(self, other: Mapping[object, object]) -> "OrderedUpdates":
        joined = OrderedUpdates(self)
        joined.update(other)
        return joined


def clone(output: object, replace: object = None, strict: bool = True, share_inputs: bool = True, copy_inputs: object = None) -> object:
    """`theano.clone`: a copy of the graph of `output` with Variables replaced by `replace`."""
    root = current.module()
    function = getattr(root, "clone_replace", None) or current.module("graph.replace").clone_replace
    return function(output, replace, rebuild_strict=strict, copy_inputs_over=share_inputs if copy_inputs is None else copy_inputs)


def graph_inputs(variable_list: object, blockers: object = None) -> List[object]:
    """Returns the Variables without an owner on which `variable_list` depends, including constants."""
    find = getattr(current.find("graph.traversal"), "graph_inputs", None) or current.module("graph.basic").graph_inputs
    return list(find(variable_list, blockers))


inputs = graph_inputs


def _asarray(a: object, dtype: str, order: Optional[str] = None) -> object:
    """`numpy.asarray` with the given dtype; "floatX" means the value of that flag."""
    import numpy

    name = current.module().config.floatX if str(dtype) == "floatX" else dtype
    return getattr(numpy, "asarray")(a, dtype=name, order=order)


NEUTRAL: "dict[str, object]" = {
    "device": "cpu", "init_gpu_device": "", "force_device": False, "contexts": "", "compute_test_value": "off", "print_test_value": False,
    "assert_no_cpu_op": "ignore", "int_division": "int", "lib__cnmem": 0.0, "gpuarray__preallocate": 0.0, "gpuarray__sync": False,
    "gpuarray__single_stream": True, "dnn__enabled": "auto", "nvcc__fastmath": False, "nvcc__flags": "", "warn__ignore_bug_before": "0.9",
    "unpickle_function": True, "reoptimize_unpickled_function": False, "experimental__unpickle_gpu_on_cpu": False,
}  # fmt: skip
"""Flags that the framework may lack -> the value that describes its behaviour without them."""


class FlagsByAnyName:
    """Reads and sets flags by their names in any release: `config.blas.ldflags` is `blas__ldflags`.

    Raises NoSuchAttribute for an unknown flag, and for setting a removed flag to a value other than the one in NEUTRAL.
    """

    def __init__(self, prefix: str = "") -> None:
        object.__setattr__(self, "_prefix", prefix)

    def _name(self, name: str) -> str:
        """Full name of the flag, as the installed framework spells it."""
        return str(object.__getattribute__(self, "_prefix")) + name

    def __getattr__(self, name: str) -> object:
        full, config = self._name(name), current.module().config
        if name.startswith("__"):
            raise AttributeError(name)
        if any(flag.startswith(full + "__") for flag in [*NEUTRAL, *_flag_names()]):
            return FlagsByAnyName(full + "__")
        if hasattr(config, full):
            return getattr(config, full)
        if full in NEUTRAL:
            return NEUTRAL[full]
        raise NoSuchAttribute("config." + full.replace("__", "."), str(current), "")

    def __setattr__(self, name: str, value: object) -> None:
        full, config = self._name(name), current.module().config
        if full in _flag_names():
            setattr(config, full, value)
        elif full not in NEUTRAL:
            raise NoSuchAttribute("config." + full.replace("__", "."), str(current), "the flags of " + current.root + ".config")
        elif value != NEUTRAL[full]:
            advice = "{!r}, or leave the flag out: {} has no such choice".format(NEUTRAL[full], current.root)
            raise NoSuchAttribute("config." + full.replace("__", ".") + " = " + repr(value), str(current), advice)


def _flag_names() -> List[str]:
    """Names of all flags that the framework has, with `__` between their parts."""
    config = current.module().config
    known = getattr(config, "_config_var_dict", None) or vars(type(config))
    return [str(name) for name in known]


def flags_by_any_name() -> FlagsByAnyName:
    """`theano.config`."""
    return FlagsByAnyName()


class change_flags:
    """`theano.configparser.change_flags(floatX="float32")`: a context manager and decorator that changes flags temporarily."""

    def __new__(cls, *args: object, **kwargs: object) -> object:  # type: ignore[misc]
        """The framework's own change_flags, with translated names and without removed flags."""
        renamed = {name.replace(".", "__"): value for name, value in kwargs.items()}
        kept = {name: value for name, value in renamed.items() if name in _flag_names() or name not in NEUTRAL}
        return current.module().config.change_flags(*args, **kept)
