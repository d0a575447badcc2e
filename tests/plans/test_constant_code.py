"""An array in an expression becomes a shared variable, in the statement that uses it."""

from __future__ import annotations

import pytest

from theanodiag.plans.constant_code import lines_with_shared

HEAD = "import numpy as np\nimport theano.tensor as T\nq = T.fvector()\ndocs, p = load('a.npy')\nw = np.ones(3)\n"


@pytest.mark.parametrize(
    ("statement", "written"),
    [
        ("s = T.dot(docs, q)", "s = T.dot(docs_there, q)"),
        ("s = T.dot(docs.T, T.tanh(q)).sum()", "s = T.dot(docs_there.T, T.tanh(q)).sum()"),
        ("s = q * w + q", "s = q * w_there + q"),
        ("s = T.dot(docs, q) + w", None),
        ("s = T.dot(unknown, q)", None),
    ],
)
def test_the_array_is_the_one_name_that_is_no_variable(statement: str, written: str | None) -> None:
    """Where two could be, or none is seen to be, nothing is written."""
    lines = lines_with_shared(HEAD + statement, 6, "theano")
    assert (lines[1] if lines else None) == (None if written is None else f"{written}  # line 6")
    assert not lines or lines[0] in ("docs_there = theano.shared(docs, borrow=True)", "w_there = theano.shared(w, borrow=True)")


def test_an_argument_may_be_symbolic() -> None:
    """A function's own argument hides the array of that name."""
    text = "w = np.ones(3)\ndef f(w, q):\n    return w * q\n"
    assert lines_with_shared(text, 3, "theano") == ()
