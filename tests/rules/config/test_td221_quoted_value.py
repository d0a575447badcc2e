"""TD221: the entry is the place, and the quotes go; how bad they are depends on whether the flag takes any text."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import advice, findings, mended, spots, starts, texts, value
from theanodiag.findings import Disposition
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[global]\nfloatX = 'float32'\n", "error", "SAFE", "[global]\nfloatX = float32\n", "floatX", "float32", id="choice"),
    pytest.param('[global]\nallow_gc="True"\n', "error", "SAFE", "[global]\nallow_gc=True\n", "allow_gc", True, id="double quotes"),
    pytest.param("[blas]\nldflags = '-lblas'\n", "warning", "UNSAFE", "[blas]\nldflags = -lblas\n", "blas.ldflags", "-lblas", id="text"),
    pytest.param('[cuda]\nroot : "/a b"\n', "warning", "UNSAFE", "[cuda]\nroot : /a b\n", "cuda.root", "/a b", id="path"),
]


@pytest.mark.parametrize(("text", "severity", "disposition", "after", "flag", "wanted"), CASES)
def test_quotes_go(text: str, severity: str, disposition: str, after: str, flag: str, wanted: object) -> None:
    """The library starts with a quoted text and stops at a quoted choice."""
    subject = config(text)
    assert spots("TD221", subject) == [f"rc:2:1 {severity}, derived"]
    assert starts(subject) is (severity == "warning")
    assert advice("TD221", subject).disposition is Disposition[disposition]
    assert texts(mended("TD221", subject))[0] == after
    assert value(mended("TD221", subject), flag) == wanted


@pytest.mark.parametrize(
    "text",
    ["[global]\nfloatX = 'float32\n", "[gcc]\ncxxflags = -D'A' -D'B'\n", "[global]\nbananas = 'x'\n", '[global]\ncxx = "\n'],
    ids=["one quote", "quotes within", "no flag", "a single sign"],
)
def test_no_pair_round_the_value(text: str) -> None:
    """Only a pair round the whole is a mistake of this kind."""
    assert findings("TD221", config(text)) == []
