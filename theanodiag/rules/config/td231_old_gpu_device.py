"""TD231: a device of the back-end that was removed in 1.0

What it finds
    `device=gpu`, `gpu0` … and the same in `init_gpu_device`, for Theano 1.0 and later.

Why it matters
    The library refuses to start. It is the most frequent trouble of old files: 44 % of the public `.theanorc` have it.

Example
    `device = gpu0`.

What to do
    Write `device = cuda0`; `device = cuda` lets the driver choose. Memory behaves differently: see TD234.

Limits
    Aesara and PyTensor have no GPU device at all: see TD233.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix, replace_span
from ...flags.model import Dialect, Kind
from ..base import Rule
from .examples import config

OLD = re.compile(r"gpu(\d*)")


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    if s.dialect is not Dialect.THEANO:
        return
    for w in s.written:
        old = OLD.fullmatch((w.value or "").strip("'\" "))
        if old and w.flag and w.flag.kind is Kind.DEVICE and "gpu" not in w.flag.choices:
            new = f"cuda{old[1]}"
            message = f"{old[0]} is the CUDA back-end that Theano 1.0 removed: {s.library} will not start"
            advice = fix(f"write {new}", replace_span(w.value_span, new), code=f"{w.flag.name}={new}", safe=True)
            yield finding("TD231", Severity.ERROR, w, message, advice)


RULE = Rule(
    "TD231",
    "old-gpu-device",
    check,
    __doc__,
    fires=lambda: config("[global]\ndevice = gpu0\n"),
    silent=lambda: config("[global]\ndevice = gpu0\n", version="0.9.0"),
)
