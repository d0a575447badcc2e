"""TD243: dnn.enabled is the place, and auto brings cuDNN back."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, pasted, spots, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[dnn]\n enabled = False\n", "device=cuda", "rc:2:2", id="in a file"),
    pytest.param(None, "device=cuda0,dnn.enabled=False", "THEANO_FLAGS:1:14", id="in the variable"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES)
def test_cudnn_is_off(rc: str | None, flags: str, spot: str) -> None:
    """For information; pasted, the flag has its default."""
    subject = config(rc, flags)
    assert spots("TD243", subject) == [f"{spot} info, derived"]
    assert value(pasted("TD243", subject), "dnn.enabled") == "auto"
    assert findings("TD243", pasted("TD243", subject)) == []


@pytest.mark.parametrize(
    "text",
    ["device=cpu,dnn.enabled=False", "device=cuda,dnn.enabled=True", "device=cuda,dnn.enabled=no_check", "device=cuda,dnn.enabled=false"],
    ids=["no gpu", "on", "unchecked", "no value of it"],
)
def test_other_texts(text: str) -> None:
    """A text that the library refuses is TD220's."""
    assert findings("TD243", config(flags=text)) == []
