"""TD223: the entry is the place, and commas in place of the semicolons set both flags."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, mended, spots, starts, texts, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("floatX=float32;profile=True", 1, "floatX=float32,profile=True", id="two flags"),
    pytest.param("device=cpu,floatX=float32;profile=True", 12, "device=cpu,floatX=float32,profile=True", id="behind a comma"),
    pytest.param("floatX=float32; profile=True;", 1, "floatX=float32, profile=True,", id="blank, and one at the end"),
]


@pytest.mark.parametrize(("text", "column", "after"), CASES)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_commas_set_both(text: str, column: int, after: str, to: Dialect) -> None:
    """No library starts with the semicolons."""
    subject = config(flags=text, to=to)
    assert spots("TD223", subject) == [f"{to.flags_variable}:1:{column} error, derived"]
    assert not starts(subject)
    repaired = mended("TD223", subject)
    assert texts(repaired)[1] == after
    assert (value(repaired, "floatX"), value(repaired, "profile")) == ("float32", True)


@pytest.mark.parametrize("text", ["cxx=a;b", "contexts=a->cuda0;b=->cuda1", "x;y=1", "floatX=float32"])
def test_semicolons_that_belong(text: str) -> None:
    """No sign behind it, between contexts, in a name."""
    assert findings("TD223", config(flags=text)) == []


def test_file_is_another_matter() -> None:
    """There each flag has a line."""
    assert findings("TD223", config("[global]\ncompiledir = /a;b=c\n")) == []
