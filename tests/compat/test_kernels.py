"""The arithmetic of our Ops in numpy, held against definitions written out element by element."""

from __future__ import annotations

import itertools
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from theanodiag.compat.ops import pool_kernels
from theanodiag.compat.ops.conv import kernels
from theanodiag.compat.ops.ctc_kernels import cost_and_gradient
from theanodiag.ops import conv


def correlated(images: Any, filters: Any, geometry: kernels.Geometry) -> Any:
    """Each filter at each place of each image."""
    n, groups = geometry.ndim, geometry.groups
    kernel, (batch, channels, *image) = filters.shape[-n:], images.shape
    output = geometry.output(tuple(image), kernel)
    padded = np.pad(images, ((0, 0), (0, 0), *geometry.pads))
    per_group, filters_per_group = channels // groups, len(filters) // groups
    result = np.zeros((batch, len(filters), *output))
    for place in np.ndindex(*output):
        where = [slice(p * s, p * s + (k - 1) * d + 1, d) for p, s, k, d in zip(place, geometry.strides, kernel, geometry.dilations)]
        patch = padded[(slice(None), slice(None), *where)]
        for f in range(len(filters)):
            group = f // filters_per_group
            weights = filters[(f, *place)] if geometry.unshared else filters[f]
            part = patch[:, group * per_group : (group + 1) * per_group] * weights
            result[(slice(None), f, *place)] = part.reshape(batch, -1).sum(1)
    return result


@pytest.mark.parametrize("case", [(64, 3, 32, 16, 3, 0, 1), (4, 8, 128, 32, 5, 2, 1), (128, 20, 12, 50, 5, 0, 1), (16, 8, 40, 16, 3, 1, 2)])
def test_memory_beside_the_output(case: tuple[int, ...]) -> None:
    """What numpy asks for in all three directions is what `check` counts, to an eighth; many images, large images, and strides."""
    batch, channels, size, filters, k, pad, step = case
    geometry = kernels.Geometry(((pad, pad),) * 2, (step, step), (1, 1))
    images, weights = np.ones((batch, channels, size, size), "float32"), np.ones((filters, channels, k, k), "float32")
    maps = kernels.forward(images, weights, geometry)
    counted = conv.block(images.shape, weights.shape, maps.shape, [step, step], [1, 1], 4)
    assert conv.BLOCK_BYTES == kernels.BLOCK_BYTES
    for run, output in (
        (lambda: kernels.forward(images, weights, geometry), maps),
        (lambda: kernels.wrt_filters(images, maps, (k, k), geometry), weights),
        (lambda: kernels.wrt_images(weights, maps, (size, size), geometry), images),
    ):
        tracemalloc.start()
        run()
        peak = tracemalloc.get_traced_memory()[1] - output.nbytes
        tracemalloc.stop()
        assert 7 / 8 * counted < peak < 9 / 8 * counted, (case, peak, counted)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.booleans(), st.sampled_from((1, 1, 2, 3)), st.sampled_from((1, 500, 4 << 20)))
