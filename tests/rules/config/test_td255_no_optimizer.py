"""TD255: the optimizer is the place, and the message speaks of the GPU only where there is one."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, findings, message, pasted, spots, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param(Dialect.THEANO, "optimizer=None,device=cuda", True, id="theano on a gpu"),
    pytest.param(Dialect.THEANO, "optimizer=None", False, id="theano"),
    pytest.param(AE, "optimizer=None", False, id="aesara"),
    pytest.param(PT, "optimizer=None", False, id="pytensor"),
]


@pytest.mark.parametrize(("to", "text", "gpu"), CASES)
def test_every_operation_as_written(to: Dialect, text: str, gpu: bool) -> None:
    """A warning; pasted, the default is back."""
    subject = config(flags=text, to=to)
    assert spots("TD255", subject) == [f"{to.flags_variable}:1:1 warning, derived"]
    assert ("nothing moves to the GPU" in message("TD255", subject)) is gpu
    assert value(pasted("TD255", subject), "optimizer") == "fast_run"
    assert findings("TD255", pasted("TD255", subject)) == []


def test_place_in_a_file() -> None:
    """With its blanks."""
    assert spots("TD255", config("[global]\n  optimizer = None\n")) == ["rc:2:3 warning, derived"]


@pytest.mark.parametrize("text", ["optimizer=", "optimizer=none", "optimizer_including=None", "optimizer=o1"])
def test_other_texts(text: str) -> None:
    """Refused ones, another flag, a level."""
    assert findings("TD255", config(flags=text)) == []
