"""TD264: the variable is the place, since nothing is written yet."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, findings, message, pasted, spots, value
from theanodiag.flags.diagnose import MachineFacts
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config


@pytest.mark.parametrize(("numpy", "shown"), [((1, 22), "numpy 1.22"), ((1, 26), "numpy 1.26"), ((2, 0), "numpy 2.0")], ids=str)
def test_numpy_is_named(numpy: tuple[int, int], shown: str) -> None:
    """A warning, with both versions."""
    subject = config(context=MachineFacts(numpy=numpy))
    assert spots("TD264", subject) == ["Theano 1.0.5 warning, derived"]
    assert message("TD264", subject).startswith(shown)
    assert "Theano 1.0.5" in message("TD264", subject)


def test_advice_ends_it() -> None:
    """Pasted into a variable that has other flags."""
    subject = config(flags="floatX=float32", context=MachineFacts(numpy=(1, 24)))
    assert value(pasted("TD264", subject), "blas.ldflags") == "-lopenblas"
    assert findings("TD264", pasted("TD264", subject)) == []


def test_empty_text_is_enough() -> None:
    """Theano asks numpy only where the flag is not set at all."""
    assert findings("TD264", config("[blas]\nldflags =\n", context=MachineFacts(numpy=(1, 24)))) == []


@pytest.mark.parametrize(("to", "numpy"), [(AE, (1, 24)), (PT, (2, 1)), (Dialect.THEANO, (1, 9)), (Dialect.THEANO, None)], ids=str)
def test_others_are_not_concerned(to: Dialect, numpy: tuple[int, int] | None) -> None:
    """Other libraries, an old numpy (1.9 is older than 1.22), an unknown one."""
    assert findings("TD264", config(to=to, context=MachineFacts(numpy=numpy))) == []
