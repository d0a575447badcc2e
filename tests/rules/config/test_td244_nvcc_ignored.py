"""TD244: each entry about nvcc is a place, by the version of the library."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, message, spots, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param("[nvcc]\nfastmath = True\nflags = -arch=sm_70\n", ["2:1", "3:1"], id="two lines"),
    pytest.param("[global]\nnvcc.fastmath = True\n[nvcc]\n compiler_bindir = /usr/bin\n", ["2:1", "4:2"], id="with a dot in global too"),
    pytest.param("[nvcc]\nbananas = 1\n", ["2:1"], id="whatever it is"),
]


@pytest.mark.parametrize(("text", "places"), CASES)
def test_each_line(text: str, places: list[str]) -> None:
    """For information: nothing is lost but an old habit."""
    assert spots("TD244", config(text)) == [f"rc:{place} info, derived" for place in places]


@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_library_is_named(to: Dialect) -> None:
    """None of the newest versions uses it."""
    subject = config("[nvcc]\nfastmath = True\n", to=to)
    assert message("TD244", subject) == f"nvcc.fastmath has no effect: {subject.library} does not use nvcc"
    assert subject.resolution.get("nvcc.fastmath") is None


@pytest.mark.parametrize("version", ["0.8.2", "0.9.0"])
def test_old_versions_read_it(version: str) -> None:
    """There the flag is one."""
    subject = config("[nvcc]\nfastmath = True\n", version=version)
    assert findings("TD244", subject) == []
    assert value(subject, "nvcc.fastmath") is True
