"""TD233: the entry is the place, refused where the library still has the flag and ignored where not."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, advice, findings, message, spots, starts, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

CASES = [
    pytest.param(AE, "device=cuda0", "error", "it will not start", id="aesara refuses"),
    pytest.param(AE, "contexts=a->cuda0", "warning", "ignored", id="aesara ignores"),
    pytest.param(PT, "device=cpu", "info", "computes on the CPU unless", id="pytensor ignores even the cpu"),
    pytest.param(PT, "dnn__enabled=auto", "warning", "dnn.enabled is a flag of Theano's GPU back-end", id="cudnn"),
    pytest.param(PT, "lib.cnmem=0.8", "warning", "lib.cnmem is a flag of", id="the pool of the old back-end"),
    pytest.param(PT, "gpuarray.preallocate=0.8", "warning", "gpuarray.preallocate is a flag of", id="memory, with a dot"),
]


@pytest.mark.parametrize(("to", "text", "severity", "words"), CASES)
def test_refused_or_ignored(to: Dialect, text: str, severity: str, words: str) -> None:
    """The library does what the message says."""
    subject = config(flags=text, to=to)
    assert spots("TD233", subject) == [f"{to.flags_variable}:1:1 {severity}, derived"]
    assert words in message("TD233", subject)
    assert starts(subject) is (severity != "error")


@pytest.mark.parametrize("to", [AE, PT], ids=lambda d: d.name)
def test_mode_of_jax_is_advised(to: Dialect) -> None:
    """And both libraries have it."""
    assert advice("TD233", config("[global]\ndevice = cuda\n", to=to)).code == "mode=JAX"
    assert value(config(flags="mode=JAX", to=to), "mode") == "JAX"


@pytest.mark.parametrize(("to", "text"), [(AE, "device=cpu"), (Dialect.THEANO, "device=cuda"), (PT, "dnnx=1"), (PT, "blas__ldflags=")])
def test_harmless_ones(to: Dialect, text: str) -> None:
    """The CPU in Aesara, Theano itself, other names."""
    assert findings("TD233", config(flags=text, to=to)) == []
