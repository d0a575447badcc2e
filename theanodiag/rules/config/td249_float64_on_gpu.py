"""TD249: float64 on a GPU

What it finds
    A GPU device with floatX at float64, which is the default.

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

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    if s.on_gpu and s.text("floatX") in ("float64", "64"):
        message = "floatX is float64: twice the memory of float32, and slow on most GPUs"
        advice = fix("write floatX=float32", code="floatX=float32")
        yield about("TD249", Severity.WARNING, s, "floatX", message, advice, instead="device")


RULE = Rule(
    "TD249",
    "float64-on-gpu",
    check,
    __doc__,
    fires=lambda: config(flags="device=cuda0"),
    silent=lambda: config(flags="device=cuda0,floatX=float32"),
)
