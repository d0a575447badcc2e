"""TD257: the linker is the place, and the mode of its name is advised."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, advice, findings, pasted, spots, starts
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("mode=FAST_RUN,linker=jax", 15, "mode=JAX", id="jax"),
    pytest.param("linker=numba,mode=FAST_COMPILE", 1, "mode=NUMBA", id="numba"),
    pytest.param("mode=FAST_RUN,linker=pytorch", 15, "mode=PYTORCH", id="pytorch"),
]


@pytest.mark.parametrize(("text", "column", "code"), CASES)
def test_mode_of_that_name(text: str, column: int, code: str) -> None:
    """PyTensor takes it, and pasted the clash is gone."""
    subject = config(flags=text, to=PT)
    assert spots("TD257", subject) == [f"PYTENSOR_FLAGS:1:{column} error, derived"]
    assert advice("TD257", subject).code == code
    assert starts(config(flags=code, to=PT))
    assert findings("TD257", pasted("TD257", subject)) == []


def test_one_rule_speaks() -> None:
    """The linker is wrong here, not without effect: TD256 is silent."""
    assert findings("TD256", config(flags="mode=FAST_RUN,linker=jax", to=PT)) == []


@pytest.mark.parametrize("text", ["mode=FAST_RUN,linker=c", "linker=jax", "mode=Mode,linker=numba", "mode=JAX,linker=jax", "mode=FAST_RUN"])
def test_pairs_that_go(text: str) -> None:
    """The open mode takes any linker."""
    assert findings("TD257", config(flags=text, to=PT)) == []


@pytest.mark.parametrize("to", [Dialect.THEANO, AE], ids=lambda d: d.name)
def test_other_libraries(to: Dialect) -> None:
    """Seen in PyTensor only."""
    assert findings("TD257", config(flags="mode=FAST_RUN,linker=jax", to=to)) == []
