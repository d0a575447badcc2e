"""Pooling with numpy: one array operation for each offset inside the window, instead of one for each output element.

The last `Windows.ndim` axes of an array are pooled; any axes may precede them. A window that reaches past the end of the image
(`ignore_border` is False) is cut off there.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

Array = Any


def length(image: Any, window: Any, stride: Any, ignore_border: bool) -> int:
    """Returns the number of windows along an axis; `image` is its length including the padding on both sides."""
    if ignore_border:
        return max(0, (image - window) // stride + 1)
    if stride >= window:
        return int((image - 1) // stride + 1)
    return int(max(0, (image - 1 - window + stride) // stride) + 1)


@dataclass(frozen=True)
class Windows:
    """Positions of the pooling windows: one entry for each pooled axis."""

    sizes: tuple[int, ...]
    """Lengths of a window, in elements."""
    strides: tuple[int, ...]
    """Distance between the starts of neighbouring windows along each axis, in elements."""
    pads: tuple[int, ...]
    """Padding on each side of the image, in elements."""
    ignore_border: bool
    """Whether windows that reach past the end of the padded image are left out."""

    @property
    def ndim(self) -> int:
        """Number of pooled axes."""
        return len(self.sizes)

    def output(self, image: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the lengths of the pooled axes of the output, for the lengths of the image."""
        return tuple(
            length(n + 2 * pad, size, stride, self.ignore_border)
            for n, size, stride, pad in zip(image, self.sizes, self.strides, self.pads)
        )

    def covered(self, output: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the distance from the start of the padding to the end of the last window, along each axis; 0 if there is no window."""
        return tuple((n - 1) * stride + size if n else 0 for n, stride, size in zip(output, self.strides, self.sizes))

    def slices(self, offset: tuple[int, ...], output: tuple[int, ...]) -> tuple[slice, ...]:
        """Returns the slices of the padded image that hold the element at `offset` in each window."""
        return tuple(slice(o, o + (n - 1) * stride + 1, stride) for o, n, stride in zip(offset, output, self.strides))

    def offsets(self) -> Any:
        """Returns an iterator over all offsets inside a window, as tuples."""
        return product(*map(range, self.sizes))

    def counts(self, image: tuple[int, ...], output: tuple[int, ...], with_padding: bool) -> Array:
        """Returns the number of elements in each window, with or without those in the padding; broadcasts over the output."""
        total = np.ones((1,) * self.ndim)
        for axis, (n, out, size, stride, pad) in enumerate(zip(image, output, self.sizes, self.strides, self.pads)):
            starts: Array = np.arange(out) * stride
            ends = np.minimum(starts + size, n + 2 * pad)
            if not with_padding:
                starts, ends = np.maximum(starts, pad), np.minimum(ends, n + pad)
            total = total * (ends - starts).reshape((-1,) + (1,) * (self.ndim - axis - 1))
        return total


def _padded(x: Array, windows: Windows, output: tuple[int, ...], fill: Any) -> Array:
    """`x` padded with `fill` and cut to the area that the windows cover; a view of `x` if neither is needed."""
    leading, image = x.shape[: x.ndim - windows.ndim], x.shape[x.ndim - windows.ndim :]
    covered = windows.covered(output)
    kept = tuple(min(n, max(0, reach - pad)) for n, reach, pad in zip(image, covered, windows.pads))
    source = x[(...,) + tuple(slice(0, n) for n in kept)]
    if covered == kept and not any(windows.pads):
        return source
    result = np.full((*leading, *covered), fill, x.dtype)
    result[(...,) + tuple(slice(pad, pad + n) for pad, n in zip(windows.pads, kept))] = source
    return result


def _unpadded(gradient: Array, image: tuple[int, ...], windows: Windows) -> Array:
    """Gradient of the image from the gradient of its padded form: padding removed, zero where no window reaches."""
    covered = gradient.shape[gradient.ndim - windows.ndim :]
    kept = tuple(min(n, max(0, reach - pad)) for n, reach, pad in zip(image, covered, windows.pads))
    inside = gradient[(...,) + tuple(slice(pad, pad + n) for pad, n in zip(windows.pads, kept))]
    if kept == image:
        return np.ascontiguousarray(inside)
    result = np.zeros((*gradient.shape[: gradient.ndim - windows.ndim], *image), gradient.dtype)
    result[(...,) + tuple(slice(0, n) for n in kept)] = inside
    return result


def _lowest(dtype: Any) -> Any:
    """The lowest value of `dtype`: -inf, the smallest integer, or False."""
    if dtype.kind == "f":
        return -np.inf
    return np.iinfo(dtype).min if dtype.kind in "iu" else False


def _reduce(x: Array, windows: Windows, output: tuple[int, ...], combine: Any) -> Array:
    """Reduces each window with `combine`, one axis after the other, in the order of the axes."""
    for axis, (n, size, stride) in enumerate(zip(output, windows.sizes, windows.strides)):
        place = x.ndim - windows.ndim + axis
        parts = [x[(slice(None),) * place + (slice(o, o + (n - 1) * stride + 1, stride),)] for o in range(size)]
        result = parts[0].copy() if size == 1 else combine(parts[0], parts[1])
        for part in parts[2:]:
            combine(result, part, out=result)
        x = result
    return x


def _image(x: Array, windows: Windows) -> tuple[int, ...]:
    return tuple(x.shape[x.ndim - windows.ndim :])


def pool(x: Array, windows: Windows, mode: str) -> Array:
    """Pools `x`; `mode` is one of pool.MODES."""
    image = _image(x, windows)
    output = windows.output(image)
    if 0 in output or 0 in x.shape:
        return np.zeros((*x.shape[: x.ndim - windows.ndim], *output), x.dtype)
    if mode == "max":
        return _reduce(_padded(x, windows, output, _lowest(x.dtype)), windows, output, np.maximum)
    total = _reduce(_padded(x, windows, output, 0), windows, output, np.add)
    if mode == "sum":
        return total
    return (total / windows.counts(image, output, mode == "average_inc_pad").astype(x.dtype)).astype(x.dtype, copy=False)


def max_gradient(x: Array, maxout: Array, gz: Array, windows: Windows) -> Array:
    """Returns the gradient of `x`: each element equal to the maximum of a window receives that window's gradient, even if several are
    equal.
    """
    output = _image(maxout, windows)
    dtype = np.result_type(x, gz)
    if 0 in maxout.shape or 0 in x.shape:
        return np.zeros(x.shape, dtype)
    values = _padded(x, windows, output, _lowest(x.dtype))
    total = np.zeros(values.shape, dtype)
    # Multiplying by the mask is faster than np.where, but 0 * inf is NaN.
    finite = bool(np.isfinite(gz).all())
    apart = all(stride >= size for stride, size in zip(windows.strides, windows.sizes))
    for offset in windows.offsets():
        here = (..., *windows.slices(offset, output))
        mask = values[here] == maxout
        if finite and apart:
            np.multiply(mask, gz, out=total[here])
        else:
            total[here] += mask * gz if finite else np.where(mask, gz, 0)
    return _unpadded(total, _image(x, windows), windows)


def average_gradient(x: Array, gz: Array, windows: Windows, mode: str) -> Array:
    """Returns the gradient of `x` for sums and averages: each element receives its share of the gradients of its windows."""
    image, output = _image(x, windows), _image(gz, windows)
    if 0 in gz.shape or 0 in x.shape:
        return np.zeros(x.shape, x.dtype)
    share = gz if mode == "sum" else gz / windows.counts(image, output, mode == "average_inc_pad").astype(gz.dtype)
    # The reduction goes axis by axis, so its transpose spreads axis by axis in reverse order.
    for axis in reversed(range(windows.ndim)):
        place = share.ndim - windows.ndim + axis
        n, size, stride = output[axis], windows.sizes[axis], windows.strides[axis]
        spread = np.zeros((*share.shape[:place], (n - 1) * stride + size, *share.shape[place + 1 :]), share.dtype)
        for o in range(size):
            spread[(slice(None),) * place + (slice(o, o + (n - 1) * stride + 1, stride),)] += share
        share = spread
    return _unpadded(share, image, windows).astype(x.dtype, copy=False)


def max_gradient_of_gradient(x: Array, maxout: Array, ggx: Array, windows: Windows) -> Array:
    """Returns the sum of `ggx` over the elements that equal the maximum, for each window of `x`."""
    output = _image(maxout, windows)
    total = np.zeros(maxout.shape, np.result_type(x, ggx))
    if total.size:
        values, tangents = _padded(x, windows, output, _lowest(x.dtype)), _padded(ggx, windows, output, 0)
        for offset in windows.offsets():
            here = (..., *windows.slices(offset, output))
            total += np.where(values[here] == maxout, tangents[here], 0)
    return total


def at_maximum(x: Array, tangent: Array, windows: Windows) -> Array:
    """Returns the element of `tangent` at the first maximum of each window of `x`."""
    output = windows.output(_image(x, windows))
    leading = x.shape[: x.ndim - windows.ndim]
    if 0 in output or 0 in x.shape:
        return np.zeros((*leading, *output), tangent.dtype)

    def by_window(values: Array) -> Array:
        outer, inner = values.strides[: len(leading)], values.strides[len(leading) :]
        steps = tuple(s * stride for s, stride in zip(inner, windows.strides))
        view = as_strided(values, (*leading, *output, *windows.sizes), (*outer, *steps, *inner), writeable=False)
        return view.reshape((*leading, *output, -1))

    first = by_window(_padded(x, windows, output, _lowest(x.dtype))).argmax(-1)
    return np.take_along_axis(by_window(_padded(tangent, windows, output, 0)), first[..., None], -1)[..., 0]
