"""TD237: too little memory left beside the reserve

What it finds
    `gpuarray.preallocate` above 0.9 and below 1 with cuDNN not switched off; the same of `lib.cnmem` before 1.0.

Why it matters
    The CUDA context, cuBLAS and cuDNN take memory beside the reserve; cuDNN does not start with less than 75 MB free.

Example
    `gpuarray.preallocate=0.95` with `dnn.enabled=True`.

What to do
    Reserve 0.8 to 0.9. The reserve grows when it is needed.

Limits
    On a large card 5 % may be enough.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    for name in ("gpuarray.preallocate", "lib.cnmem"):
        share = s.number(name)
        if share is not None and 0.9 < share <= 1 and (name != "gpuarray.preallocate" or share < 1) and s.text("dnn.enabled") != "False":
            message = f"{name} = {share:g} leaves little for the CUDA context, cuBLAS and cuDNN"
            yield about("TD237", Severity.INFO, s, name, message, fix("reserve 0.8", code=f"{name}=0.8"))


RULE = Rule(
    "TD237",
    "preallocate-high",
    check,
    __doc__,
    fires=lambda: config(flags="gpuarray.preallocate=0.95"),
    silent=lambda: config(flags="gpuarray.preallocate=0.8"),
)
