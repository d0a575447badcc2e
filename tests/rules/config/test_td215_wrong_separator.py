"""TD215: the entry is the place; in a variable the other library's name is rewritten, in a file the section is named."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, advice, findings, mended, message, spots, texts, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param(PT, "blas.ldflags=-lblas", 1, "blas__ldflags=-lblas", "blas.ldflags", "-lblas", id="dots in pytensor"),
    pytest.param(
        AE, "floatX=float32,scan.allow_gc=True", 16, "floatX=float32,scan__allow_gc=True", "scan.allow_gc", True, id="dots in aesara"
    ),
    pytest.param(
        Dialect.THEANO, "gpuarray__preallocate=0.5", 1, "gpuarray.preallocate=0.5", "gpuarray.preallocate", 0.5, id="bars in theano"
    ),
    pytest.param(Dialect.THEANO, "dnn__conv__algo_fwd=small", 1, "dnn.conv.algo_fwd=small", "dnn.conv.algo_fwd", "small", id="two of them"),
]


@pytest.mark.parametrize(("to", "text", "column", "after", "flag", "wanted"), CASES)
def test_name_is_spelled_for_the_library(to: Dialect, text: str, column: int, after: str, flag: str, wanted: object) -> None:
    """Then the value counts."""
    subject = config(flags=text, to=to)
    assert spots("TD215", subject) == [f"{to.flags_variable}:1:{column} warning, derived"]
    assert texts(mended("TD215", subject))[1] == after
    assert value(mended("TD215", subject), flag) == wanted


@pytest.mark.parametrize("text", ["[global]\nblas__ldflags = -lblas\n", "[global]\nblas.ldflags = -lblas\n"], ids=["bars", "dots"])
def test_file_wants_the_section(text: str) -> None:
    """Nothing is written, since the line has to move."""
    assert "[blas] ldflags here" in message("TD215", config(text))
    assert advice("TD215", config(text)).edits == ()


@pytest.mark.parametrize(("to", "text"), [(PT, "blas__ldflags="), (PT, "a.b=1"), (Dialect.THEANO, "blas.ldflags=")])
def test_right_or_unknown_names(to: Dialect, text: str) -> None:
    """The library's own spelling, and names that no flag has."""
    assert findings("TD215", config(flags=text, to=to)) == []
