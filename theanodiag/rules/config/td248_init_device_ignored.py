"""TD248: init_gpu_device beside a GPU device

What it finds
    `init_gpu_device` together with `device=cuda*`.

Why it matters
    It is only looked at with `device=cpu`: it has no effect.

Example
    `device = cuda0` and `init_gpu_device = cuda1`.

What to do
    Take one of them out.

Limits
    None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    if s.on_gpu and s.text("init_gpu_device"):
        message = "init_gpu_device counts only with device=cpu"
        yield about("TD248", Severity.INFO, s, "init_gpu_device", message, fix("take it out"))


RULE = Rule(
    "TD248",
    "init-device-ignored",
    check,
    __doc__,
    fires=lambda: config(flags="device=cuda0,init_gpu_device=cuda1"),
    silent=lambda: config(flags="device=cpu,init_gpu_device=cuda1"),
)
