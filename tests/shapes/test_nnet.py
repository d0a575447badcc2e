"""Convolutions and pools against loops that place the window, and the Ops of networks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.agent.shapes.dimensions import Window
from theanodiag.ir import Op

from .made import Known, reason_of, shape_of, shapes_of

MODES = st.sampled_from(["valid", "half", "full", (0, 2), (1, 1)])
WINDOWS = st.builds(Window, MODES, st.integers(1, 3), st.integers(1, 3))


def placed(size: int, reach: int, step: int) -> int:
    """How many windows fit, by placing them."""
    return len([at for at in range(0, size, step) if at + reach <= size])


@given(WINDOWS, st.integers(1, 20), st.integers(1, 5))
def test_the_output_is_as_many_windows_as_fit(window: Window, image: int, kernel: int) -> None:
    """With padding, steps and dilation."""
    padded, reach = image + window.pad(window.reach(kernel)), window.reach(kernel)
    if padded >= reach:
        assert window.output(image, kernel) == placed(padded, reach, window.step)


@given(WINDOWS, st.integers(1, 12), st.integers(1, 5))
def test_the_smallest_image_has_that_output(window: Window, output: int, kernel: int) -> None:
    """And one that is one shorter has not."""
    image = window.image(kernel, output)
    assert window.output(image, kernel) == output
    assert window.output(image - 1, kernel) == output - 1


@given(st.sampled_from(["valid", (0, 2), (1, 1)]), st.integers(1, 12), st.integers(1, 5))
def test_the_kernel_follows_from_image_and_output(mode: str, image: int, kernel: int) -> None:
    """Where the step is 1."""
    window = Window(mode, 1, 1)
    output = window.output(image, kernel)
    if output > 0:
        assert window.kernel(image, output) == kernel


@pytest.mark.parametrize(("name", "params"), [("CorrMM", {}), ("GpuCorrMM", {}), ("AbstractConv2d", {"num_groups": 1})])
def test_a_convolution_and_its_gradients_fit_together(name: str, params: dict[str, object]) -> None:
    """The gradients have the shapes of what was convolved."""
    x, w = (2, 3, 9, 8), (4, 3, 3, 2)
    said = {"border_mode": "half", "subsample": [2, 2], "filter_dilation": [1, 1], **params}
    y = shape_of(name, [x, w], 4, said)
    assert isinstance(y, tuple)
    assert y[:2] == (2, 4)
    assert shape_of(f"{name}_gradWeights", [x, y, Known(3), Known(2)], 4, said) == w
    assert shape_of(f"{name}_gradInputs", [w, y, Known(9), Known(8)], 4, said) == x


def test_cudnn_writes_into_its_third_input() -> None:
    """Forward and both gradients."""
    for name in ("GpuDnnConv", "GpuDnnConvGradW", "GpuDnnConvGradI"):
        assert shape_of(name, [(2, 3, 9, 8), (4, 3, 3, 2), (2, 4, 7, 7)], 4) == (2, 4, 7, 7)


def test_the_oldest_convolution_reads_its_text() -> None:
    """`('dx', 2)` is the step."""
    text = "ConvOp{('imshp', None),('dx', 2),('dy', 1),('out_mode', 'full')}"
    assert shape_of("ConvOp", [(2, 3, 9, 8), (4, 3, 3, 2)], 4, text=text) == (2, 4, placed(13, 3, 2), placed(10, 2, 1))


def test_a_convolution_without_parameters_is_unknown() -> None:
    """Nothing is assumed."""
    assert "CorrMM" in reason_of(shape_of("CorrMM", [(2, 3, 9, 8), (4, 3, 3, 2)], 4))


@given(st.integers(3, 12), st.integers(1, 3), st.integers(1, 3))
def test_pools(size: int, window: int, step: int) -> None:
    """Whole windows, or as many as cover the image."""
    inputs = [(2, 3, size), Known((window,)), Known((step,)), Known((0,))]
    whole = shape_of("Pool", inputs, 3, {"ignore_border": True})
    assert whole == (2, 3, placed(size, window, step)) == shape_of("GpuDnnPool", inputs, 3)
    covering = shape_of("GpuPool", inputs, 3, {"ignore_border": False})
    assert isinstance(covering, tuple)
    assert isinstance(covering[2], int)
    assert covering[2] >= placed(size, window, step)
    assert (covering[2] - 1) * step < size


def test_a_pool_of_theano_0_7_has_its_window_in_its_text() -> None:
    """`DownsampleFactorMax{(2, 2),True}`."""
    assert shape_of("DownsampleFactorMax", [(2, 3, 9, 8)], 4, {"args": [[2, 2], True]}) == (2, 3, 4, 4)


def test_crossentropy() -> None:
    """Likelihoods, probabilities, classes, and the gradient."""
    found = shapes_of(Op("GpuCrossentropySoftmaxArgmax1HotWithBias", ""), [(5, 3), (3,), (5,)], [1, 2, 1])
    assert found == [(5,), (5, 3), (5,)]
    assert shape_of("CrossentropySoftmax1HotWithBiasDx", [(5,), (5, 3), (5,)], 2) == (5, 3)


def test_batch_normalisation() -> None:
    """The statistics have the shape of the scale."""
    x, scale = (4, 3, 5, 5), (1, 3, 1, 1)
    assert shapes_of(Op("GpuDnnBatchNorm", ""), [x, scale, scale], [4, 4, 4]) == [x, scale, scale]
    assert shapes_of(Op("GpuDnnBatchNormGrad", ""), [x, x, scale, scale, scale], [4, 4, 4]) == [x, scale, scale]


@pytest.mark.parametrize("name", ["GpuFromHost", "HostFromGpu", "GpuContiguous", "Rebroadcast", "Assert", "GpuSoftmax", "GpuToGpu"])
def test_what_hands_its_input_on(name: str) -> None:
    """Transfers, copies, checks."""
    assert shape_of(name, [(3, 4)], 2) == (3, 4)


def test_samples() -> None:
    """Of the size that the second input says."""
    assert shapes_of(Op("GPUA_mrg_uniform", ""), [(8, 6), Known((3, 4))], [2, 2]) == [(8, 6), (3, 4)]
    assert shapes_of(Op("mrg_uniform", ""), [(8, 6), (2,)], [2, 2])[0] == (8, 6)
