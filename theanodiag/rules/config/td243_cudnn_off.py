"""TD243: cuDNN is switched off on a GPU

What it finds
    `dnn.enabled=False` with a GPU device.

Why it matters
    Convolutions use slower code that takes more memory.

Example
    `device=cuda,dnn.enabled=False`.

What to do
    `dnn.enabled=auto` uses cuDNN where it is found; `True` makes it an error if it is not.

Limits
    A script without convolutions, pooling or softmax does not notice.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    if s.on_gpu and s.text("dnn.enabled") == "False":
        message = "cuDNN is off: convolutions are slower and take more memory"
        yield about("TD243", Severity.INFO, s, "dnn.enabled", message, fix("write dnn.enabled=auto", code="dnn.enabled=auto"))


RULE = Rule(
    "TD243",
    "cudnn-off",
    check,
    __doc__,
    fires=lambda: config(flags="device=cuda0,dnn.enabled=False"),
    silent=lambda: config(flags="device=cuda0,dnn.enabled=auto"),
)
