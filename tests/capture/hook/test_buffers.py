"""The identity of memory."""

from __future__ import annotations

import numpy as np

from theanodiag.capture.hook.buffers import Buffers, address_of, owner_of, shape_of


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
