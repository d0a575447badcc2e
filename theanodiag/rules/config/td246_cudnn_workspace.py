"""TD246: cuDNN algorithms that need a workspace

What it finds
    `dnn.conv.algo_*` set to `large`, `fft`, `fft_tiling`, `winograd_non_fused` or a `time_*` choice.

Why it matters
    Each convolution then takes a workspace beside its arrays, and the timing takes what is free while it tries.

Example
    `[dnn.conv]` with `algo_fwd = time_once`.

What to do
    Where memory is short: `small` for `algo_fwd`, `none` for the other two, or `guess_once`.

Limits
    How much it is depends on the shapes.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config

NAMES = ("dnn.conv.algo_fwd", "dnn.conv.algo_bwd_data", "dnn.conv.algo_bwd_filter")
HUNGRY = ("large", "fft", "fft_tiling", "winograd_non_fused", "time_once", "time_on_shape_change")


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding a flag."""
    for name in NAMES:
        if s.on_gpu and s.text(name) in HUNGRY:
            code = f"{name}={'small' if name.endswith('fwd') else 'none'}"
            message = f"{s.text(name)} takes a workspace for each convolution"
            yield about("TD246", Severity.INFO, s, name, message, fix(f"write {code} where memory is short", code=code))


RULE = Rule(
    "TD246",
    "cudnn-workspace",
    check,
    __doc__,
    fires=lambda: config(flags="device=cuda,dnn.conv.algo_fwd=time_once"),
    silent=lambda: config(flags="device=cuda,dnn.conv.algo_fwd=small"),
)
