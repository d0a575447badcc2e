"""Shapes whose dimensions may be unknown, and the sizes that follow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from theanodiag.errors import UnreadableError
from theanodiag.ir import ShapeTable, Unknown, itemsize, nbytes, numel

WHY = Unknown("depends on data")
DTYPES = (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
DIMENSIONS = st.lists(st.integers(0, 12), max_size=5)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [((), 1), ((0,), 0), ((3,), 3), ((2, 3, 4), 24), ((WHY,), WHY), ((2, WHY), WHY), ((0, WHY), 0), ((WHY, 0), 0), (WHY, WHY)],
    ids=str,
)
def test_number_of_elements(shape: object, expected: object) -> None:
    """A zero anywhere makes it zero; else one unknown dimension makes it unknown."""
    assert numel(shape) == expected  # type: ignore[arg-type]


def test_of_several_unknown_dimensions_the_first_gives_the_reason() -> None:
    """One reason is enough."""
    assert numel((Unknown("first"), Unknown("second"))) == Unknown("first")


@pytest.mark.parametrize("dtype", DTYPES)
def test_sizes_of_elements_are_numpy_s(dtype: str) -> None:
    """Every dtype that a tensor can have."""
    assert itemsize(dtype) == np.dtype(dtype).itemsize


@pytest.mark.parametrize("dtype", ["object", "float128", "", "Float32", "bfloat16", "str"])
def test_what_no_tensor_has_is_refused(dtype: str) -> None:
    """With the dtypes that are known."""
    with pytest.raises(UnreadableError) as caught:
        itemsize(dtype)
    assert caught.value.message == f"no tensor has the dtype {dtype!r}"
    assert "float32" in (caught.value.help or "")


@hypothesis(deadline=None)
@given(DIMENSIONS, st.sampled_from(DTYPES))
def test_bytes_are_those_of_a_numpy_array(shape: list[int], dtype: str) -> None:
    """For every shape and dtype."""
    assert nbytes(tuple(shape), dtype) == np.empty(shape, dtype).nbytes


def test_bytes_of_an_unknown_shape_have_its_reason() -> None:
    """Never a number."""
    assert nbytes((2, WHY), "float32") == WHY
    assert nbytes(WHY, "float32") == WHY


def test_a_table_answers_for_what_it_does_not_have() -> None:
    """With a reason, not with an error."""
    table = ShapeTable({0: (2, 3), 1: WHY})
    assert [table.shape(v) for v in range(3)] == [(2, 3), WHY, Unknown("no shape was inferred")]
