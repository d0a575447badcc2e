"""TD230: the other library's variable is the place, and the message names the one that is read."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, advice, findings, message, spots, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param(PT, "THEANO_FLAGS", "PYTENSOR_FLAGS", id="theano's flags in pytensor"),
    pytest.param(PT, "AESARARC", "PYTENSORRC", id="aesara's file in pytensor"),
    pytest.param(AE, "THEANORC", "AESARARC", id="theano's file in aesara"),
    pytest.param(Dialect.THEANO, "PYTENSOR_FLAGS", "THEANO_FLAGS", id="the new one in the old"),
]


@pytest.mark.parametrize(("to", "name", "mine"), CASES)
def test_name_that_is_read(to: Dialect, name: str, mine: str) -> None:
    """How sure: only bounded, since another program may want it."""
    subject = config(to=to, env=((name, "x"),))
    assert spots("TD230", subject) == [f"{name} warning, bounded"]
    assert message("TD230", subject).endswith(f"it reads {mine}")
    assert advice("TD230", subject).title == f"set {mine}"


def test_all_of_them() -> None:
    """Flags first, then files."""
    env = (("THEANORC", "a"), ("THEANO_FLAGS", "b"), ("AESARA_FLAGS", "c"))
    assert [str(f.location) for f in findings("TD230", config(to=PT, env=env))] == ["THEANO_FLAGS", "AESARA_FLAGS", "THEANORC"]


def test_flag_has_no_effect_there() -> None:
    """What the message says is so."""
    assert value(config(to=PT, env=(("THEANO_FLAGS", "floatX=float32"),)), "floatX") == "float64"


@pytest.mark.parametrize("env", [("THEANO_FLAGS", ""), ("KERAS_BACKEND", "theano"), ("THEANO", "1")])
def test_variables_without_effect(env: tuple[str, str]) -> None:
    """An empty one says nothing; others are not the libraries'."""
    assert findings("TD230", config(to=PT, env=(env,))) == []
