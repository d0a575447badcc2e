"""TD245: the entry is the place, and the flags that took its place let the library start."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import advice, findings, spots, starts
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("dnn.conv.workmem=small", "dnn.conv.algo_fwd=small", id="one for one"),
    pytest.param("dnn.conv.workmem_bwd=none", "dnn.conv.algo_bwd_data=none,dnn.conv.algo_bwd_filter=none", id="one for two"),
    pytest.param(
        "dnn.conv.algo_bwd=deterministic", "dnn.conv.algo_bwd_data=deterministic,dnn.conv.algo_bwd_filter=deterministic", id="algo"
    ),
]


@pytest.mark.parametrize(("text", "code"), CASES)
def test_successors(text: str, code: str) -> None:
    """The library refuses the one and takes the others."""
    subject = config(flags=f"profile=False,{text}")
    assert spots("TD245", subject) == ["THEANO_FLAGS:1:15 error, derived"]
    assert not starts(subject)
    assert advice("TD245", subject).code == code
    assert starts(config(flags=code))


def test_without_successor() -> None:
    """`gpuarray.sync` is refused whatever it says, so it goes."""
    subject = config("[gpuarray]\nsync = False\n")
    assert spots("TD245", subject) == ["rc:2:1 error, derived"]
    assert (advice("TD245", subject).title, advice("TD245", subject).code) == ("take it out", None)


@pytest.mark.parametrize("text", ["dnn.conv.workmem=", "dnn.conv.algo_fwd=small"])
def test_taken_texts(text: str) -> None:
    """An empty one is taken, and the new flag."""
    assert findings("TD245", config(flags=text)) == []
    assert starts(config(flags=text))
