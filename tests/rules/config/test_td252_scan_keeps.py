"""TD252: scan.allow_gc is the place, and the advice is spelled as the library wants it."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, advice, findings, pasted, spots, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param(Dialect.THEANO, "scan.allow_gc=False", "scan.allow_gc=True", id="theano"),
    pytest.param(AE, "scan__allow_gc=0", "scan__allow_gc=True", id="aesara"),
    pytest.param(PT, "scan__allow_gc=false", "scan__allow_gc=True", id="pytensor"),
]


@pytest.mark.parametrize(("to", "text", "code"), CASES)
def test_spelling_of_the_advice(to: Dialect, text: str, code: str) -> None:
    """Pasted, the flag is on."""
    subject = config(flags=text, to=to)
    assert spots("TD252", subject) == [f"{to.flags_variable}:1:1 info, derived"]
    assert advice("TD252", subject).code == code
    assert value(pasted("TD252", subject), "scan.allow_gc") is True
    assert findings("TD252", pasted("TD252", subject)) == []


@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_default_does_the_same_in_silence(to: Dialect) -> None:
    """Every library has it off; nobody wrote it, so nothing is said."""
    assert value(config(to=to), "scan.allow_gc") is False
    assert findings("TD252", config(to=to)) == []


@pytest.mark.parametrize("text", ["scan__allow_gc=False", "scan.allow_gc=no", "allow_gc=False"])
def test_other_texts_in_theano(text: str) -> None:
    """A name of the other libraries, a refused value, another flag."""
    assert findings("TD252", config(flags=text)) == []
