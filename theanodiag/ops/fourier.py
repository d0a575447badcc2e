"""Fourier transforms: those of Theano 1.0 and later, of its first GPU back-end, of numpy, and of the sandbox."""

from __future__ import annotations

from ..agent.shapes.dimensions import (
    NoShape,
    lift,
)
from ..ir import Unknown
from ..ir.shape import Dim
from .memory_effects import with_workspace
from .node import Node, Shapes
from .spec import OpSpec


def real_fft(node: Node) -> Shapes:
    """Returns the output shape of RFFT of (batch array, size): the last dimension becomes n // 2 + 1, and 2 is appended for real and
    imaginary part.

    Source: Theano 1.0.5 tensor/fft.py.
    """
    dims = node.known(1)
    return [(node.shape(0, least=1)[0], *dims[:-1], lift(lambda n: n // 2 + 1, dims[-1]), 2)]


def inverse_real_fft(node: Node) -> Shapes:
    """Returns the output shape of IRFFT of (batch array, size): the spatial dimensions are the value of `size`."""
    return [(node.shape(0, least=1)[0], *node.known(1))]


def back_end_fft(node: Node) -> Shapes:
    """Returns the output shape of CuFFTOp of Theano's first GPU back-end: the last dimension becomes n // 2 + 1, and 2 is appended.

    Source: Theano 0.9.0 sandbox/cuda/fftconv.py.
    """
    shape = node.shape(0, least=1)
    return [(*shape[:-1], lift(lambda n: n // 2 + 1, shape[-1]), 2)]


def back_end_inverse_fft(node: Node) -> Shapes:
    """Returns the output shape of CuIFFTOp of Theano's first GPU back-end: inverse of `back_end_fft`, for an even last dimension."""
    shape = node.shape(0, least=2)
    return [(*shape[:-2], lift(lambda n: (n - 1) * 2, shape[-2]))]


def complex_products(node: Node) -> Shapes:
    """Returns the output shape of BatchedComplexDotOp: products of batches of complex matrices, whose last dimension of 2 is real and
    imaginary part.
    """
    a, b = node.shape(0, least=2), node.shape(1, least=3)
    return [(a[0], a[1], b[2], 2)]


def fourier(node: Node) -> Shapes:
    """Returns the output shape of Fourier of (array, length, axis): dimension `axis` gets that length. Source: Theano 1.0.5
    tensor/fourier.py.
    """
    shape, axis = node.shape(0), node.number(2)
    if isinstance(axis, Unknown):
        raise NoShape(axis.reason)
    at = int(axis) % max(1, len(shape))
    return [tuple(node.number(1) if i == at else d for i, d in enumerate(shape))]


def spectrogram(node: Node) -> Shapes:
    """Returns the output shapes of FFT of (frames, length, axis): as `fourier`, or half of that with parameter `half`. Source: Theano 1.0.5
    sandbox/fourier.py.
    """
    (shape,) = fourier(node)
    if not isinstance(shape, tuple) or not node.flag("half"):
        return [shape, None][: node.n_outputs]
    axis = int(str(node.number(2))) % len(shape)
    halved: tuple[Dim, ...] = tuple(lift(lambda n: n // 2, d) if i == axis else d for i, d in enumerate(shape))
    return [halved, None][: node.n_outputs]


OPS = (
    OpSpec("BatchedComplexDotOp", shape=complex_products),
    OpSpec("CuFFTOp", shape=back_end_fft),
    OpSpec("CuIFFTOp", shape=back_end_inverse_fft),
    OpSpec("CuIRFFTOp", shape=inverse_real_fft, memory=with_workspace("cuFFT")),
    OpSpec("CuRFFTOp", shape=real_fft, memory=with_workspace("cuFFT")),
    OpSpec("FFT", shape=spectrogram),
    OpSpec("Fourier", shape=fourier),
    OpSpec("IRFFTOp", shape=inverse_real_fft),
    OpSpec("RFFTOp", shape=real_fft),
)  # fmt: skip
"""The catalogue entries of this family of Ops."""
