"""`theano.sandbox.rng_mrg`: MRG_RandomStreams, whose numbers equal those of Theano 1.0.5's C code bit by bit."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy
import pytensor
import pytensor.tensor as pt
from pytensor.gradient import DisconnectedType, grad_undefined, undefined_grad
from pytensor.graph.basic import Apply, Constant, Variable
from pytensor.graph.op import Op
from pytensor.graph.rewriting.basic import node_rewriter
from pytensor.scalar import upcast

from ..ops.op import LegacyOp
from . import generator, multinomial
from .scaled import scale_arrays, scaled_uniform

M1 = numpy.asarray(numpy.int32(generator.M1))
M2 = numpy.asarray(numpy.int32(generator.M2))
MASK12, MASK13, MASK2 = numpy.int32(511), numpy.int32(16777215), numpy.int32(65535)
MULT2 = numpy.int32(21069)
NORM = 4.656612873077392578125e-10
np_int32_vals = [numpy.int32(i) for i in (0, 7, 9, 15, 16, 22, 24)]
A1p72, A2p72 = (generator.power(step, 2**72, m) for step, m in ((generator.STEP1, generator.M1), (generator.STEP2, generator.M2)))
A1p134, A2p134 = (generator.power(step, 2**134, m) for step, m in ((generator.STEP1, generator.M1), (generator.STEP2, generator.M2)))
_INTEGERS = (int, numpy.integer)
_STREAMS = 60 * 256


def matVecModM(A: Any, s: Any, m: Any) -> Any:  # noqa: N802
    """Returns `A` times the vector `s`, modulo `m`, as int32. Raises AssertionError unless `A` is int64."""
    assert A.dtype == "int64"
    return numpy.int32(((A * s) % m).sum(1) % m)


def multMatVect(v: Any, A: Any, m1: Any, B: Any, m2: Any) -> Any:  # noqa: N802
    """Returns `A` times the first half of `v` modulo `m1`, joined with `B` times its second half modulo `m2`."""
    v = numpy.asarray(v)
    return numpy.concatenate([generator.advance(A, v[:3], int(m1)), generator.advance(B, v[3:], int(m2))])


def ff_2p134(rstate: Any) -> Any:
    """Returns `rstate` advanced by 2**134 draws: the start of the next stream."""
    return multMatVect(rstate, A1p134, M1, A2p134, M2)


def ff_2p72(rstate: Any) -> Any:
    """Returns `rstate` advanced by 2**72 draws: the start of the next substream."""
    return multMatVect(rstate, A1p72, M1, A2p72, M2)


def mrg_next_value(rstate: Any, new_rstate: Any, NORM: Any, mask: Any, offset: Any) -> Any:
    """Returns one number drawn from `rstate`; the state afterwards is written to `new_rstate`."""
    after, drawn = generator.draw(numpy.asarray(rstate, dtype="int32").reshape(1, 6), 1)
    new_rstate[...] = after[0]
    return ((int(drawn[0]) & mask) + offset) * NORM


class DotModulo(Op):
    """Concatenates A @ s modulo m and A2 @ s2 modulo m2."""

    __props__ = ()

    def make_node(self, A: Any, s: Any, m: Any, A2: Any, s2: Any, m2: Any) -> Any:
        """Makes the Apply node for (A, s, m, A2, s2, m2), with a vector as output."""
        inputs = [pt.as_tensor_variable(v) for v in (A, s, m, A2, s2, m2)]
        return Apply(self, inputs, [pt.TensorType(inputs[1].dtype, shape=(None,))()])

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        """Two calls of generator.advance."""
        A, s, m, A2, s2, m2 = inputs
        outputs[0][0] = numpy.concatenate([generator.advance(A, s, int(m)), generator.advance(A2, s2, int(m2))]).astype(s.dtype)


class mrg_uniform_base(LegacyOp):  # noqa: N801
    """Base class of Ops that draw uniform numbers with MRG31k3p; with `inplace` the states are overwritten."""

    __props__ = ("output_type", "inplace")

    def __init__(self, output_type: Any, inplace: bool = False) -> None:
        super().__init__()
        self.output_type = output_type
        self.inplace = inplace
        if inplace:
            self.destroy_map = {0: [0]}

    def __str__(self) -> str:
        return "{}{{{},{}}}".format(type(self).__name__, self.output_type, "inplace" if self.inplace else "no_inplace")

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> list[Any]:
        """Returns undefined gradients for every input."""
        return [grad_undefined(self, k, x, "No gradient defined through random sampling op") for k, x in enumerate(inputs)]

    def pushforward(self, inputs: Any, outputs: Any, tangents: Any) -> list[Any]:
        """Returns disconnected tangents for every output."""
        return [DisconnectedType()() for _ in outputs]


class mrg_uniform(mrg_uniform_base):  # noqa: N801
    """(states, size) -> (states afterwards, uniform numbers between 0 and 1 of shape `size`)."""

    def make_node(self, rstate: Any, size: Any) -> Any:
        """Makes the Apply node for a matrix of states and a vector of lengths."""
        rstate, size = pt.as_tensor_variable(rstate), pt.as_tensor_variable(size)
        return Apply(self, [rstate, size], [rstate.type(), self.output_type.clone(shape=_lengths(size, self.output_type.ndim))()])

    @classmethod
    def new(cls, rstate: Any, ndim: int | None, dtype: str, size: Any) -> Any:
        """Returns the two outputs of a draw of shape `size`; `ndim` may be None if the length of `size` is known."""
        size = pt.as_tensor_variable(size)
        if ndim is None:
            ndim = pt.get_vector_length(size)
        return cls(pt.TensorType(dtype, shape=(None,) * ndim))(rstate, size)

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        """Calls generator.draw. Raises ValueError for states or a size that check_draw rejects."""
        states, size = inputs
        shape = check_draw(states, size, self.output_type.ndim)
        after, drawn = generator.draw(states, math.prod(shape))
        outputs[0][0] = after
        outputs[1][0] = generator.to_uniform(drawn, self.output_type.dtype).reshape(shape)

    def output_shapes(self, node: Any, shapes: Any) -> list[Any]:
        """Returns the shape of the states, and the lengths in `size`."""
        size = node.inputs[1]
        return [shapes[0], tuple(pt.cast(size[i], "int64") for i in range(self.output_type.ndim))]


class Resample(LegacyOp):
    """(states, radius, cosine, sine) of Box-Muller pairs -> (new states, Gaussian numbers within two standard deviations).

    Numbers further out are redrawn at the same angle. This is a single Op because their number is known only at run time.
    """

    __props__ = ()

    def make_node(self, states: Any, radius: Any, cosine: Any, sine: Any) -> Any:
        """Makes the Apply node for a matrix of states and three vectors."""
        inputs = [pt.as_tensor_variable(x) for x in (states, radius, cosine, sine)]
        return Apply(self, inputs, [inputs[0].type(), pt.TensorType(inputs[1].dtype, shape=(None,))()])

    def output_shapes(self, node: Any, shapes: Any) -> list[Any]:
        """Returns the shape of the states, and twice the length of the radius."""
        return [shapes[0], (2 * shapes[1][0],)]

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        """Redraws, with numpy, the Gaussian numbers that are more than two standard deviations from the mean."""
        states, radius, cosine, sine = inputs
        dtype = node.outputs[1].type.dtype
        gaussians = [radius * cosine, radius * sine]
        far = [(z < -2.0) | (z > 2.0) for z in gaussians]
        angles = numpy.concatenate([cosine[far[0]], sine[far[1]]])
        outputs[0][0], drawn = generator.draw(states, len(angles))
        low = numpy.asarray(1.0 / numpy.e**2, dtype=dtype)
        u = scale_arrays(generator.to_uniform(drawn, dtype), numpy.asarray(1, dtype=dtype) - low, low)
        again = numpy.sqrt(-2.0 * numpy.log(u)) * angles
        first = int(far[0].sum())
        parts = [gaussians[0][~far[0]], again[:first], gaussians[1][~far[1]], again[first:]]
        outputs[1][0] = numpy.concatenate(parts).astype(dtype, copy=False)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> list[Any]:
        """Returns undefined gradients for every input."""
        return [grad_undefined(self, k, x, "No gradient defined through random sampling op") for k, x in enumerate(inputs)]

    def pushforward(self, inputs: Any, outputs: Any, tangents: Any) -> list[Any]:
        """Returns disconnected tangents for every output."""
        return [DisconnectedType()() for _ in outputs]


resample = Resample()


def check_draw(states: Any, size: Any, ndim: int) -> tuple[int, ...]:
    """Returns `size` as a tuple of ints. Raises ValueError for a size of another rank, states of another shape or more than M1 numbers."""
    if len(size) != ndim:
        raise ValueError(f"size must have length {ndim} (not {len(size)})")
    if states.ndim != 2 or states.shape[1] != 6:
        raise ValueError("rstate must be a matrix of 6 columns, not of shape {}".format(states.shape))
    shape = tuple(int(length) for length in size)
    if math.prod(shape) > generator.M1:
        raise ValueError("rng_mrg does not support more than (2**31 -1) samples")
    return shape


def _lengths(size: Any, ndim: int) -> tuple[int | None, ...]:
    """The static shape for the lengths in `size`, with None for lengths that are not constant."""
    entries: list[Any] = [None] * ndim
    if isinstance(size, Constant):
        entries = list(size.data)
    elif size.owner is not None and isinstance(size.owner.op, pt.basic.MakeVector):
        known = (pt.get_underlying_scalar_constant_value(x, raise_not_constant=False) for x in size.owner.inputs)
        entries = [None if isinstance(value, Variable) else value for value in known]
    return tuple(None if n is None else int(n) for n in entries) if len(entries) == ndim else (None,) * ndim


def guess_n_streams(size: Any, warn: bool = False) -> int:
    """Returns the number of streams for a draw of shape `size`: a sixth of its elements, at most 15360; 15360 if `size` is symbolic."""
    if isinstance(size, (tuple, list)) and all(isinstance(i, int) for i in size):
        numbers = math.prod(size)
        return min(numbers // 6 if numbers > 6 else numbers, _STREAMS)
    if warn:
        warnings.warn(f"MRG_RandomStreams Can't determine #streams from size ({size}), guessing 60*256", stacklevel=3)
    return _STREAMS


class MRG_RandomStreams:  # noqa: N801
    """Draws symbolic random numbers with MRG31k3p; each draw has its own states, in a shared variable that the function updates.

    `seed` is an int, or six ints: three below M1, not all 0, and three below M2, not all 0.
    """

    def __init__(self, seed: Any = 12345, use_cuda: Any = None) -> None:
        self.state_updates: list[Any] = []
        self.default_instance_seed = seed
        self.set_rstate(seed)

    def updates(self) -> list[Any]:
        """Returns a copy of the list of (states, new states, size, number of streams)."""
        return list(self.state_updates)

    def set_rstate(self, seed: Any) -> None:
        """Sets the state from which the next draws' streams start. Raises ValueError or TypeError for a seed that Theano rejects."""
        if isinstance(seed, int):
            if seed == 0:
                raise ValueError("seed should not be 0", seed)
            if seed >= M2:
                raise ValueError("seed should be less than %i" % M2, seed)
            self.rstate: Any = numpy.asarray([seed] * 6, dtype="int32")
            return
        if len(seed) != 6:
            raise TypeError("seed should be 1 integer or 6 integers")
        for which, part, modulus in (("first", seed[:3], M1), ("last", seed[3:], M2)):
            if all(number == 0 for number in part):
                raise ValueError(f"The {which} 3 values of seed should not be all 0", seed)
            if any(number >= modulus for number in part):
                raise ValueError(f"The {which} 3 values of seed should be less than {modulus}", seed)
        self.rstate = numpy.asarray(seed, dtype="int32")

    def seed(self, seed: Any = None) -> None:
        """Resets the states of every draw to those that `seed` gives."""
        self.set_rstate(self.default_instance_seed if seed is None else seed)
        for old, new, size, streams in self.state_updates:
            count = self.n_streams(size) if streams is None else streams
            states = self.get_substream_rstates(count, new.owner.outputs[1].dtype)
            assert old.get_value(borrow=True).shape == states.shape
            old.set_value(states, borrow=True)

    def inc_rstate(self) -> None:
        """Advances `rstate` by 2**134 draws, to the next stream."""
        self.rstate = ff_2p134(self.rstate)

    def get_substream_rstates(self, n_streams: Any, dtype: str, inc_rstate: bool = True) -> Any:
        """Returns the states of `n_streams` substreams, each 2**72 draws after the previous one; advances `rstate` if `inc_rstate`."""
        assert isinstance(dtype, str)
        assert 0 < n_streams < 2**72
        states = generator.substreams(self.rstate, int(n_streams))
        if inc_rstate:
            self.inc_rstate()
        return states

    def n_streams(self, size: Any) -> int:
        """Returns the number of streams for a draw of shape `size`; see guess_n_streams."""
        return guess_n_streams(size)

    def pretty_return(self, node_rstate: Any, new_rstate: Any, sample: Any, size: Any, nstreams: Any) -> Any:
        """Registers `new_rstate` as the update of `node_rstate`. Returns `sample`."""
        sample.rstate = node_rstate
        sample.update = (node_rstate, new_rstate)
        self.state_updates.append((node_rstate, new_rstate, size, nstreams))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            node_rstate.default_update = new_rstate
        return sample

    def _states(self, size: Any, nstreams: Any, dtype: str) -> Any:
        """A shared variable with the states of the streams of a new draw."""
        states = pytensor.shared(self.get_substream_rstates(self.n_streams(size) if nstreams is None else nstreams, dtype))
        states.tag.is_rng = True
        return states

    def uniform(
        self, size: Any, low: Any = 0.0, high: Any = 1.0, ndim: Any = None, dtype: Any = None, nstreams: Any = None, **kwargs: Any
    ) -> Any:
        """Returns uniform numbers between `low` and `high`, both excluded.

        `size` is a tuple of ints and scalar Variables, or a vector Variable. The default dtype is the upcast of floatX and both bounds.
        """
        low, high = pt.as_tensor_variable(low), pt.as_tensor_variable(high)
        if dtype is None:
            dtype = upcast(pytensor.config.floatX, low.dtype, high.dtype)
        elif dtype == "floatX":
            dtype = pytensor.config.floatX
        low, high = pt.cast(low, dtype=dtype), pt.cast(high, dtype=dtype)
        plain = _is_constant(low, 0) and _is_constant(high, 1)
        low, high = undefined_grad(low), undefined_grad(high)
        _check_uniform_size(size)
        kwargs.pop("target", None)
        if kwargs:
            raise TypeError(f"uniform() got unexpected keyword arguments {kwargs.keys()}")
        rstate = self._states(size, nstreams, dtype)
        new_rstate, u = mrg_uniform.new(rstate, ndim, dtype, size)
        self.pretty_return(rstate, new_rstate, u, size, nstreams)
        drawn = u * (high - low) + low if dtype == "float16" else u if plain else scaled_uniform(u, high - low, low)
        if u.type.broadcastable != drawn.type.broadcastable:
            raise NotImplementedError("Increase the size to match the broadcasting pattern of `low` and `high` arguments")
        assert drawn.dtype == dtype
        return drawn

    def binomial(
        self, size: Any = None, n: Any = 1, p: Any = 0.5, ndim: Any = None, dtype: str = "int64", nstreams: Any = None, **kwargs: Any
    ) -> Any:
        """1 with probability `p`, else 0. Raises NotImplementedError for n > 1, as Theano does."""
        if n != 1:
            raise NotImplementedError("MRG_RandomStreams.binomial with n > 1")
        p = undefined_grad(pt.as_tensor_variable(p))
        return pt.cast(self.uniform(size=size, nstreams=nstreams, **kwargs) < p, dtype)

    def multinomial(
        self, size: Any = None, n: Any = 1, pvals: Any = None, ndim: Any = None, dtype: str = "int64", nstreams: Any = None, **kwargs: Any
    ) -> Any:
        """Returns the counts of each class in `n` draws, one row for each row of probabilities in `pvals`."""
        if pvals is None:
            raise TypeError("You have to specify pvals")
        pvals = undefined_grad(pt.as_tensor_variable(pvals))
        if size is not None:
            if any(isinstance(i, int) and i <= 0 for i in size):
                raise ValueError("The specified size contains a dimension with value <= 0", size)
            raise ValueError("Provided a size argument to MRG_RandomStreams.multinomial, which does not use the size argument.")
        if ndim is not None:
            raise ValueError("Provided an ndim argument to MRG_RandomStreams.multinomial, which does not use the ndim argument.")
        if pvals.ndim != 2:
            raise NotImplementedError("MRG_RandomStreams.multinomial only implemented for pvals.ndim = 2")
        uniforms = self.uniform(size=pvals[:, 0].shape * n, ndim=1, nstreams=nstreams, **kwargs)
        return multinomial.MultinomialFromUniform(dtype)(pvals, uniforms, pt.as_tensor_variable(n))

    def choice(
        self,
        size: Any = 1,
        a: Any = None,
        replace: bool = True,
        p: Any = None,
        ndim: Any = None,
        dtype: str = "int64",
        nstreams: Any = None,
        **kwargs: Any,
    ) -> Any:
        """`size` different class numbers for each row of probabilities in `p`. Raises NotImplementedError with
        replacement, as Theano does."""
        if replace:
            raise NotImplementedError("MRG_RandomStreams.choice only works without replacement for now.")
        if a is not None:
            raise TypeError("For now, a has to be None in MRG_RandomStreams.choice. Sampled values are between 0 and p.shape[1]-1")
        if p is None:
            raise TypeError("For now, p has to be specified in MRG_RandomStreams.choice.")
        p = undefined_grad(pt.as_tensor_variable(p))
        if ndim is not None:
            raise ValueError("ndim argument to MRG_RandomStreams.choice is not used.")
        if p.ndim != 2:
            raise NotImplementedError("MRG_RandomStreams.choice is only implemented for p.ndim = 2")
        uniforms = self.uniform(size=p[:, 0].shape * size, ndim=1, nstreams=nstreams, **kwargs)
        return multinomial.ChoiceFromUniform(odtype=dtype)(p, uniforms, pt.as_tensor_variable(size))

    def multinomial_wo_replacement(
        self, size: Any = None, n: Any = 1, pvals: Any = None, ndim: Any = None, dtype: str = "int64", nstreams: Any = None, **kwargs: Any
    ) -> Any:
        """Deprecated form of `choice(size=n, replace=False, p=pvals)`."""
        warnings.warn(
            "MRG_RandomStreams.multinomial_wo_replacement() is deprecated and will be removed in the next release of Theano. "
            "Please use MRG_RandomStreams.choice() instead."
        )
        assert size is None
        return self.choice(size=n, replace=False, p=pvals, ndim=ndim, dtype=dtype, nstreams=nstreams, **kwargs)

    def normal(
        self,
        size: Any,
        avg: Any = 0.0,
        std: Any = 1.0,
        ndim: Any = None,
        dtype: Any = None,
        nstreams: Any = None,
        truncate: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Returns Gaussian numbers with mean `avg` and standard deviation `std`, from the Box-Muller method.

        With `truncate`, numbers more than two standard deviations from the mean are redrawn.
        """
        size = _check_size(size)
        avg, std = undefined_grad(pt.as_tensor_variable(avg)), undefined_grad(pt.as_tensor_variable(std))
        if dtype is None:
            dtype = upcast(pytensor.config.floatX, avg.dtype, std.dtype)
        elif dtype == "floatX":
            dtype = pytensor.config.floatX
        avg, std = pt.cast(avg, dtype=dtype), pt.cast(std, dtype=dtype)
        count = numpy.prod(size.data, dtype="int64") if isinstance(size, Constant) else pt.prod(size, dtype="int64")
        even = count + count % 2
        draw = {"low": 0.0, "high": 1.0, "ndim": 1, "dtype": dtype, "nstreams": nstreams, **kwargs}
        u = self.uniform((even,), **draw)
        radius, angle = pt.sqrt(-2.0 * pt.log(u[: even // 2])), numpy.array(2.0 * numpy.pi, dtype=dtype) * u[even // 2 :]
        cosine, sine = pt.cos(angle), pt.sin(angle)
        if truncate:
            after, samples = resample(self._states(None, nstreams, dtype), radius, cosine, sine)
            self.pretty_return(after.owner.inputs[0], after, samples, None, nstreams)
        else:
            samples = pt.join(0, radius * cosine, radius * sine)
        if isinstance(count, Variable):
            samples = samples[:count]
        elif count % 2 == 1:
            samples = samples[:-1]
        return pt.reshape(samples, size, ndim=ndim) * std + avg

    def truncated_normal(
        self, size: Any, avg: Any = 0.0, std: Any = 1.0, ndim: Any = None, dtype: Any = None, nstreams: Any = None, **kwargs: Any
    ) -> Any:
        """Returns Gaussian numbers truncated at two standard deviations, and scaled so that the truncated distribution has the standard
        deviation `std`.
        """
        std = std / pt.constant(0.87962566103423978)  # the deviation of a Gaussian cut at -2 and 2
        return self.normal(size=size, avg=avg, std=std, truncate=True, ndim=ndim, dtype=dtype, nstreams=nstreams, **kwargs)


def _is_constant(x: Any, value: float) -> bool:
    """Whether `x` is the scalar constant `value`."""
    return isinstance(x, Constant) and x.ndim == 0 and bool(x.data == value)


def _check_uniform_size(size: Any) -> None:
    """Raises an exception unless `size` is a tuple of positive ints and Variables, or a vector Variable."""
    if isinstance(size, tuple):
        assert all(isinstance(i, (*_INTEGERS, Variable)) for i in size), "size must be a tuple of int or a Theano variable"
        if any(isinstance(i, _INTEGERS) and i <= 0 for i in size):
            raise ValueError("The specified size contains a dimension with value <= 0", size)
    elif not (isinstance(size, Variable) and size.ndim == 1):
        raise TypeError(f"size must be a tuple of int or a Theano Variable with 1 dimension, got {size} of type {type(size)}")


def _check_size(size: Any) -> Any:
    """`size` as an integer vector. Raises ValueError if that is impossible."""
    if isinstance(size, Variable):
        if size.ndim > 1:
            raise ValueError("Theano variable must have 1 dimension to be a valid size.", size)
        return size if size.ndim else pt.stack([size])
    if isinstance(size, _INTEGERS):
        return pt.constant([size], ndim=1)
    if not isinstance(size, (tuple, list)):
        raise ValueError("Size must be a int, tuple, list or Theano variable.", size)
    for i in size:
        if isinstance(i, Variable):
            if i.ndim != 0:
                raise ValueError("Non-scalar Theano variable in size", size, i)
        elif not isinstance(i, _INTEGERS):
            raise ValueError("Only Theano variables and integers are allowed in a size-tuple.", size, i)
        elif i <= 0:
            raise ValueError("Non-positive dimensions not allowed in size.", size, i)
    return pt.as_tensor_variable(size, ndim=1) if len(size) else pt.constant(numpy.zeros(0, dtype="int64"))


@node_rewriter([mrg_uniform_base])
def mrg_random_make_inplace(fgraph: Any, node: Any) -> Any:
    """Replaces an MRG draw by one that overwrites its states."""
    if node.op.inplace:
        return False
    return type(node.op)(node.op.output_type, inplace=True).make_node(*node.inputs).outputs
