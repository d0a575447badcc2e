"""`low + u * scale` with a single rounding, as Theano's C code computes a uniform number between two bounds.

Theano's C compiler contracts product and sum to a fused multiply-add on any processor of the last ten years. numpy, numba and XLA may round
once or twice; this Op makes the single rounding explicit, so that all give the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy
from pytensor.scalar.basic import ScalarOp, upcast_out
from pytensor.tensor.elemwise import Elemwise

Array = Any
"""A numpy or JAX array."""


def _two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """The rounded sum and its exact error (Knuth)."""
    total = a + b
    shadow = total - a
    return total, (a - (total - shadow)) + (b - shadow)


def _odd(total: Array, error: Array, xp: Any, bits: Any, number: Any) -> Array:
    """`total + error` rounded to odd: the last bit records whether anything was lost, so that a second rounding is correct."""
    pattern = bits(total)
    inexact = (error != 0) & (pattern % 2 == 0)
    outwards = xp.where((error > 0) == (total > 0), 1, -1)
    return number(pattern + xp.where(inexact, outwards, 0))


def single_rounding(u: Array, scale: Array, low: Array, dtype: str, xp: Any, bits: Any, number: Any) -> Array:
    """Returns `low + u * scale` rounded once to `dtype`, with the functions of numpy or jax.numpy (`xp`).

    `bits` views float64 as int64, `number` views int64 as float64. u must have at most 31 significant bits, as a uniform number has. Every
    product is exact (round-to-odd, Boldo and Melquiond), so a compiler that contracts products and sums changes nothing.
    """
    u, scale, low = u.astype("float64"), scale.astype("float64"), low.astype("float64")
    if dtype == "float32":
        return _odd(*_two_sum(u * scale, low), xp, bits, number).astype("float32")
    top = number(bits(scale) & -(1 << 31))  # the 22 leading bits
    rest = scale - top
    middle = number(bits(rest) & -(1 << 31))
    small, lost = _two_sum(u * middle, u * (rest - middle))
    high, carry = _two_sum(u * top, small)
    carry = carry + lost  # exact: u * scale is high + carry
    tail_sum, tail = _two_sum(low, carry)
    result, between = _two_sum(high, tail_sum)
    rounded = result + _odd(*_two_sum(between, tail), xp, bits, number)
    return xp.where(xp.isfinite(rounded), rounded, u * scale + low)


def scale_arrays(u: Array, scale: Array, low: Array) -> Array:
    """Returns `low + u * scale` of numpy arrays, rounded once if the common dtype is float32 or float64."""
    u, scale, low = numpy.asarray(u), numpy.asarray(scale), numpy.asarray(low)
    dtype = numpy.result_type(u, scale, low).name
    if dtype not in ("float32", "float64"):
        return u * scale + low
    with numpy.errstate(all="ignore"):
        return single_rounding(u, scale, low, dtype, numpy, lambda a: a.view("int64"), lambda a: a.view("float64"))


class ScaledUniform(ScalarOp):
    """Scalar Op (u, scale, low) -> `low + u * scale`, rounded once."""

    nfunc_spec = (__name__ + ".scale_arrays", 3, 1)

    def impl(self, u: Any, scale: Any, low: Any) -> Any:
        """Returns the value, computed by `scale_arrays`."""
        return scale_arrays(u, scale, low)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> list[Any]:
        """Returns the gradients: scale for u, u for scale, 1 for low, each times the output's gradient."""
        u, scale, _ = inputs
        (cotangent,) = cotangents
        return [cotangent * scale, cotangent * u, cotangent]

    def pushforward(self, inputs: Any, outputs: Any, tangents: Any) -> list[Any]:
        """Returns the tangent of the product plus the tangent of `low`."""
        u, scale, _ = inputs
        return [tangents[0] * scale + tangents[1] * u + tangents[2]]

    def c_headers(self, **kwargs: Any) -> list[str]:
        """Returns the header of C's fma."""
        return ["<cmath>"]

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        """Returns one call of fma or fmaf. Raises NotImplementedError for dtypes other than float32 and float64."""
        u, scale, low = inputs
        (z,) = outputs
        dtype = node.outputs[0].type.dtype
        if dtype not in ("float32", "float64"):
            raise NotImplementedError(dtype)
        return f"{z} = {'fmaf' if dtype == 'float32' else 'fma'}({u}, {scale}, {low});"

    def c_code_cache_version(self) -> tuple[int, ...]:
        """Returns the version of the C code."""
        return (1,)


scaled_uniform = Elemwise(ScaledUniform(upcast_out, name="scaled_uniform"))
"""Elemwise Op (u, scale, low) -> `low + u * scale`, rounded once."""
