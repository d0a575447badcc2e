"""TD265: MKL without a threading layer

What it finds
    `blas.ldflags` with `-lmkl_rt`, and no MKL_THREADING_LAYER in the environment.

Why it matters
    MKL then takes Intel's OpenMP beside gcc's: wrong results, or an error at import ("To use MKL 2018 with Theano").

Example
    `ldflags = -lmkl_rt`.

What to do
    `export MKL_THREADING_LAYER=GNU`.

Limits
    Newer numpy with MKL sets it itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    if "mkl_rt" in (s.text("blas.ldflags") or "") and not s.env("MKL_THREADING_LAYER"):
        shell = "export MKL_THREADING_LAYER=GNU"
        message = "MKL may choose a threading layer that does not go with gcc"
        yield about("TD265", Severity.INFO, s, "blas.ldflags", message, fix(shell, code=shell))


RULE = Rule(
    "TD265",
    "mkl-threading",
    check,
    __doc__,
    fires=lambda: config("[blas]\nldflags = -lmkl_rt\n"),
    silent=lambda: config("[blas]\nldflags = -lmkl_rt\n", env=(("MKL_THREADING_LAYER", "GNU"),)),
)
