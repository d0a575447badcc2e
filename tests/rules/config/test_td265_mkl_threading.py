"""TD265: blas.ldflags is the place, and a line for the shell ends it."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, advice, findings, spots
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param(Dialect.THEANO, "blas.ldflags=-lmkl_rt", id="theano"),
    pytest.param(AE, "blas__ldflags='-L/opt/mkl -lmkl_rt'", id="aesara, with a folder"),
    pytest.param(PT, "blas__ldflags=-lmkl_rt -liomp5", id="pytensor, with a library"),
]


@pytest.mark.parametrize(("to", "text"), CASES)
def test_layer_is_left_to_mkl(to: Dialect, text: str) -> None:
    """For information; the advice is for the shell, and with it the rule is silent."""
    subject = config(flags=text, to=to)
    assert spots("TD265", subject) == [f"{to.flags_variable}:1:1 info, derived"]
    name, _, layer = (advice("TD265", subject).code or "").removeprefix("export ").partition("=")
    assert findings("TD265", config(flags=text, to=to, env=((name, layer),))) == []


@pytest.mark.parametrize("layer", ["INTEL", "SEQUENTIAL", "TBB"])
def test_any_layer_will_do(layer: str) -> None:
    """The user has chosen."""
    assert findings("TD265", config("[blas]\nldflags = -lmkl_rt\n", env=(("MKL_THREADING_LAYER", layer),))) == []


@pytest.mark.parametrize("text", ["-lmkl_core", "-lopenblas", "-lmkl_intel_lp64 -lmkl_gnu_thread"])
def test_other_libraries(text: str) -> None:
    """Those that name their layer, or have none."""
    assert findings("TD265", config(f"[blas]\nldflags = {text}\n")) == []
