"""TD270: cuDNN is required without a GPU

What it finds
    `dnn.enabled=True` while the device is the CPU.

Why it matters
    It has no effect, and reads as if the GPU were in use.

Example
    `device = cpu` and `[dnn] enabled = True`.

What to do
    `device = cuda`, or take it out.

Limits
    The script may start a GPU itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    if s.winner("dnn.enabled") and s.text("dnn.enabled") == "True" and s.text("device") == "cpu" and not s.text("contexts"):
        message = "the device is the CPU: cuDNN is not used"
        yield about("TD270", Severity.INFO, s, "dnn.enabled", message, fix("write device=cuda, or take it out"))


RULE = Rule(
    "TD270",
    "cudnn-required",
    check,
    __doc__,
    fires=lambda: config("[global]\ndevice = cpu\n[dnn]\nenabled = True\n"),
    silent=lambda: config("[global]\ndevice = cuda\nforce_device = True\n[dnn]\nenabled = True\n"),
)
