"""TD228: the entry that loses is the place, and the message says which one wins, and with what."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, message, spots, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[global]\nfloatX = float64\n", "floatX=float32", "rc:2:1", "THEANO_FLAGS:1:1 sets float32", id="file and variable"),
    pytest.param(None, "floatX=float64,floatX=float32", "THEANO_FLAGS:1:1", "THEANO_FLAGS:1:16 sets float32", id="twice in the variable"),
    pytest.param("[DEFAULT]\nfloatX=float64\n[global]\nfloatX=float32\n", None, "rc:2:1", ":4:1 sets float32", id="DEFAULT and section"),
    pytest.param("[global]\nfloatX=float32\n[DEFAULT]\nfloatX=float64\n", None, "rc:4:1", ":2:1 sets float32", id="in the other order"),
]


@pytest.mark.parametrize(("rc", "flags", "place", "words"), CASES)
def test_loser_and_winner(rc: str | None, flags: str | None, place: str, words: str) -> None:
    """The winner's value is the library's."""
    subject = config(rc, flags)
    assert spots("TD228", subject) == [f"{place} info, derived"]
    assert message("TD228", subject).endswith(words)
    assert value(subject, "floatX") == "float32"


def test_one_finding_each() -> None:
    """Three entries that differ, two that lose."""
    subject = config("[global]\nmode = FAST_RUN\n", "mode=FAST_COMPILE,mode=Mode")
    assert spots("TD228", subject) == ["rc:2:1 info, derived", "THEANO_FLAGS:1:1 info, derived"]


@pytest.mark.parametrize("flags", ["floatX=float32", "floatX", "FLOATX=float64", "mode=Mode"])
def test_nothing_is_lost(flags: str) -> None:
    """The same text, no value, a name that means nothing, another flag."""
    assert findings("TD228", config("[global]\nfloatX = float32\n", flags)) == []
