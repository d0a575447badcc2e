"""TD241: the empty cxx is the place."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, advice, findings, spots, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[global]\ndevice = cuda0\ncxx =\n", None, "rc:3:1", id="in a file"),
    pytest.param("[global]\ncxx = g++\n", "device=cuda,cxx=", "THEANO_FLAGS:1:13", id="emptied in the variable"),
    pytest.param("[global]\ncxx:\n", "device=opencl0:0", "rc:2:1", id="in both"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES)
def test_empty_compiler(rc: str | None, flags: str | None, spot: str) -> None:
    """An error, with an advice that no edit can carry out."""
    subject = config(rc, flags)
    assert spots("TD241", subject) == [f"{spot} error, derived"]
    assert advice("TD241", subject).edits == ()
    assert value(subject, "cxx") == ""


@pytest.mark.parametrize("text", ["device=cuda", "device=cuda,cxx=clang++", "device=cpu,cxx=", "cxx=,device="])
def test_compiler_or_no_gpu(text: str) -> None:
    """A default compiler, another one, no GPU."""
    assert findings("TD241", config(flags=text)) == []


@pytest.mark.parametrize("to", [AE, PT], ids=lambda d: d.name)
def test_other_libraries_have_no_back_end(to: Dialect) -> None:
    """There the device is the mistake."""
    assert findings("TD241", config(flags="device=cuda,cxx=", to=to)) == []
