"""TD204: each line that the parser cannot take is a finding, and becomes a comment where it stands."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, mended, spots, starts, texts
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[global]\n// fast\n", ["2:1"], "[global]\n# // fast\n", id="comment of C"),
    pytest.param(
        "[global]\ndevice = cpu\nfloatX\nprofile\n", ["3:1", "4:1"], "[global]\ndevice = cpu\n# floatX\n# profile\n", id="words alone"
    ),
    pytest.param("[global]\n  cpu  \n", ["2:3"], "[global]\n  # cpu  \n", id="indented"),
    pytest.param("[global]\n= cpu\n", ["2:1"], "[global]\n# = cpu\n", id="no name"),
]


@pytest.mark.parametrize(("text", "places", "after"), CASES)
def test_line_becomes_a_comment(text: str, places: list[str], after: str) -> None:
    """And then the library starts."""
    assert spots("TD204", config(text)) == [f"rc:{place} error, derived" for place in places]
    assert texts(mended("TD204", config(text)))[0] == after
    assert not starts(config(text))
    assert starts(mended("TD204", config(text)))


@pytest.mark.parametrize(
    "text",
    ["[global]\ncpu:\n", "[global]\ndevice = cpu\n  gpu\n", "device\n[global]\n", "[global]\n  ; cpu\n"],
    ids=["a colon", "continues the value", "before any section is TD203", "indented comment"],
)
def test_near_lines_are_silent(text: str) -> None:
    """They are an option, a value, another rule's, a comment."""
    assert findings("TD204", config(text)) == []
