"""TD239: the device is the place, and force_device ends it."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, pasted, spots, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[global]\n device = cuda\n", None, "rc:2:2", id="in a file"),
    pytest.param(None, "floatX=float32,device=opencl0:1", "THEANO_FLAGS:1:16", id="opencl"),
    pytest.param("[global]\nforce_device = True\n", "device=cuda0,force_device=False", "THEANO_FLAGS:1:1", id="switched off again"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES)
def test_device_that_may_be_lost(rc: str | None, flags: str | None, spot: str) -> None:
    """For information; pasted, the flag is on and the rule silent."""
    subject = config(rc, flags)
    assert spots("TD239", subject) == [f"{spot} info, derived"]
    assert value(pasted("TD239", subject), "force_device") is True
    assert findings("TD239", pasted("TD239", subject)) == []


@pytest.mark.parametrize("on", ["True", "true", "1"])
def test_all_spellings_of_true(on: str) -> None:
    """The library takes three."""
    assert findings("TD239", config(flags=f"device=cuda,force_device={on}")) == []


@pytest.mark.parametrize("text", ["device=cpu", "device=gpu0", "device=CUDA", "init_gpu_device=cuda0"])
def test_no_device_of_its_own(text: str) -> None:
    """The CPU, names that are refused anyway, and a device that is asked for later."""
    assert findings("TD239", config(flags=text)) == []


def test_old_device_in_an_old_version() -> None:
    """Where `gpu0` is taken, it can be lost too."""
    assert spots("TD239", config(flags="device=gpu0", version="0.8.2")) == ["THEANO_FLAGS:1:1 info, derived"]
