"""TD263: the empty flag is the place, and the advice is spelled as the library wants it."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, advice, findings, pasted, spots, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param(Dialect.THEANO, "blas.ldflags=", "blas.ldflags=-lopenblas", id="theano"),
    pytest.param(AE, "blas__ldflags=", "blas__ldflags=-lopenblas", id="aesara"),
    pytest.param(PT, "blas__ldflags=''", "blas__ldflags=-lopenblas", id="pytensor, quotes round nothing"),
]


@pytest.mark.parametrize(("to", "text", "code"), CASES)
def test_library_that_is_advised(to: Dialect, text: str, code: str) -> None:
    """For information; pasted, the flag has it."""
    subject = config(flags=f"profile=False,{text}", to=to)
    assert spots("TD263", subject) == [f"{to.flags_variable}:1:15 info, derived"]
    assert advice("TD263", subject).code == code
    assert value(pasted("TD263", subject), "blas.ldflags") == "-lopenblas"
    assert findings("TD263", pasted("TD263", subject)) == []


@pytest.mark.parametrize("text", ["", "blas.ldflags", "blas.ldflags=,device=cuda0", "blas.ldflags=,blas.ldflags=-lblas"])
def test_other_texts(text: str) -> None:
    """Not written, a word, on the GPU, empty but overridden."""
    assert findings("TD263", config(flags=text)) == []
