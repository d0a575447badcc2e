"""TD250: floatX is the place, for every library, and float32 ends it."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, pasted, spots, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[global]\n floatX = float16\n", None, "rc:2:2", id="in a file"),
    pytest.param("[global]\nfloatX = float32\n", "floatX=float16", None, id="in the variable"),
]


@pytest.mark.parametrize(("rc", "flags", "place"), CASES)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_half_precision(rc: str, flags: str | None, place: str | None, to: Dialect) -> None:
    """A warning; pasted, the type is float32."""
    subject = config(rc, flags, to)
    assert spots("TD250", subject) == [f"{place or to.flags_variable + ':1:1'} warning, derived"]
    assert value(subject, "floatX") == "float16"
    assert value(pasted("TD250", subject), "floatX") == "float32"
    assert findings("TD250", pasted("TD250", subject)) == []


@pytest.mark.parametrize("text", ["floatX=float32", "floatx=float16", "cast_policy=custom", ""])
def test_other_texts(text: str) -> None:
    """A wrong name leaves the default."""
    assert findings("TD250", config(flags=text)) == []
