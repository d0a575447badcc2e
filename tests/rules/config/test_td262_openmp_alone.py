"""TD262: the size is the place, and openmp ends it."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, pasted, spots, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[global]\nopenmp_elemwise_minsize = 10\n", None, "rc:2:1", id="alone"),
    pytest.param("[global]\nopenmp = True\n", "openmp=False,openmp_elemwise_minsize=10", "{}:1:14", id="switched off again"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_size_without_effect(rc: str, flags: str | None, spot: str, to: Dialect) -> None:
    """For information; pasted, the flag is on."""
    subject = config(rc, flags, to)
    assert spots("TD262", subject) == [f"{spot.format(to.flags_variable)} info, derived"]
    assert value(pasted("TD262", subject), "openmp") is True
    assert findings("TD262", pasted("TD262", subject)) == []


@pytest.mark.parametrize("text", ["openmp=False", "openmp=1,openmp_elemwise_minsize=10", "openmp_elemwise_minsize"])
def test_other_texts(text: str) -> None:
    """No size, openmp in another spelling, a word without a value."""
    assert findings("TD262", config(flags=text)) == []
