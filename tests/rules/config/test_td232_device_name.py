"""TD232: the entry is the place, and the message tells a refusal from a failure later on."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, message, spots, starts
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("device=cuda*", "it fails when the GPU is started", True, id="a star"),
    pytest.param("device=opencl", "it fails when the GPU is started", True, id="opencl without numbers"),
    pytest.param("device=opencl0", "it fails when the GPU is started", True, id="opencl with one number"),
    pytest.param("device=GPU", "will not start", False, id="capitals"),
    pytest.param("device=nvidia0", "will not start", False, id="another word"),
    pytest.param("init_gpu_device=0", "will not start", False, id="a number"),
]


@pytest.mark.parametrize(("text", "words", "accepted"), CASES)
def test_refused_or_failing_later(text: str, words: str, accepted: bool) -> None:
    """As the library's own filter has it."""
    subject = config(flags=text)
    assert spots("TD232", subject) == ["THEANO_FLAGS:1:1 error, derived"]
    assert words in message("TD232", subject)
    assert starts(subject) is accepted


def test_only_what_counts() -> None:
    """A wrong name in the file is harmless below a right one in the variable."""
    assert findings("TD232", config("[global]\ndevice = cuda*\n", flags="device=cpu")) == []
    assert spots("TD232", config("[global]\ndevice = cpu\n", flags="device=cuda*")) == ["THEANO_FLAGS:1:1 error, derived"]


@pytest.mark.parametrize("name", ["cpu", "cuda", "cuda7", "cuda0000:3b:00.0", "opencl1:0", "gpu3"])
def test_names_of_devices(name: str) -> None:
    """By number, by place on the bus; the old names are TD231's."""
    assert findings("TD232", config(flags=f"device={name}")) == []


def test_an_empty_name() -> None:
    """It is no name either, and the library says so by not starting."""
    subject = config(flags="device=")
    assert "will not start" in message("TD232", subject)
    assert not starts(subject)
