"""TD268: the variable is the place, and unsetting it is the advice."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import advice, findings, message, spots
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("CUDA_LAUNCH_BLOCKING", "1", "the job waits for every kernel", id="blocking"),
    pytest.param("CUDA_LAUNCH_BLOCKING", "true", "the job waits for every kernel", id="any text"),
    pytest.param("PYTORCH_NO_CUDA_MEMORY_CACHING", "1", "torch caches no memory", id="no cache"),
]


@pytest.mark.parametrize(("name", "text", "words"), CASES)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_slow_switches(name: str, text: str, words: str, to: Dialect) -> None:
    """For information, whatever the library."""
    subject = config(to=to, env=((name, text),))
    assert spots("TD268", subject) == [f"{name} info, derived"]
    assert message("TD268", subject).startswith(words)
    assert advice("TD268", subject).code == f"unset {name}"


def test_both_are_two_findings() -> None:
    """One for each variable."""
    env = (("PYTORCH_NO_CUDA_MEMORY_CACHING", "1"), ("CUDA_LAUNCH_BLOCKING", "1"))
    assert len(findings("TD268", config(env=env))) == 2


@pytest.mark.parametrize(
    ("flags", "text"), [("profile=1", "1"), ("profile=False", "0"), ("profile=False", "")], ids=["profiled", "zero", "empty"]
)
def test_meant_or_off(flags: str, text: str) -> None:
    """The profiler needs it; zero and nothing are off."""
    assert findings("TD268", config(flags=flags, env=(("CUDA_LAUNCH_BLOCKING", text),))) == []
