"""JAX conversions of the Ops of `theano.tensor.nnet` other than convolutions and pooling."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from pytensor.link.jax.dispatch import jax_funcify

from ...ops.activations import ScalarSoftsign, UltraFastScalarSigmoid
from ...ops.blocksparse import SparseBlockGemv, SparseBlockOuter
from ...ops.crossentropy import (
    CrossentropyCategorical1Hot,
    CrossentropyCategorical1HotGrad,
    CrossentropySoftmax1HotWithBiasDx,
    CrossentropySoftmaxArgmax1HotWithBias,
    Prepend_scalar_constant_to_each_row,
    Prepend_scalar_to_each_row,
)
from ...ops.neighbours import Images2Neibs, Images2NeibsGrad, axes
from ...ops.softmax import LogSoftmax, Softmax, SoftmaxGrad, SoftmaxWithBias
from .base import lengths
from .slices import check, check_classes


@jax_funcify.register(Softmax)
def _softmax(op: Any, **kwargs: Any) -> Any:
    return lambda x: jax.nn.softmax(x, axis=1)


@jax_funcify.register(LogSoftmax)
def _log_softmax(op: Any, **kwargs: Any) -> Any:
    return lambda x: jax.nn.log_softmax(x, axis=1)


@jax_funcify.register(SoftmaxWithBias)
def _softmax_with_bias(op: Any, **kwargs: Any) -> Any:
    return lambda x, b: jax.nn.softmax(x + b, axis=1).astype(x.dtype)


@jax_funcify.register(SoftmaxGrad)
def _softmax_grad(op: Any, **kwargs: Any) -> Any:
    def gradient(dy: Any, sm: Any) -> Any:
        product = dy * sm
        return (product - product.sum(1, keepdims=True) * sm).astype(sm.dtype)

    return gradient


@jax_funcify.register(CrossentropySoftmaxArgmax1HotWithBias)
def _crossentropy(op: Any, **kwargs: Any) -> Any:
    def losses(x: Any, b: Any, classes: Any) -> Any:
        check_classes(classes, x.shape[1])
        scores = x + b
        logarithms = jax.nn.log_softmax(scores, axis=1)
        loss = -jnp.take_along_axis(logarithms, classes[:, None], 1)[:, 0]
        return loss.astype(x.dtype), jnp.exp(logarithms).astype(x.dtype), scores.argmax(1).astype(classes.dtype)

    return losses


def _one_hot(like: Any, classes: Any) -> Any:
    check_classes(classes, like.shape[1])
    return (classes[:, None] == jnp.arange(like.shape[1])).astype(like.dtype)


@jax_funcify.register(CrossentropySoftmax1HotWithBiasDx)
def _crossentropy_dx(op: Any, **kwargs: Any) -> Any:
    return lambda dy, sm, classes: ((sm - _one_hot(sm, classes)) * jnp.reshape(dy, (-1, 1))).astype(sm.dtype)


@jax_funcify.register(CrossentropyCategorical1Hot)
def _categorical(op: Any, **kwargs: Any) -> Any:
    def losses(coding: Any, classes: Any) -> Any:
        check_classes(classes, coding.shape[1])
        return -jnp.log(jnp.take_along_axis(coding, classes[:, None], 1)[:, 0])

    return losses


@jax_funcify.register(CrossentropyCategorical1HotGrad)
def _categorical_grad(op: Any, **kwargs: Any) -> Any:
    def gradient(g: Any, coding: Any, classes: Any) -> Any:
        there = jnp.take_along_axis(coding, classes[:, None], 1)
        return jnp.where(_one_hot(coding, classes) == 1, -g[:, None] / there, 0).astype(coding.dtype)

    return gradient


def _prepended(value: Any, matrix: Any) -> Any:
    column = jnp.full((matrix.shape[0], 1), value, matrix.dtype)
    return jnp.concatenate([column, matrix], axis=1)


@jax_funcify.register(Prepend_scalar_constant_to_each_row)
def _prepend_constant(op: Any, **kwargs: Any) -> Any:
    return lambda matrix: _prepended(op.val.data, matrix)


@jax_funcify.register(Prepend_scalar_to_each_row)
def _prepend(op: Any, **kwargs: Any) -> Any:
    return _prepended


@jax_funcify.register(UltraFastScalarSigmoid)
def _ultra_fast(op: Any, node: Any = None, **kwargs: Any) -> Any:
    def value(x: Any) -> Any:
        half = 0.5 * x
        size = jnp.abs(half)
        middle = 0.935409070603099 + 0.0458812946797165 * (size - 1.7)
        piece = jnp.where(size < 1.7, 1.5 * size / (1 + size), jnp.where(size < 3, middle, 0.99505475368673))
        return 0.5 * (jnp.copysign(piece, half) + 1.0)

    return value


@jax_funcify.register(ScalarSoftsign)
def _softsign(op: Any, node: Any = None, **kwargs: Any) -> Any:
    return lambda x: x / (1.0 + jnp.abs(x))


@jax_funcify.register(SparseBlockGemv)
def _block_gemv(op: Any, **kwargs: Any) -> Any:
    def product(o: Any, W: Any, h: Any, sources: Any, targets: Any) -> Any:
        check(W, (sources, targets))
        blocks = W[sources[:, :, None], targets[:, None, :]]
        return (o + jnp.einsum("bim,bijmn->bjn", h, blocks)).astype(o.dtype)

    return product


@jax_funcify.register(SparseBlockOuter)
def _block_outer(op: Any, **kwargs: Any) -> Any:
    def product(o: Any, x: Any, y: Any, rows: Any, columns: Any, alpha: Any) -> Any:
        check(o, (rows, columns))
        products = x[:, :, None, :, None] * y[:, None, :, None, :]
        return o.at[rows[:, :, None], columns[:, None, :]].add(products.astype(o.dtype))

    return product


def _places(op: Any, image: Any, shape: Any, step: Any) -> Any:
    first, second = axes(image, lengths(shape, "a patch"), lengths(step, "a patch"), op.mode)
    return first.places[:, None, :, None], second.places[None, :, None, :]


@jax_funcify.register(Images2Neibs)
def _images2neibs(op: Any, **kwargs: Any) -> Any:
    def patches(images: Any, shape: Any, step: Any) -> Any:
        rows, columns = _places(op, images.shape[2:], shape, step)
        padded = jnp.pad(images, ((0, 0), (0, 0), (0, 1), (0, 1)))
        return padded[:, :, rows, columns].reshape(-1, int(np.prod(lengths(shape, "a patch"))))

    return patches


@jax_funcify.register(Images2NeibsGrad)
def _images2neibs_grad(op: Any, **kwargs: Any) -> Any:
    def images(patches: Any, shape: Any, step: Any, original: Any) -> Any:
        batch, channels, *image = lengths(original, "images")
        rows, columns = _places(op, image, shape, step)
        grid = (rows.shape[0], columns.shape[1], rows.shape[2], columns.shape[3])
        zeros = jnp.zeros((batch, channels, *image), patches.dtype)
        return zeros.at[:, :, rows, columns].add(patches.reshape(batch, channels, *grid))

    return images
