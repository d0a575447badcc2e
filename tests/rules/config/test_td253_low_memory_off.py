"""TD253: the list is the place, and only the tags that save memory are named."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import advice, findings, message, spots
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("optimizer_excluding=low_memory", "low_memory would", id="alone"),
    pytest.param("optimizer_excluding=more_mem:inplace:conv_dnn", "inplace would", id="one of three"),
    pytest.param("optimizer_excluding=fusion:inplace_opt", "fusion and inplace_opt would", id="two"),
    pytest.param("optimizer_excluding='inplace:x'", "inplace would", id="in quotes"),
]


@pytest.mark.parametrize(("text", "words"), CASES)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_tags_are_named(text: str, words: str, to: Dialect) -> None:
    """For every library."""
    subject = config(flags=f"profile=False,{text}", to=to)
    assert spots("TD253", subject) == [f"{to.flags_variable}:1:15 warning, derived"]
    assert message("TD253", subject).startswith(words)


def test_advice_names_the_same_tags() -> None:
    """Without them the rule is silent."""
    assert advice("TD253", config(flags="optimizer_excluding=a:inplace")).title == "take inplace out of the list"
    assert findings("TD253", config(flags="optimizer_excluding=a")) == []


@pytest.mark.parametrize("text", ["optimizer_excluding=local_inplace", "optimizer_including=inplace", "optimizer_excluding=inplace;fusion"])
def test_other_tags(text: str) -> None:
    """Longer names, the opposite flag, a list that is no list."""
    assert findings("TD253", config(flags=text)) == []
