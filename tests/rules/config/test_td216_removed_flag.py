"""TD216: the entry is the place, and the message says which version had the flag and what took its place."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, advice, findings, message, spots
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param(AE, "[global]\nint_division = int\n", "2:1", "int_division", id="a question that Python 3 answered"),
    pytest.param(AE, "[lib]\n  amdlibm = True\n", "2:3", "lib.amdlibm", id="renamed"),
    pytest.param(Dialect.THEANO, "[cuda]\nenabled = False\n", "2:1", "cuda.enabled", id="within theano"),
    pytest.param(PT, "[global]\ndevice = cpu\ncompute_test_value = warn\n", "3:1", "compute_test_value", id="gone from the newest"),
]


@pytest.mark.parametrize(("to", "text", "place", "name"), CASES)
def test_name_and_history(to: Dialect, text: str, place: str, name: str) -> None:
    """The library of the user is named, and an older one that had it; the flag is gone from its table."""
    subject = config(text, to=to)
    assert spots("TD216", subject) == [f"rc:{place} warning, derived"]
    assert message("TD216", subject).startswith(f"{subject.library} has no flag {name}, which ")
    assert subject.resolution.get(name) is None
    assert advice("TD216", subject).edits == ()


def test_successor_is_advised() -> None:
    """Aesara's own spelling of the flag that had another letter."""
    assert advice("TD216", config("[lib]\namdlibm = True\n", to=AE)).title == "write lib.amblibm"


@pytest.mark.parametrize(
    "text",
    ["[lib]\ncnmem = 1\n", "[nvcc]\nfastmath = True\n", "[global]\ndevice = gpu\n", "[dnn]\nenabled = True\n", "[global]\nbananas = 1\n"],
)
def test_rules_of_their_own(text: str) -> None:
    """TD234, TD244, TD233 twice, and TD210."""
    assert findings("TD216", config(text, to=PT)) == []
