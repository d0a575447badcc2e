"""Equal data is recognised, and nothing else."""

from __future__ import annotations

import numpy as np

from theanodiag.capture.hook.buffers import Buffers
from theanodiag.capture.hook.digests import LEAST, WHOLE, digest


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
