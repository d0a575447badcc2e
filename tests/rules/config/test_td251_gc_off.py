"""TD251: allow_gc is the place, in every spelling of false, and for every library."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, pasted, spots, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[global]\n\nallow_gc: False\n", None, "rc:3:1", id="in a file"),
    pytest.param(None, "profile=False,allow_gc=0", "{}:1:15", id="a zero in the variable"),
    pytest.param("[global]\nallow_gc = True\n", "allow_gc=false", "{}:1:1", id="small letters, over the file"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_arrays_are_kept(rc: str | None, flags: str | None, spot: str, to: Dialect) -> None:
    """The library has False then; pasted, True."""
    subject = config(rc, flags, to)
    assert spots("TD251", subject) == [f"{spot.format(to.flags_variable)} warning, derived"]
    assert value(subject, "allow_gc") is False
    assert value(pasted("TD251", subject), "allow_gc") is True
    assert findings("TD251", pasted("TD251", subject)) == []


@pytest.mark.parametrize("text", ["allow_gc=no", "allow_gc=FALSE", "scan.allow_gc=False", "allow_gc"])
def test_other_texts(text: str) -> None:
    """Refused ones are TD220's, Scan's own is TD252's, a word sets nothing."""
    assert findings("TD251", config(flags=text)) == []
