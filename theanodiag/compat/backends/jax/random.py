"""Random numbers in JAX: MRG31k3p in uint32 arithmetic, and RandomState through callbacks to numpy."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy
from pytensor.compile import optdb
from pytensor.graph.basic import Constant
from pytensor.graph.rewriting.basic import in2out, node_rewriter
from pytensor.link.jax.dispatch.basic import jax_funcify
from pytensor.link.jax.dispatch.shape import JAXShapeTuple
from pytensor.tensor.basic import MakeVector

from ...random.generator import M1, M2
from ...random.mrg import Resample, mrg_uniform
from ...random.multinomial import ChoiceFromUniform, MultinomialFromUniform
from ...random.raw import RandomFunction, copy_state
from ...random.scaled import ScaledUniform, single_rounding
from .base import traced

_UNROLLED = 8  # number of rounds up to which the loop is unrolled
_WORDS = 628  # 624 of a Mersenne Twister's key, position, has_gauss and the two halves of the Gaussian that is kept


@node_rewriter([mrg_uniform, RandomFunction])
def _size_as_tuple(fgraph: Any, node: Any) -> Any:
    """Keeps a size made of scalars as a tuple of scalars, because JAX needs to know a shape during compilation."""
    size = node.inputs[1]
    if size.owner is None or not isinstance(size.owner.op, MakeVector) or not size.owner.inputs:
        return None
    inputs = list(node.inputs)
    inputs[1] = JAXShapeTuple()(*size.owner.inputs)
    return node.clone_with_new_inputs(inputs).outputs


optdb.register("legacy_jax_size_as_tuple", in2out(_size_as_tuple), "jax", position=100)


def _shape(node: Any, given: Any) -> tuple[int, ...]:
    """The lengths of a draw as ints. Raises NotImplementedError if they are computed at run time."""
    size = node.inputs[1]
    lengths = size.data if isinstance(size, Constant) else given
    try:
        return tuple(int(length) for length in lengths)
    except jax.errors.ConcretizationTypeError:
        static = node.outputs[1].type.shape
        if None not in static:
            return tuple(static)
        raise NotImplementedError(
            f"{node.op} draws as many numbers as its inputs' values say: JAX must know the shape when it compiles; use mode='NUMBA' or 'C'"
        ) from None


def _bits(a: Any) -> Any:
    return jax.lax.bitcast_convert_type(a, jnp.int64)


def _number(a: Any) -> Any:
    return jax.lax.bitcast_convert_type(a, jnp.float64)


def _step(columns: Any) -> Any:
    """One draw of each stream: (new columns, integers drawn)."""
    x11, x12, x13, x21, x22, x23 = columns

    def shifted(x: Any, by: int) -> Any:  # as C shifts a signed number
        return jax.lax.bitcast_convert_type(jax.lax.bitcast_convert_type(x, jnp.int32) >> by, jnp.uint32)

    m1, m2, multiplier = jnp.uint32(M1), jnp.uint32(M2), jnp.uint32(21069)
    y = ((x12 & 511) << 22) + shifted(x12, 9) + ((x13 & 16777215) << 7) + shifted(x13, 24)
    y = jnp.minimum(y, y - m1) + x13
    first = jnp.minimum(y, y - m1)
    y = ((x21 & 65535) << 15) + multiplier * shifted(x21, 16)
    y = jnp.minimum(y, y - m2)
    z = ((x23 & 65535) << 15) + multiplier * shifted(x23, 16)
    z = jnp.minimum(z, z - m2) + x23
    z = jnp.minimum(z, z - m2) + y
    second = jnp.minimum(z, z - m2)
    signed_first, signed_second = (jax.lax.bitcast_convert_type(x, jnp.int32) for x in (first, second))
    drawn = first - second + jnp.where(signed_first <= signed_second, m1, jnp.uint32(0))
    return (first, x11, x12, second, x21, x22), jax.lax.bitcast_convert_type(drawn, jnp.int32)


def _draw(states: Any, count: int) -> tuple[Any, Any]:
    """(states after `count` draws, integers drawn); the streams are used in turn."""
    streams = states.shape[0]
    rounds, rest = divmod(count, streams)
    columns = tuple(jax.lax.bitcast_convert_type(states[:, i], jnp.uint32) for i in range(6))
    parts = []
    if rounds > _UNROLLED:
        columns, drawn = jax.lax.scan(lambda carried, _: _step(carried), columns, None, length=rounds)
        parts.append(drawn.reshape(-1))
    else:
        for _ in range(rounds):
            columns, drawn = _step(columns)
            parts.append(drawn)
    if rest:
        last, drawn = _step(tuple(column[:rest] for column in columns))
        parts.append(drawn)
        columns = tuple(jnp.concatenate([new, column[rest:]]) for new, column in zip(last, columns))
    after = jax.lax.bitcast_convert_type(jnp.stack(columns, axis=1), jnp.int32)
    return after, jnp.concatenate(parts) if parts else jnp.zeros(0, jnp.int32)


@jax_funcify.register(mrg_uniform)
def _mrg_uniform(op: Any, node: Any, **kwargs: Any) -> Any:
    dtype = op.output_type.dtype

    def mrg_uniform(states: Any, size: Any) -> Any:
        shape = _shape(node, size)
        if len(shape) != op.output_type.ndim:
            raise ValueError(f"size must have length {op.output_type.ndim} (not {len(shape)})")
        if math.prod(shape) > M1:
            raise ValueError("rng_mrg does not support more than (2**31 -1) samples")
        after, drawn = _draw(states, math.prod(shape))
        if dtype == "float16":
            numbers = (((drawn & 0x7FFF) + 1) * float(numpy.float16(3.0458e-05))).astype("float16")
        elif dtype == "float32":
            numbers = drawn.astype("float32") * numpy.float32(4.6566126e-10)
        else:
            numbers = drawn.astype("float64") * 4.656612873077392578125e-10
        return after, numbers.reshape(shape)

    return mrg_uniform


@jax_funcify.register(ScaledUniform)
def _scaled_uniform(op: Any, node: Any, **kwargs: Any) -> Any:
    dtype = node.outputs[0].type.dtype

    def scaled_uniform(u: Any, scale: Any, low: Any) -> Any:
        u, scale, low = jnp.asarray(u), jnp.asarray(scale), jnp.asarray(low)
        if dtype not in ("float32", "float64"):
            return u * scale + low
        return single_rounding(u, scale, low, dtype, jnp, _bits, _number)

    return scaled_uniform


@jax_funcify.register(MultinomialFromUniform)
@jax_funcify.register(ChoiceFromUniform)
def _from_uniform(op: Any, node: Any, **kwargs: Any) -> Any:
    """Calls back to numpy: sums in another order would sometimes select another class."""
    dtype = node.outputs[0].type.dtype
    count = node.inputs[2].data if isinstance(node.inputs[2], Constant) else None

    def host(pvals: Any, unis: Any, n: Any) -> Any:
        outputs: list[list[Any]] = [[None]]
        op.perform(node, [numpy.asarray(pvals), numpy.asarray(unis), numpy.asarray(n)], outputs)
        return outputs[0][0]

    def from_uniform(pvals: Any, unis: Any, n: Any) -> Any:
        pvals, unis = jnp.asarray(pvals), jnp.asarray(unis)
        shape = pvals.shape
        if isinstance(op, ChoiceFromUniform):
            shape = (shape[0], int(n if count is None else count))
        return jax.pure_callback(host, jax.ShapeDtypeStruct(shape, dtype), pvals, unis, n)

    return from_uniform


@jax_funcify.register(Resample)
def _resample(op: Any, node: Any, **kwargs: Any) -> Any:
    """Calls back to numpy: the number of draws depends on values."""

    def host(*inputs: Any) -> Any:
        outputs: list[list[Any]] = [[None], [None]]
        op.perform(node, [numpy.asarray(x) for x in inputs], outputs)
        return outputs[0][0], outputs[1][0]

    def resample(states: Any, radius: Any, cosine: Any, sine: Any) -> Any:
        result = jax.ShapeDtypeStruct(states.shape, "int32"), jax.ShapeDtypeStruct((2 * radius.shape[0],), node.outputs[1].type.dtype)
        return jax.pure_callback(host, result, states, radius, cosine, sine)

    return resample


class _TracedState:
    """The words of a RandomState while JAX traces."""

    def __init__(self, words: Any) -> None:
        self.words = words


def _pack(state: Any) -> Any:
    """A RandomState as an array of uint32 words."""
    _, key, position, has_gauss, gauss = state.get_state()
    halves = numpy.array([gauss], dtype="float64").view("uint32")
    return numpy.concatenate([key, numpy.array([position, has_gauss], dtype="uint32"), halves]).astype("uint32")


def _unpack(words: Any) -> Any:
    """A RandomState from its words."""
    words = numpy.asarray(words)
    state = numpy.random.RandomState(numpy.random.MT19937(0))
    gauss = float(words[626:].copy().view("float64")[0])
    state.set_state(("MT19937", words[:624], int(words[624]), int(words[625]), gauss))
    return state


def _rebuild(_: Any, leaves: Any) -> Any:
    """A RandomState if its words are known, else a _TracedState."""
    (words,) = leaves
    known = isinstance(words, (numpy.ndarray, jax.Array)) and not isinstance(words, jax.core.Tracer)
    return _unpack(words) if known else _TracedState(words)


jax.tree_util.register_pytree_node(numpy.random.RandomState, lambda state: ((_pack(state),), None), _rebuild)
jax.tree_util.register_pytree_node(_TracedState, lambda state: ((state.words,), None), _rebuild)


@jax_funcify.register(RandomFunction)
def _random_function(op: Any, node: Any, **kwargs: Any) -> Any:
    dtype = node.outputs[1].type.dtype

    def added(arguments: Any) -> tuple[int, ...]:
        """Returns the lengths that the distribution appends to the shape."""
        if not op.ndim_added:
            return ()
        static = node.outputs[1].type.shape[-op.ndim_added :]
        if None not in static:
            return tuple(static)
        if op.exec_fn.__name__ == "multinomial_helper":
            return (jnp.shape(arguments[1])[-1],)
        if op.exec_fn.__name__ == "permutation_helper":
            n = node.inputs[2]
            return (int(n.data if isinstance(n, Constant) else arguments[0]),)
        raise NotImplementedError(f"{op} draws an unknown number of dimensions: use mode='NUMBA' or 'C'")

    def host(words: Any, shape: Any, *arguments: Any) -> Any:
        state = _unpack(words)
        drawn = op.draw(state, shape, [numpy.asarray(x) for x in arguments], dtype)
        return _pack(state), drawn

    def random_function(state: Any, size: Any, *arguments: Any) -> Any:
        words = state.words if isinstance(state, _TracedState) else _pack(copy_state(state))
        shape = _shape(node, size)
        if not traced((words, *arguments)):
            words, drawn = host(words, shape, *arguments)
            return _TracedState(words), drawn
        result = (jax.ShapeDtypeStruct((_WORDS,), "uint32"), jax.ShapeDtypeStruct(shape + added(arguments), dtype))
        words, drawn = jax.pure_callback(lambda w, *a: host(w, shape, *a), result, words, *arguments)
        return _TracedState(words), drawn

    return random_function
