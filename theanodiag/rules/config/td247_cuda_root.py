"""TD247: cuda.root names a folder inside CUDA

What it finds
    `cuda.root` that ends in `bin`, `lib`, `lib64` or `include`.

Why it matters
    The library appends `include`, `lib64` and `bin` itself and finds nothing.

Example
    `[cuda]` with `root = /usr/local/cuda/bin`.

What to do
    Name the folder above: `/usr/local/cuda`.

Limits
    None known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config

INSIDE = re.compile(r"(.+?)[/\\](bin|lib|lib64|include)([/\\]stubs)?[/\\]?")


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    inside = INSIDE.fullmatch(s.text("cuda.root") or "")
    if inside:
        message = f"cuda.root is to be the folder that holds {inside[2]}, not {inside[2]} itself"
        yield about("TD247", Severity.WARNING, s, "cuda.root", message, fix(f"write {inside[1]}", code=f"cuda.root={inside[1]}"))


RULE = Rule(
    "TD247",
    "cuda-root",
    check,
    __doc__,
    fires=lambda: config("[cuda]\nroot = /usr/local/cuda/bin\n"),
    silent=lambda: config("[cuda]\nroot = /usr/local/cuda-8.0\n"),
)
