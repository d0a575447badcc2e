"""TD271: what the library refuses and no other rule explains, with its exception."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, findings, message, spots, starts
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("tensor__local_elemwise_fusion=False", 31, "ImportError", id="aesara needs fusion"),
    pytest.param("floatX=float32,tensor__local_elemwise_fusion=0", 46, "ImportError", id="behind another flag"),
]


@pytest.mark.parametrize(("text", "column", "exception"), CASES)
def test_exception_is_named(text: str, column: int, exception: str) -> None:
    """At the value that it does not survive."""
    subject = config(flags=text, to=AE)
    assert spots("TD271", subject) == [f"AESARA_FLAGS:1:{column} error, derived"]
    assert message("TD271", subject).startswith(f"{subject.library} will not start: {exception}: ")
    assert not starts(subject)


def test_other_variable_of_the_environment() -> None:
    """A text that is no number of threads stops the import."""
    subject = config(env=(("OMP_NUM_THREADS", "many"),))
    assert spots("TD271", subject) == ["OMP_NUM_THREADS:1:1 error, derived"]
    assert not starts(subject)


@pytest.mark.parametrize(
    "text", ["floatX=float8", "device=gpu0", "cxx='", "dnn.conv.workmem=x"], ids=["value", "device", "quote", "retired"]
)
def test_rules_with_better_words(text: str) -> None:
    """TD220, TD231, TD207 and TD245 speak of these, which stop the library too."""
    assert not starts(config(flags=text))
    assert findings("TD271", config(flags=text)) == []
