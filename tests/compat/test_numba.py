"""Functions compiled by numba answer as Theano does."""

from __future__ import annotations

import pytest

from tests import interpreters

from .conftest import START

INDICES = """
import theano, theano.tensor as T
m, i = T.matrix(), T.lvector()
written = theano.function([m, i], T.set_subtensor(m[:, i], m[:, i] + 5), mode="NUMBA")
read = theano.function([m, i], m[0, i], mode="NUMBA")
for f in (written, read):
    print(f([[1.0, 2.0]], [-1]).tolist())
    for wrong in ([2], [-3]):
        try:
            print(f([[1.0, 2.0]], wrong))
        except IndexError as error:
            print(str(error).splitlines()[0])
"""


@pytest.mark.parametrize("interpreter", interpreters.first(("pytensor_new",), ("pytensor", "pytensor_new")))
def test_a_list_of_indices_out_of_range_is_an_error(interpreter: str) -> None:
    """Those of loops over elements too; numba itself reads and writes whatever memory is at that place."""
    done = interpreters.python(interpreter, "-c", START + INDICES)
    assert done.returncode == 0, done.stderr
    errors = ["index is out of bounds"] * 2
    assert done.stdout.splitlines() == ["[[1.0, 7.0]]", *errors, "[2.0]", *errors]
