"""TD211: the entry is the place, and the advice is the section and line that the library reads."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import advice, findings, message, spots, value
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param(
        "[dnn]\nconv.algo_fwd = small\n", "2:1", "[dnn.conv]\nalgo_fwd = small", "dnn.conv.algo_fwd", "small", id="half the section"
    ),
    pytest.param("[blas]\n enabled = True\n[global]\n", "2:2", None, None, None, id="two sections have it"),
    pytest.param("[nvcc]\nfloatX = float32\n", "2:1", "[global]\nfloatX = float32", "floatX", "float32", id="belongs to global"),
    pytest.param("[global]\nldflags = -lblas\n", "2:1", "[blas]\nldflags = -lblas", "blas.ldflags", "-lblas", id="belongs to blas"),
]


@pytest.mark.parametrize(("text", "place", "code", "flag", "wanted"), CASES)
def test_where_it_belongs(text: str, place: str, code: str | None, flag: str | None, wanted: object) -> None:
    """As advised, the value counts; where two places may be meant, none is chosen."""
    assert spots("TD211", config(text)) == [f"rc:{place} warning, derived"]
    assert advice("TD211", config(text)).code == code
    if code and flag:
        assert value(config(code), flag) == wanted


def test_all_places_are_named() -> None:
    """cuDNN and MAGMA can both be enabled."""
    words = message("TD211", config("[blas]\nenabled = True\n"))
    assert "[dnn] enabled" in words
    assert "[magma] enabled" in words


@pytest.mark.parametrize("text", ["[DEFAULT]\nldflags = -lblas\n", "[nvcc]\nflags = -O2\n", "[global]\nOMP_NUM_THREADS = 1\n"])
def test_other_rules_speak(text: str) -> None:
    """DEFAULT is TD218's, old flags are TD244's, variables TD217's."""
    assert findings("TD211", config(text)) == []
