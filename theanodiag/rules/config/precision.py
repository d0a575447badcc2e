"""TD2: the widths of floats."""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import rule
from .examples import config


@rule(
    "TD249",
    "float64-on-gpu",
    fires=lambda: config(flags="device=cuda0"),
    silent=lambda: config(flags="device=cuda0,floatX=float32"),
)
def float64_on_gpu(s: ConfigSubject) -> Iterator[Finding]:
    """TD249: float64 on a GPU

    What it finds
        A GPU device with floatX set to float64, which is the default.

    Why it matters
        Every array takes twice the memory; consumer cards compute float64 up to 32 times slower, and the back-end before 1.0 leaves it on
        the CPU.

    Example
        `device = cuda0` without `floatX`.

    What to do
        `floatX = float32`.

    Limits
        Some models need the precision.
    """
    if s.on_gpu and s.text("floatX") in ("float64", "64"):
        message = "floatX is float64: twice the memory of float32, and slow on most GPUs"
        advice = fix("write floatX=float32", code="floatX=float32")
        yield about("TD249", Severity.WARNING, s, "floatX", message, advice, instead="device")


@rule(
    "TD250",
    "float16",
    fires=lambda: config(flags="floatX=float16"),
    silent=lambda: config(flags="floatX=float32"),
)
def float16(s: ConfigSubject) -> Iterator[Finding]:
    """TD250: floatX=float16 is experimental

    What it finds
        floatX at float16.

    Why it matters
        Many operations have no float16 code, compute in Python or lose precision; Theano calls it experimental.

    Example
        `floatX = float16`.

    What to do
        `floatX = float32`.

    Limits
        Storing single shared variables in float16 is fine.
    """
    if s.text("floatX") in ("float16", "16"):
        yield about("TD250", Severity.WARNING, s, "floatX", "float16 is experimental", fix("write floatX=float32", code="floatX=float32"))
