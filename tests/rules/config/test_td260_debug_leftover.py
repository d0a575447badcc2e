"""TD260: each switch is a place, with what it does."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, message, spots
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("mode=DEBUG_MODE", "several times", id="debug mode, old name"),
    pytest.param("mode=NanGuardMode", "every value of every array", id="nan guard"),
    pytest.param("profile=1", "times every operation", id="profile"),
    pytest.param("compute_test_value=raise", "for every variable", id="test values"),
    pytest.param("nocleanup=true", "failed compilations", id="no cleanup"),
]


@pytest.mark.parametrize(("text", "words"), CASES)
def test_switch_and_effect(text: str, words: str) -> None:
    """For information, with name and value as written."""
    subject = config(flags=f"floatX=float32,{text}")
    assert spots("TD260", subject) == ["THEANO_FLAGS:1:16 info, derived"]
    assert message("TD260", subject).startswith(text)
    assert words in message("TD260", subject)


def test_each_switch_has_its_finding() -> None:
    """Three lines, three places, in the rule's own order."""
    rc = "[global]\nnocleanup = True\nprofile = True\nmode = DebugMode\n"
    assert spots("TD260", config(rc)) == [f"rc:{line}:1 info, derived" for line in (4, 3, 2)]


@pytest.mark.parametrize("text", ["profile=False", "compute_test_value=off", "mode=FAST_RUN", "profile_memory=True", "profile=yes"])
def test_switches_that_are_off(text: str) -> None:
    """Or are others, or refused."""
    assert findings("TD260", config(flags=text)) == []
