"""TD232: a device name that names no device

What it finds
    Names other than `cpu`, `cuda`, `cudaN`, `openclN:M` (and `gpu`, `gpuN` before 1.0). `cuda*` in the messages of Theano is no wildcard.

Why it matters
    What begins with `cuda` is accepted and fails when the GPU is started, which is only logged: the job runs on the CPU. Anything else
    is refused.

Example
    `device = cuda*`.

What to do
    Write `cuda0` for the first GPU, `cuda` to let the driver choose, `cpu` for none.

Limits
    Whether the device exists is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.model import Kind
from ...flags.validity import split_comment
from ..base import Rule
from .examples import config

NAMES = re.compile(r"(cpu|gpu\d*|cuda\d*|cuda[0-9a-fA-F:.]+|opencl\d+:\d+)?")


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    for w in s.effective():
        commented = w.section is not None and split_comment(s.interpolated(w))[1]  # TD222
        if w.flag and w.flag.kind is Kind.DEVICE and not commented and not NAMES.fullmatch(s.interpolated(w).strip("'\"")):
            starts = s.interpolated(w).startswith(("cuda", "opencl"))
            effect = "it fails when the GPU is started" if starts else f"{s.library} will not start"
            message = f"{w.value!r} names no device: {effect}"
            cpu = s.interpolated(w).lower().startswith("cpu")
            advice = "write cpu, which has no number" if cpu else "write cuda0, or cuda to let the driver choose"
            yield finding("TD232", Severity.ERROR, w, message, fix(advice))


RULE = Rule(
    "TD232",
    "device-name",
    check,
    __doc__,
    fires=lambda: config("[global]\ndevice = cuda*\nforce_device = True\n"),
    silent=lambda: config("[global]\ndevice = cuda1\nforce_device = True\n"),
)
