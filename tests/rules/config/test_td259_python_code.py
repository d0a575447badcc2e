"""TD259: the linker or the empty cxx is the place."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, findings, message, spots, starts
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param(Dialect.THEANO, "linker=py", "linker=py runs", id="linker"),
    pytest.param(AE, "cxx=", "without a C++ compiler", id="no compiler"),
    pytest.param(PT, "linker=py", "linker=py runs", id="pytensor's linker"),
    pytest.param(Dialect.THEANO, "linker=py,cxx=", "linker=py runs", id="both are one finding"),
]


@pytest.mark.parametrize(("to", "text", "words"), CASES)
def test_operations_in_python(to: Dialect, text: str, words: str) -> None:
    """A warning: it works."""
    subject = config(flags=text, to=to)
    assert spots("TD259", subject) == [f"{to.flags_variable}:1:1 warning, derived"]
    assert message("TD259", subject).startswith(words)
    assert starts(subject)


def test_place_in_a_file() -> None:
    """The line that silenced the warning about g++."""
    assert spots("TD259", config("[global]\nfloatX = float32\ncxx =\n")) == ["rc:3:1 warning, derived"]


@pytest.mark.parametrize(
    ("to", "text"),
    [
        (PT, "mode=NUMBA,cxx="),
        (PT, "mode=JAX,cxx="),
        (AE, "mode=JAX,cxx="),
        (Dialect.THEANO, "linker=vm"),
        (Dialect.THEANO, "device=cuda,cxx="),
    ],
)
def test_other_compilers(to: Dialect, text: str) -> None:
    """Numba and JAX compile by themselves; on the GPU TD241 speaks."""
    assert findings("TD259", config(flags=text, to=to)) == []
