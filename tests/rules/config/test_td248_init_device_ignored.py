"""TD248: init_gpu_device is the place."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, spots, starts
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[global]\n device = cuda0\n init_gpu_device = cuda1\n", None, "rc:3:2", id="in a file"),
    pytest.param("[global]\ninit_gpu_device = cuda1\n", "device=opencl0:0", "rc:2:1", id="beside opencl"),
    pytest.param(None, "device=cuda,init_gpu_device=cuda", "THEANO_FLAGS:1:13", id="the same twice"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES)
def test_second_device(rc: str | None, flags: str | None, spot: str) -> None:
    """For information: it is taken and has no effect."""
    subject = config(rc, flags)
    assert spots("TD248", subject) == [f"{spot} info, derived"]
    assert starts(subject)


@pytest.mark.parametrize("text", ["device=cpu,init_gpu_device=cuda", "init_gpu_device=cuda", "device=cuda,init_gpu_device=", "device=cuda"])
def test_device_is_the_cpu(text: str) -> None:
    """Written or by default; or there is nothing to start later."""
    assert findings("TD248", config(flags=text)) == []


def test_variable_decides() -> None:
    """`device=cpu` there makes the file's second device count again."""
    rc = "[global]\ndevice = cuda0\ninit_gpu_device = cuda1\n"
    assert findings("TD248", config(rc, flags="device=cpu")) == []
