"""TD234: the entry is the place, and the figure of gpuarray.preallocate is the equivalent."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import advice, findings, pasted, spots, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("0.8", 0.8, id="a share stays"),
    pytest.param("1", 0.95, id="all is cut at gpuarray's ceiling"),
    pytest.param("0.97", 0.95, id="so is nearly all"),
    pytest.param("0", -1.0, id="none is no cache"),
    pytest.param("4000", 4000.0, id="megabytes stay"),
]


@pytest.mark.parametrize(("text", "wanted"), CASES)
def test_equivalent(text: str, wanted: float) -> None:
    """Pasted, the new flag has it."""
    subject = config(f"[global]\ndevice = cuda0\n[lib]\ncnmem = {text}\n", flags="profile=False")
    assert spots("TD234", subject) == ["rc:4:1 warning, derived"]
    assert value(pasted("TD234", subject), "gpuarray.preallocate") == wanted


def test_no_number_has_no_equivalent() -> None:
    """Then only the flag is named."""
    assert advice("TD234", config("[lib]\ncnmem = much\n")).code is None


@pytest.mark.parametrize("device", ["gpu0", "cpu"])
def test_old_back_end_reads_it(device: str) -> None:
    """In 0.9, which has both back-ends, it depends on the device."""
    assert findings("TD234", config(flags=f"device={device},lib.cnmem=1", version="0.9.0")) == []
    assert spots("TD234", config(flags="lib.cnmem=1,device=cuda0", version="0.9.0")) == ["THEANO_FLAGS:1:1 warning, derived"]
