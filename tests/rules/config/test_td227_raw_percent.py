"""TD227: the entry is the place, and the name that has no definition is in the message."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, message, spots, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[global]\ncompiledir = /tmp/%(HOST)s\n", "2:1", "HOST", id="no such name"),
    pytest.param("[global]\nbase = /x\n[cuda]\nroot = %(base)s/cuda\n", "4:1", "base", id="a name of another section"),
    pytest.param("[gcc]\n cxxflags = %(USER)s %(flags)s\n", "2:2", "USER", id="one of two is enough to stop it"),
]


@pytest.mark.parametrize(("text", "place", "name"), CASES)
def test_name_stands_for_nothing(text: str, place: str, name: str) -> None:
    """The first name is the one that is shown."""
    assert spots("TD227", config(text)) == [f"rc:{place} warning, derived"]
    assert message("TD227", config(text)).startswith(f"%({name})s has no definition")


def test_value_keeps_the_name() -> None:
    """And with a helper in DEFAULT it does not."""
    assert value(config("[cuda]\nroot = %(base)s/c\n"), "cuda.root") == "%(base)s/c"
    text = "[DEFAULT]\nbase = /x\n[cuda]\nroot = %(base)s/c\n"
    assert findings("TD227", config(text)) == []
    assert value(config(text), "cuda.root") == "/x/c"


@pytest.mark.parametrize(
    "text", ["gcc]\ncxxflags = 50%", "global]\ncompiledir = %(tmpdir)s/c", "global]\ncompiledir_format = %(x)s", "a]\nb = %(c)s"]
)
def test_names_that_stand_for_something(text: str) -> None:
    """A bare sign, a name of the library in any case, the format with its own names, no flag."""
    assert findings("TD227", config(f"[{text}\n")) == []
