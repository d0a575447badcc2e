"""TD266: the old name is the place; alone it is deprecated, beside the new one an error."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, advice, findings, message, spots
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

OLD, NEW = "XLA_PYTHON_CLIENT_MEM_FRACTION", "XLA_CLIENT_MEM_FRACTION"
CASES = [
    pytest.param({OLD: ".5"}, "info", "deprecated", ".5", id="old alone"),
    pytest.param({OLD: ".5", NEW: ".7"}, "error", "JAX stops", ".7", id="both differ"),
    pytest.param({OLD: ".5", NEW: ".5"}, "error", "JAX stops", ".5", id="both agree"),
]


@pytest.mark.parametrize(("env", "severity", "words", "share"), CASES)
@pytest.mark.parametrize("to", [AE, PT], ids=lambda d: d.name)
def test_old_name(env: dict[str, str], severity: str, words: str, share: str, to: Dialect) -> None:
    """The advice keeps the share: the new one where there is one."""
    subject = config(to=to, env=tuple(env.items()))
    assert spots("TD266", subject) == [f"{OLD} {severity}, derived"]
    assert words in message("TD266", subject)
    assert advice("TD266", subject).code == f"export {NEW}={share}"


def test_advice_ends_it() -> None:
    """The new name alone."""
    assert findings("TD266", config(to=PT, env=((NEW, ".5"),))) == []


def test_theano_has_no_jax() -> None:
    """There the variable is another program's."""
    assert findings("TD266", config(env=((OLD, ".5"), (NEW, ".5")))) == []
