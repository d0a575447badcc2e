"""TD244: options for a compiler that is not used

What it finds
    `nvcc.*` with Theano 1.0 and later, Aesara and PyTensor.

Why it matters
    They are ignored. The gpuarray back-end compiles its kernels with NVRTC, which takes no options, and the rest with g++.

Example
    `[nvcc]` with `fastmath = True`, or `flags = -D_FORCE_INLINES`.

What to do
    Take them out. Folders (-I, -L) go to `gcc.cxxflags` if something is not found there; `theanodiag config rewrite` does it.

Limits
    None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.migrate_entry import was_live
from ...flags.names import homes
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    for w in s.unknown():
        elsewhere = w.section is not None and not was_live(w.name, w.section, w.key) and homes(s.table, w.name)  # TD211
        if w.name.startswith("nvcc.") and not elsewhere:
            yield finding("TD244", Severity.INFO, w, f"{w.name} has no effect: {s.library} does not use nvcc", fix("take it out"))


RULE = Rule(
    "TD244",
    "nvcc-ignored",
    check,
    __doc__,
    fires=lambda: config("[nvcc]\nfastmath = True\n"),
    silent=lambda: config("[nvcc]\nfastmath = True\n", version="0.8.2"),
)
