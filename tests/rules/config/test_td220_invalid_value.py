"""TD220: the entry is the place; a slip whose meaning is plain is put right, anything else is met with the valid values."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import advice, findings, mended, message, spots, starts, texts, value
from theanodiag.findings import Disposition
from theanodiag.rules.config.examples import config

MEANT = [
    pytest.param("[global]\nallow_gc = yes\n", "[global]\nallow_gc = True\n", "allow_gc", True, id="yes"),
    pytest.param("[global]\nfloatX: Float32\n", "[global]\nfloatX: float32\n", "floatX", "float32", id="other case"),
    pytest.param("[global]\nmode = fast_run\n", "[global]\nmode = FAST_RUN\n", "mode", "FAST_RUN", id="a mode in small letters"),
    pytest.param("[scan]\nallow_gc = off\n", "[scan]\nallow_gc = False\n", "scan.allow_gc", False, id="off"),
]
NOT_MEANT = [
    pytest.param("floatX=float8", 1, "float64", id="no such type"),
    pytest.param("profile=False,openmp_elemwise_minsize=many", 15, "a whole number", id="no number"),
    pytest.param("linker=banana", 1, "cvm", id="no such linker"),
]


@pytest.mark.parametrize(("text", "after", "flag", "wanted"), MEANT)
def test_meaning_is_plain(text: str, after: str, flag: str, wanted: object) -> None:
    """The library refuses the one text and takes the other."""
    assert spots("TD220", config(text)) == ["rc:2:1 error, derived"]
    assert not starts(config(text))
    assert advice("TD220", config(text)).disposition is Disposition.SAFE
    assert texts(mended("TD220", config(text)))[0] == after
    assert value(mended("TD220", config(text)), flag) == wanted


@pytest.mark.parametrize(("text", "column", "words"), NOT_MEANT)
def test_meaning_is_not_plain(text: str, column: int, words: str) -> None:
    """The message names what the flag takes."""
    assert spots("TD220", config(flags=text)) == [f"THEANO_FLAGS:1:{column} error, derived"]
    assert words in message("TD220", config(flags=text))
    assert advice("TD220", config(flags=text)).edits == ()


@pytest.mark.parametrize("rc", ["[global]\nfloatX = float8\n", "[global]\nallow_gc = 'True'\n", "[global]\nallow_gc = True # x\n"])
def test_lost_or_another_rule(rc: str) -> None:
    """A value that a later one replaces is never looked at; quotes and comments are TD221's and TD222's."""
    assert findings("TD220", config(rc, flags="floatX=float32")) == []
