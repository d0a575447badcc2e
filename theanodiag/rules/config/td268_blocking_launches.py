"""TD268: every kernel is waited for

What it finds
    CUDA_LAUNCH_BLOCKING=1, and PYTORCH_NO_CUDA_MEMORY_CACHING=1.

Why it matters
    Both are for debugging: the GPU waits for the CPU at each launch, or every array is asked from the driver.

Example
    `CUDA_LAUNCH_BLOCKING=1` left in a job script.

What to do
    `unset` it.

Limits
    Theano's profiler needs CUDA_LAUNCH_BLOCKING=1 for true times: with `profile=True` it is not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Confidence, Finding, Location, Severity
from ...flags.diagnose import ConfigSubject, fix
from ..base import Rule
from .examples import config

EFFECTS = (("CUDA_LAUNCH_BLOCKING", "every kernel is waited for"), ("PYTORCH_NO_CUDA_MEMORY_CACHING", "no memory is kept for reuse"))


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding a variable."""
    for name, effect in EFFECTS:
        if s.env(name) not in (None, "", "0") and not s.is_on("profile"):
            advice = fix(f"unset {name}", code=f"unset {name}")
            yield Finding("TD268", Severity.INFO, Confidence.DERIVED, f"{effect}: slow", Location(name), advice)


RULE = Rule(
    "TD268",
    "blocking-launches",
    check,
    __doc__,
    fires=lambda: config(flags="device=cuda0", env=(("CUDA_LAUNCH_BLOCKING", "1"),)),
    silent=lambda: config(flags="device=cuda0,profile=True", env=(("CUDA_LAUNCH_BLOCKING", "1"),)),
)
