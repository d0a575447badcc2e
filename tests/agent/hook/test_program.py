"""What of arguments decides shapes, and what dry calls give back."""

from __future__ import annotations

import numpy as np
import pytest

from theanodiag.agent.hook.program import dense, describe, fill, keeps, kind_of, small_integer
from theanodiag.agent.hook.session import static_shape


class TensorType:
    """A type by the name that all frameworks use."""

    def __init__(self, dtype: str, shape: tuple[int | None, ...]) -> None:
        self.dtype, self.shape = dtype, shape


class Matrix(TensorType):
    """A type derived from it."""


class RandomType:
    """A type without shapes."""


FLOATS = TensorType("float32", (None, None))


@pytest.mark.parametrize(
    ("value", "small"),
    [
        (np.int64(3), 3), (np.array(3), 3), (7, 7), (np.array([2, 3]), [2, 3]), (np.array(True), True),
        (np.arange(5), None), (np.ones(2), None), (np.ones((1, 1), int), None), (2.5, None), ("3", None), (None, None),
    ],
)  # fmt: skip
def test_small_integers(value: object, small: object) -> None:
    """Integers of a few elements may be dimensions or indices."""
    assert small_integer(value) == small


def test_calls_are_told_apart_by_shapes_and_small_integers() -> None:
    """Values of floats make no difference."""
    assert describe(np.zeros((2, 3))) == describe(np.ones((2, 3))) != describe(np.zeros((2, 4)))
    assert describe(np.array(3)) != describe(np.array(4))
    assert describe(np.array([3, 4])) != describe(np.array([3, 5]))
    assert len({describe(v) for v in (None, 2, np.zeros(2), np.arange(2))}) == 4


def test_values_of_the_right_shape_and_dtype() -> None:
    """Tensors are zeros."""
    value = fill(FLOATS, (2, 3), None, None)
    assert (value.shape, str(value.dtype), value.any()) == ((2, 3), "float32", np.False_)


def test_known_values_are_given() -> None:
    """A value that is known without computing is the value, if it has the shape."""
    assert dense(TensorType("int64", ()), (), 5) == 5
    assert dense(TensorType("int64", (None,)), (2,), [1, 2]).tolist() == [1, 2]
    assert dense(TensorType("int64", (None,)), (3,), [1, 2]).tolist() == [0, 0, 0]


def test_what_has_no_shape_stays_as_it_was() -> None:
    """The state of a generator is handed through."""
    state = object()
    assert fill(RandomType(), (), None, state) is state
    assert keeps(state, RandomType(), None)


@pytest.mark.parametrize(("shape", "kept"), [((2, 3), True), ((4, 3), False), (None, True)])
def test_updates_of_the_same_shape_keep_the_value(shape: tuple[int, ...] | None, kept: bool) -> None:
    """No memory is taken for an update that changes nothing but values."""
    assert keeps(np.zeros((2, 3), "float32"), FLOATS, shape) is kept


def test_an_update_of_another_dtype_does_not() -> None:
    """The dtype counts too."""
    assert not keeps(np.zeros((2, 3), "float64"), FLOATS, (2, 3))


def test_families_are_known_by_the_names_of_classes() -> None:
    """Derived types belong to the family of their base."""
    assert [kind_of(k) for k in (FLOATS, Matrix("int8", ()), RandomType())] == ["tensor", "tensor", "other"]


def test_static_shapes() -> None:
    """PyTensor states lengths, Theano which dimensions are broadcastable."""
    theano = RandomType()
    theano.broadcastable = (True, False)  # type: ignore[attr-defined]
    assert [static_shape(k) for k in (FLOATS, theano, RandomType())] == [(None, None), (1, None), None]


def test_more_than_memory_can_be_returned() -> None:
    """Zeros of a size that no machine gives are zeros all the same, and may only be read."""
    value = fill(FLOATS, (1 << 25, 1 << 25), None, None)
    assert value.shape == (1 << 25, 1 << 25)
    assert value[5, 5] == 0
