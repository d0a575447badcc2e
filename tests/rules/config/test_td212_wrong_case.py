"""TD212: the entry is the place; only the name is changed, and then the flag counts."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, findings, mended, spots, texts, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param(Dialect.THEANO, "floatx=float32", 1, "floatX=float32", "floatX", "float32", id="theano"),
    pytest.param(AE, "openmp=False,FLOATX=float32", 14, "openmp=False,floatX=float32", "floatX", "float32", id="aesara"),
    pytest.param(PT, "Mode=JAX", 1, "mode=JAX", "mode", "JAX", id="pytensor"),
    pytest.param(Dialect.THEANO, "Blas.LdFlags='-la -lb'", 1, "blas.ldflags='-la -lb'", "blas.ldflags", "-la -lb", id="with a dot, quoted"),
]


@pytest.mark.parametrize(("to", "text", "column", "after", "flag", "wanted"), CASES)
def test_name_gets_its_letters(to: Dialect, text: str, column: int, after: str, flag: str, wanted: str) -> None:
    """The value keeps its quotes."""
    subject = config(flags=text, to=to)
    assert spots("TD212", subject) == [f"{to.flags_variable}:1:{column} warning, derived"]
    assert value(subject, flag) != wanted
    assert texts(mended("TD212", subject))[1] == after
    assert value(mended("TD212", subject), flag) == wanted


@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_case_does_not_matter_in_a_file(to: Dialect) -> None:
    """The parser makes options lower case."""
    subject = config("[global]\nFLOATX = float32\n", to=to)
    assert findings("TD212", subject) == []
    assert value(subject, "floatX") == "float32"
