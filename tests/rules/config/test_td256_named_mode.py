"""TD256: each flag without effect is a place."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, findings, spots
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param(Dialect.THEANO, "mode=FAST_RUN,linker=cvm", [15], "mode=FAST_RUN", id="linker"),
    pytest.param(AE, "optimizer=o1,mode=FAST_COMPILE", [1], "mode=FAST_COMPILE", id="before the mode"),
    pytest.param(PT, "mode=NUMBA,optimizer_including=a,optimizer_excluding=b", [12, 34], "mode=NUMBA", id="two of them"),
]


@pytest.mark.parametrize(("to", "text", "columns", "mode"), CASES)
def test_flags_beside_a_mode(to: Dialect, text: str, columns: list[int], mode: str) -> None:
    """For information, with the mode that overrules them."""
    subject = config(flags=text, to=to)
    assert spots("TD256", subject) == [f"{to.flags_variable}:1:{column} info, derived" for column in columns]
    assert all(f.message.endswith(mode) for f in findings("TD256", subject))


def test_file_and_variable() -> None:
    """A mode in the variable overrules a file's list, whose line is the place."""
    assert spots("TD256", config("[global]\noptimizer = None\n", flags="mode=FAST_RUN")) == ["rc:2:1 info, derived"]


@pytest.mark.parametrize(
    "text",
    ["mode=Mode,linker=cvm", "linker=cvm,optimizer=o1", "mode=FAST_RUN,optimizer_including=", "mode=FAST_RUN,allow_gc=False"],
    ids=["the open mode", "no mode", "an empty list", "a flag that counts"],
)
def test_flags_that_count(text: str) -> None:
    """Or have nothing to say."""
    assert findings("TD256", config(flags=text)) == []
