"""TD270: dnn.enabled is the place."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, spots, starts, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[dnn]\n enabled = True\n", None, "rc:2:2", id="in a file, the cpu by default"),
    pytest.param("[dnn]\nenabled = True\n[global]\ndevice = cuda\n", "device=cpu", "rc:2:1", id="the cpu in the variable"),
    pytest.param(None, "device=cpu,dnn.enabled=True", "THEANO_FLAGS:1:12", id="both in the variable"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES)
def test_cudnn_without_gpu(rc: str | None, flags: str | None, spot: str) -> None:
    """For information: the library starts."""
    subject = config(rc, flags)
    assert spots("TD270", subject) == [f"{spot} info, derived"]
    assert value(subject, "device") == "cpu"
    assert starts(subject)


@pytest.mark.parametrize("text", ["device=cuda", "contexts=a->cuda0", "dnn.enabled=auto", "dnn.enabled=False"])
def test_gpu_or_not_required(text: str) -> None:
    """A device, devices by name, or cuDNN that may be missing."""
    assert findings("TD270", config("[dnn]\nenabled = True\n", flags=text)) == []


def test_nobody_asked() -> None:
    """The default requires nothing."""
    assert findings("TD270", config(flags="device=cpu")) == []
