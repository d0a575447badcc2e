"""Fourier transforms: those of Theano 1.0 and later, of its first GPU back-end, of numpy, and of the sandbox."""

from __future__ import annotations

from .spec import alike
from .work import with_workspace

OPS = (
    *alike("CuIRFFTOp CuRFFTOp", memory=with_workspace("cuFFT")),
)  # fmt: skip
"""The entries of this family."""
