"""TD269: the linker is the place, and it must be one that needs a compiler."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, findings, message, spots, starts
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param(Dialect.THEANO, "cxx=,linker=cvm", 6, id="cvm"),
    pytest.param(AE, "linker=c,cxx=", 1, id="c in aesara"),
    pytest.param(Dialect.THEANO, "linker=c|py_nogc,cxx=", 1, id="c or py"),
]


@pytest.mark.parametrize(("to", "text", "column"), CASES)
def test_library_will_not_start(to: Dialect, text: str, column: int) -> None:
    """As the message says."""
    subject = config(flags=text, to=to)
    assert spots("TD269", subject) == [f"{to.flags_variable}:1:{column} error, derived"]
    assert not starts(subject)
    assert "needs a C++ compiler" in message("TD269", subject)


@pytest.mark.parametrize("text", ["cxx=", "linker=cvm", "cxx=,linker=vm", "cxx=,linker=py", "cxx=g++,linker=c"])
@pytest.mark.parametrize("to", [Dialect.THEANO, AE], ids=lambda d: d.name)
def test_library_starts(text: str, to: Dialect) -> None:
    """Without either of the two, or with a linker of Python code."""
    assert findings("TD269", config(flags=text, to=to)) == []
    assert starts(config(flags=text, to=to))


def test_pytensor_falls_back() -> None:
    """It takes the pair and starts."""
    subject = config(flags="cxx=,linker=cvm", to=PT)
    assert findings("TD269", subject) == []
    assert starts(subject)
