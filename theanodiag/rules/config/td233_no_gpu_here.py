"""TD233: a GPU flag for a library without GPU back-end

What it finds
    `device`, `gpuarray.*`, `dnn.*` and their like in the settings of Aesara or PyTensor.

Why it matters
    PyTensor ignores them (in a file in silence), Aesara refuses `device=cuda`: either way nothing runs on the GPU.

Example
    `PYTENSOR_FLAGS=device=cuda,floatX=float32`.

What to do
    Use `mode=JAX` (PyTensor also `mode=PYTORCH` or `MLX`); the memory is set by `XLA_CLIENT_MEM_FRACTION`.
    `theanodiag config rewrite --env` prints the variables.

Limits
    `device=cpu` is harmless in Aesara.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.model import Dialect
from ...flags.names import GPU_ONLY
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    if s.dialect is Dialect.THEANO:
        return
    for w in s.written:
        name = w.name
        refused = w.flag is not None
        if name in ("device", "init_gpu_device", "contexts") and not (refused and w.value in ("cpu", "")):
            message = f"{s.library} has no GPU device: {'it will not start' if refused else 'ignored'}"
            advice = fix("use mode=JAX, which brings its own GPU", code="mode=JAX")
            yield finding("TD233", Severity.ERROR if refused else Severity.WARNING, w, message, advice)
        elif w.flag is None and name.startswith(GPU_ONLY):
            message = f"{name} is of Theano's GPU back-end, which {s.library} has not: ignored"
            yield finding("TD233", Severity.WARNING, w, message, fix("take it out"))


RULE = Rule(
    "TD233",
    "no-gpu-here",
    check,
    __doc__,
    fires=lambda: config(flags="device=cuda,floatX=float32", to=Dialect.PYTENSOR),
    silent=lambda: config(flags="mode=JAX,floatX=float32", to=Dialect.PYTENSOR),
)
