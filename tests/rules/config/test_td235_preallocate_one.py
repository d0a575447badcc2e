"""TD235: the entry is the place, and the advised share is below one."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, findings, message, pasted, spots, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[gpuarray]\npreallocate = 1\n", None, "rc:2:1", id="in a file"),
    pytest.param(None, "profile=False,gpuarray.preallocate=1.0", "THEANO_FLAGS:1:15", id="in the variable"),
    pytest.param("[gpuarray]\npreallocate = 0.5\n", "gpuarray.preallocate=1e0", "THEANO_FLAGS:1:1", id="the one that counts"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES)
def test_share_of_one(rc: str | None, flags: str | None, spot: str) -> None:
    """Following the advice ends it."""
    subject = config(rc, flags)
    assert spots("TD235", subject) == [f"{spot} warning, derived"]
    assert "95 %" in message("TD235", subject)
    assert value(pasted("TD235", subject), "gpuarray.preallocate") == 0.9
    assert findings("TD235", pasted("TD235", subject)) == []


@pytest.mark.parametrize("text", ["0.999", "1.001", "-1", "0", "one"])
def test_other_numbers(text: str) -> None:
    """Just below is TD237's, just above TD236's."""
    assert findings("TD235", config(flags=f"gpuarray.preallocate={text}")) == []


@pytest.mark.parametrize("to", [AE, PT], ids=lambda d: d.name)
def test_other_libraries_have_no_such_flag(to: Dialect) -> None:
    """There it is TD233's."""
    assert findings("TD235", config("[gpuarray]\npreallocate = 1\n", to=to)) == []
