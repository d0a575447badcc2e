"""TD214: the word is the place."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, message, spots, starts, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("profile", [1], id="alone"),
    pytest.param("floatX=float32,profile,openmp", [16, 24], id="two of three"),
    pytest.param("device:cpu", [1], id="a colon is no sign here"),
    pytest.param(" 'profile' ,mode=FAST_RUN", [2], id="quoted, after a blank"),
]


@pytest.mark.parametrize(("text", "columns"), CASES)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_each_word_is_named(text: str, columns: list[int], to: Dialect) -> None:
    """For every library, which starts all the same."""
    subject = config(flags=text, to=to)
    assert spots("TD214", subject) == [f"{to.flags_variable}:1:{column} warning, derived" for column in columns]
    assert starts(subject)


def test_word_sets_nothing() -> None:
    """Only with a value is the profiler on."""
    assert "profile has no value" in message("TD214", config(flags="profile"))
    assert value(config(flags="profile"), "profile") is False
    assert value(config(flags="profile=True"), "profile") is True


@pytest.mark.parametrize("text", ["cxx=", "", " , ,", "#profile"], ids=["empty value", "nothing", "only commas", "a comment"])
def test_no_word_alone(text: str) -> None:
    """An empty value is a value."""
    assert findings("TD214", config(flags=text)) == []
