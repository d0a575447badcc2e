"""TD206: the later option is the place, in any case of letters, and the message names the first line."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, spots, starts
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[global]\ndevice = cpu\nDEVICE: cpu\n", ["3:1"], id="other letters and sign"),
    pytest.param("[global]\nfloatX=float32\nfloatx=float32\n  \nFLOATX=float64\n", ["3:1", "5:1"], id="three times"),
    pytest.param("[DEFAULT]\na = 1\nA = 1\n", ["3:1"], id="in DEFAULT"),
]


@pytest.mark.parametrize(("text", "places"), CASES)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_later_ones_are_refused(text: str, places: list[str], to: Dialect) -> None:
    """By every library, since it is the parser of Python 3 that does it."""
    found = findings("TD206", config(text, to=to))
    assert spots("TD206", config(text, to=to)) == [f"rc:{place} error, derived" for place in places]
    assert all("in line 2 already" in f.message for f in found)
    assert not starts(config(text, to=to))


@pytest.mark.parametrize(
    "text",
    [
        "[DEFAULT]\ndevice=cpu\n[global]\ndevice=cpu\n",
        "[global]\n# device = cpu\ndevice = cpu\n",
        "[global]\ndevice = cpu\n  device = cpu\n",
    ],
    ids=["DEFAULT and section", "commented out", "continues the value"],
)
def test_once_in_its_section(text: str) -> None:
    """Such files are read."""
    assert findings("TD206", config(text)) == []
