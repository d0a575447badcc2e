"""TD208: the bracket is the place, and the advice is the line to write."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import advice, findings, spots, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[global]\ndevice = cpu\n[mode]=FAST_RUN\n", "3:1", "mode = FAST_RUN", id="no blanks"),
    pytest.param("[floatX] : float32  \n", "1:1", "floatX = float32", id="a colon"),
    pytest.param("[global]\n  [device]=cpu\n", "2:3", "device = cpu", id="indented"),
]


@pytest.mark.parametrize(("text", "place", "line"), CASES)
def test_line_is_ready_to_paste(text: str, place: str, line: str) -> None:
    """The value is lost as it stands, and counts as advised."""
    assert spots("TD208", config(text)) == [f"rc:{place} warning, derived"]
    assert advice("TD208", config(text)).code == line
    name, _, wanted = line.partition(" = ")
    assert value(config(f"[global]\n{line}\n"), name) == wanted


@pytest.mark.parametrize("text", ["[gpuarray]=x\n", "[mode] # = x\n", "[mode]\n=FAST_RUN\n", "[mode] FAST_RUN\n"])
def test_headers_of_another_kind(text: str) -> None:
    """A known section, a comment behind it, nothing behind it, no sign."""
    assert findings("TD208", config(text)) == []
