"""TD267: the variable that undoes the share is the place."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, findings, spots
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

SHARE, EARLY, HOW = "XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_ALLOCATOR"
CASES = [
    pytest.param({SHARE: ".9", EARLY: "false"}, [EARLY], id="not at the start"),
    pytest.param({SHARE: ".9", EARLY: "0"}, [EARLY], id="a zero"),
    pytest.param({SHARE: ".9", HOW: "Platform"}, [HOW], id="another allocator, in capitals"),
    pytest.param({"XLA_PYTHON_CLIENT_MEM_FRACTION": ".9", EARLY: "FALSE", HOW: "platform"}, [EARLY, HOW], id="old name, both"),
]


@pytest.mark.parametrize(("env", "places"), CASES)
@pytest.mark.parametrize("to", [AE, PT], ids=lambda d: d.name)
def test_share_that_is_not_reserved(env: dict[str, str], places: list[str], to: Dialect) -> None:
    """For information, with the value as written and the share."""
    subject = config(to=to, env=tuple(env.items()))
    assert spots("TD267", subject) == [f"{place} info, derived" for place in places]
    said = [f.message for f in findings("TD267", subject)]
    assert said == [f"{place}={env[place]}: the share of .9 is not reserved" for place in places]


@pytest.mark.parametrize("env", [{SHARE: ".9", EARLY: "true"}, {SHARE: ".9", HOW: "bfc"}, {SHARE: "", EARLY: "false"}, {EARLY: "false"}])
def test_no_contradiction(env: dict[str, str]) -> None:
    """The usual values, or no share."""
    assert findings("TD267", config(to=PT, env=tuple(env.items()))) == []


def test_theano_has_no_jax() -> None:
    """There the variables are another program's."""
    assert findings("TD267", config(env=((SHARE, ".9"), (EARLY, "false")))) == []
