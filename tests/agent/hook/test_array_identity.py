"""The identity of memory.

Equal data is recognised, and nothing else.

Arrays of floats whose values are bytes are seen, as far as their elements are looked at.
"""

from __future__ import annotations

import numpy
import numpy as np
import pytest

from theanodiag.agent.hook.array_identity import LEAST, WHOLE, Buffers, address_of, digest, levels, owner_of, shape_of


def test_the_same_array_has_the_same_name() -> None:
    """An array, a view of its beginning and a reshaped view share their memory."""
    buffers, array = Buffers(), np.zeros((4, 3))
    assert len({buffers.identify(v) for v in (array, array[:2], array.reshape(12))}) == 1


def test_two_arrays_that_live_together_have_two_names() -> None:
    """Different memory has different names."""
    buffers, first, second = Buffers(), np.zeros(3), np.zeros(3)
    assert buffers.identify(first) != buffers.identify(second)


def test_memory_that_was_taken_again_has_another_name() -> None:
    """An array at the address of one that is gone is another one."""
    buffers, names = Buffers(), set()
    for _ in range(5):
        names.add(buffers.identify(np.zeros(10)))
    assert len(names) == 5


def test_what_has_no_memory_has_no_name() -> None:
    """Plain numbers have none."""
    assert Buffers().identify(3) is None
    assert address_of("text") is None
    assert shape_of(3) is None


def test_the_owner_of_a_view_of_a_view() -> None:
    """The array that holds the memory is found through all views."""
    array = np.zeros((4, 4))
    assert owner_of(array[1:][:, 1:].T) is array
    assert shape_of(array[1:]) == [3, 4]


def test_equal_data_in_other_memory_has_the_same_digest() -> None:
    """Also where it lies in another order of strides."""
    a = np.random.default_rng(1).random((80, 90))
    assert digest(a) == digest(a.copy()) == digest(np.asfortranarray(a))
    assert (digest(a) or "").startswith("whole:")


def test_other_data_has_another() -> None:
    """One element is enough."""
    a = np.ones(1000)
    b = a.copy()
    b[7] = 2
    assert digest(a) != digest(b)


def test_large_arrays_are_read_in_part() -> None:
    """And say so: what lies between is not seen."""
    a = np.ones(WHOLE)
    assert (digest(a) or "").startswith("part:")
    assert digest(a) != digest(a * 2)


def test_zeros_and_small_arrays_are_not_told_apart() -> None:
    """Zeros are what a function that computes nothing returns."""
    assert digest(np.zeros(1000)) == "zero"
    assert digest(np.ones(LEAST // 8 - 1)) is None
    assert digest(np.array([object()] * 1000)) is None
    assert digest(3) is None


def test_a_view_names_the_array_it_was_cut_from() -> None:
    """With its name, shape and size; an array of its own names none."""
    buffers, a = Buffers(), np.ones((100, 4))
    assert buffers.cut_from(a[20:40]) == {"buffer": buffers.identify(a), "shape": [100, 4], "bytes": 3200}
    assert buffers.cut_from(a) is None
    assert buffers.cut_from(a.reshape(400)) is None
    assert buffers.cut_from(3) is None


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