def test_convolution_in_blocks_of_any_size(seed: int, ndim: int, unshared: bool, groups: int, block: int) -> None:
    """The output is the definition's, and both gradients are its transposes."""
    data = np.random.default_rng(seed)

    def some(low: int, high: int) -> tuple[int, ...]:
        return tuple(int(n) for n in data.integers(low, high, ndim))

    geometry = kernels.Geometry(tuple(zip(some(0, 3), some(0, 3))), some(1, 4), some(1, 3), groups, unshared)
    kernel, image = some(1, 4), some(3, 8)
    output = geometry.output(image, kernel)
    assume(min(output) > 0)
    batch, channels, filters = int(data.integers(1, 4)), groups * int(data.integers(1, 3)), groups * int(data.integers(1, 3))
    images = data.normal(size=(batch, channels, *image))
    weights = data.normal(size=(filters, *(output if unshared else ()), channels // groups, *kernel))
    usual, kernels.BLOCK_BYTES = kernels.BLOCK_BYTES, block
    try:
        found = kernels.forward(images, weights, geometry)
        np.testing.assert_allclose(found, correlated(images, weights, geometry), rtol=1e-10, atol=1e-10)
        top, other, moved = data.normal(size=found.shape), data.normal(size=weights.shape), data.normal(size=images.shape)
        d_weights = kernels.wrt_filters(images, top, kernel, geometry)
        d_images = kernels.wrt_images(weights, top, image, geometry)
    finally:
        kernels.BLOCK_BYTES = usual
    np.testing.assert_allclose((d_weights * other).sum(), (correlated(images, other, geometry) * top).sum(), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose((d_images * moved).sum(), (correlated(moved, weights, geometry) * top).sum(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("images", "filters", "groups", "message"),
    [
        ((2, 3, 5, 5), (4, 2, 3, 3), 1, "images of 3 channels"),
        ((2, 3, 5, 5), (4, 1, 3, 3), 2, "must be divisible by num_groups"),
        ((2, 4, 5, 5), (3, 2, 3, 3), 2, "must be divisible by num_groups"),
        ((2, 3, 2, 5), (4, 3, 3, 3), 1, "are larger than images"),
    ],
)
def test_shapes_that_do_not_fit_are_named(images: tuple[int, ...], filters: tuple[int, ...], groups: int, message: str) -> None:
    """The error says what does not fit."""
    geometry = kernels.Geometry(((0, 0),) * 2, (1, 1), (1, 1), groups)
    with pytest.raises(ValueError, match=message):
        kernels.forward(np.zeros(images), np.zeros(filters), geometry)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from(("max", "sum", "average_inc_pad", "average_exc_pad")))
def test_pooling(seed: int, ignore: bool, mode: str) -> None:
    """Each window is reduced as the definition says; every tied maximum receives the gradient."""
    data = np.random.default_rng(seed)
    sizes, strides = (tuple(int(n) for n in data.integers(1, 5, 2)) for _ in range(2))
    pads = tuple(int(data.integers(0, s)) for s in sizes) if ignore else (0, 0)
    windows = pool_kernels.Windows(sizes, strides, pads, ignore)
    x = data.integers(0, 3, (2, *(int(n) for n in data.integers(4, 9, 2)))).astype("float64")
    found = pool_kernels.pool(x, windows, mode)
    wanted, gradient = np.zeros(found.shape), np.zeros(x.shape)
    top = data.normal(size=found.shape)
    for place in np.ndindex(*found.shape[1:]):
        whole = [(p * s, min(p * s + k, n + 2 * pad)) for p, s, k, n, pad in zip(place, strides, sizes, x.shape[1:], pads)]
        inside = [slice(max(a, pad) - pad, min(b, n + pad) - pad) for (a, b), n, pad in zip(whole, x.shape[1:], pads)]
        part = x[(slice(None), *inside)]
        elements = part[0].size if mode == "average_exc_pad" else int(np.prod([b - a for a, b in whole]))
        here = (slice(None), *place)
        total = part.sum((1, 2))
        wanted[here] = part.max((1, 2)) if mode == "max" else total if mode == "sum" else total / elements
        share = top[here][:, None, None]
        equal = part == wanted[here][:, None, None]
        gradient[(slice(None), *inside)] += share * equal if mode == "max" else share / (1 if mode == "sum" else elements)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    if mode == "max":
        np.testing.assert_allclose(pool_kernels.max_gradient(x, found, top, windows), gradient, rtol=1e-12, atol=1e-12)
        again = pool_kernels.max_gradient_of_gradient(x, found, x + 1, windows)
        np.testing.assert_allclose((again * top).sum(), (gradient * (x + 1)).sum(), rtol=1e-10, atol=1e-10)
    else:
        np.testing.assert_allclose(pool_kernels.average_gradient(x, top, windows, mode), gradient, rtol=1e-12, atol=1e-12)


def test_the_gradient_of_a_maximum_stays_zero_elsewhere() -> None:
    """An infinite gradient reaches the maximum only."""
    x = np.arange(4.0).reshape(1, 2, 2)
    windows = pool_kernels.Windows((2, 2), (2, 2), (0, 0), True)
    found = pool_kernels.max_gradient(x, pool_kernels.pool(x, windows, "max"), np.full((1, 1, 1), np.inf), windows)
    assert found.tolist() == [[[0.0, 0.0], [0.0, np.inf]]]


def all_ways(scores: Any, labels: list[int]) -> float:
    """-log of the sum over all alignments whose labels, without repetitions and blanks, are these."""
    p = np.exp(scores - scores.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    total = 0.0
    for way in itertools.product(range(p.shape[1]), repeat=len(p)):
        if [s for s, _ in itertools.groupby(way) if s] == labels:
            total += float(np.prod(p[np.arange(len(p)), way]))
    return -np.log(total) if total else np.inf


@pytest.mark.parametrize("labels", [[], [1], [1, 2], [2, 2], [1, 2, 1], [3, 3, 3]])
@pytest.mark.parametrize("steps", [1, 2, 4, 5])
def test_ctc(labels: list[int], steps: int) -> None:
    """The cost is the sum over all alignments, and the gradient its difference quotient."""
    scores = np.random.default_rng(steps).normal(size=(steps, 4))
    cost, gradient = cost_and_gradient(scores, np.array(labels, "int64"))
    wanted = all_ways(scores, labels)
    assert cost == pytest.approx(wanted, rel=1e-10)
    if np.isfinite(wanted):
        for t, symbol in np.ndindex(*scores.shape):
            step = np.zeros_like(scores)
            step[t, symbol] = 1e-5
            quotient = (all_ways(scores + step, labels) - all_ways(scores - step, labels)) / 2e-5
            assert gradient[t, symbol] == pytest.approx(quotient, abs=1e-6)
