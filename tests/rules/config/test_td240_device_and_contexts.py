"""TD240: contexts is the place, and device=cpu ends it."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, message, pasted, spots, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("device=cuda0,contexts=a->cuda0", 14, "cuda0 is in device", id="the only one"),
    pytest.param("device=cuda1,contexts=a->cuda0;b->cuda1", 14, "cuda1 is in device", id="the second"),
    pytest.param("contexts='a->cuda0; b-> cuda1',device=cuda1", 1, "cuda1 is in device", id="blanks and quotes"),
    pytest.param("device=opencl0:0,contexts=a->opencl0:0", 18, "opencl0:0 is in device", id="opencl"),
]


@pytest.mark.parametrize(("text", "column", "words"), CASES)
def test_device_named_twice(text: str, column: int, words: str) -> None:
    """The message names the device."""
    subject = config(flags=text)
    assert spots("TD240", subject) == [f"THEANO_FLAGS:1:{column} warning, derived"]
    assert message("TD240", subject).startswith(words)
    assert findings("TD240", pasted("TD240", subject)) == []
    assert value(pasted("TD240", subject), "device") == "cpu"


def test_file_and_variable_together() -> None:
    """The two may be written in different places."""
    assert spots("TD240", config("[global]\ncontexts = a->cuda0\n", flags="device=cuda0")) == ["rc:2:1 warning, derived"]


@pytest.mark.parametrize(
    "text", ["device=cuda2,contexts=a->cuda0;b->cuda1", "device=cuda,contexts=a->cuda0", "device=cpu,contexts=a->cpu", "device=cuda0"]
)
def test_devices_differ(text: str) -> None:
    """Another number, any GPU, the CPU, no contexts."""
    assert findings("TD240", config(flags=text)) == []
