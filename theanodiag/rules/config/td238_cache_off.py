"""TD238: the allocation cache is off

What it finds
    A negative `gpuarray.preallocate`.

Why it matters
    Every array is asked from the driver and given back to it: the least memory, but each allocation waits for the GPU.

Example
    `gpuarray.preallocate=-1`.

What to do
    Leave it if memory is short; otherwise 0 keeps a cache that grows, and a fraction reserves one block, which does not fragment.

Limits
    On OpenCL there is no cache.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    share = s.number("gpuarray.preallocate")
    if share is not None and share < 0:
        message = "a negative value turns the allocation cache off: least memory, but slow"
        yield about("TD238", Severity.INFO, s, "gpuarray.preallocate", message, fix("keep the cache", code="gpuarray.preallocate=0"))


RULE = Rule(
    "TD238",
    "cache-off",
    check,
    __doc__,
    fires=lambda: config(flags="gpuarray.preallocate=-1"),
    silent=lambda: config(flags="gpuarray.preallocate=0"),
)
