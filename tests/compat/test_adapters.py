"""Each function that a legacy script calls gives what Theano 1.0.5 gives: value, dtype and number of dimensions."""

from __future__ import annotations

import functools

import numpy
import pytest

from tests.interpreters import first

from .conftest import COMPAT, STAND_INS, probe
from .probe import CASES


@functools.cache
def values(name: str) -> dict[str, tuple[str, int, object]]:
    """The cases in the interpreter of a stand-in, evaluated once."""
    return probe(name, str(COMPAT))


@pytest.mark.parametrize("case", sorted(CASES))
@pytest.mark.parametrize("name", first(("aesara", "pytensor"), STAND_INS))
def test_value_is_theanos(name: str, case: str, theano_values: dict[str, tuple[str, int, object]]) -> None:
    """The function has Theano's result."""
    dtype, ndim, value = theano_values[case]
    got_dtype, got_ndim, got = values(name)[case]
    assert (got_dtype, got_ndim) == (dtype, ndim)
    numpy.testing.assert_allclose(got, value, rtol=1e-6, atol=1e-12)
