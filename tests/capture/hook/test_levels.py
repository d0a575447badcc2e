"""Arrays of floats whose values are bytes are seen, as far as their elements are looked at."""

from __future__ import annotations

import numpy
import pytest

from theanodiag.capture.hook.digests import levels

BYTES: numpy.ndarray = numpy.resize(numpy.arange(256, dtype="float32"), (600, 784))


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (BYTES, 1),
        (BYTES / 255, 255),
        (BYTES.astype("float64") / 256, 256),
        (numpy.resize(BYTES / numpy.float32(255), (9000, 784)), 255),
        (numpy.zeros((600, 784), "float32"), 0),
        (numpy.resize([0.0, 1.0], (600, 784)), 1),
    ],
)
def test_bytes(value: numpy.ndarray, number: int) -> None:
    """As they are, divided by 255 or by 256; of zeros nothing is known."""
    assert levels(value) == number


@pytest.mark.parametrize(
    "value",
    [
        BYTES + 1,
        BYTES - 1,
        BYTES / 100,
        numpy.random.RandomState(1).rand(600, 784),
        numpy.full((600, 784), numpy.nan),
        BYTES.astype("int32"),
        BYTES[:10],
        [1.0, 2.0],
        None,
    ],
)
def test_no_bytes(value: object) -> None:
    """Other floats, integers, small arrays, and what is no array."""
    assert levels(value) is None
