"""TD249: floatX is the place where it is set, else the variable where it could be."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, pasted, spots, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[global]\ndevice = cuda\nfloatX = float64\n", None, "rc:3:1", id="in a file"),
    pytest.param(None, "device=cuda0,floatX=64", "THEANO_FLAGS:1:14", id="the short form"),
    pytest.param("[global]\ndevice = cuda\n", None, "rc:2:1", id="by default"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES)
def test_double_precision(rc: str | None, flags: str | None, spot: str) -> None:
    """The library has float64 then; pasted, float32."""
    subject = config(rc, flags)
    assert spots("TD249", subject) == [f"{spot} warning, derived"]
    assert value(subject, "floatX") == "float64"
    assert value(pasted("TD249", subject), "floatX") == "float32"
    assert findings("TD249", pasted("TD249", subject)) == []


def test_place_of_a_default() -> None:
    """The device is what makes it matter."""
    assert spots("TD249", config(flags="device=cuda")) == ["THEANO_FLAGS:1:1 warning, derived"]


@pytest.mark.parametrize("text", ["device=cuda,floatX=float16", "device=cpu,floatX=float64", "device=cuda,floatX=32", "mode=JAX"])
def test_other_types_and_devices(text: str) -> None:
    """Half precision is TD250's; the CPU has doubles."""
    assert findings("TD249", config(flags=text)) == []
