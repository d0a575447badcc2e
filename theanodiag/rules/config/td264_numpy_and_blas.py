"""TD264: this numpy does not tell Theano its BLAS

What it finds
    Theano 1.0 with numpy 1.22 or later and no `blas.ldflags`.

Why it matters
    Theano asks `numpy.distutils` in a way that fails there (NoSectionError: No section: 'blas', KeyError: blas_opt_info). It is not your
    rc file.

Example
    `import theano` with numpy 1.22: NoSectionError.

What to do
    Set `blas.ldflags`, if only to nothing, or use numpy below 1.22.

Limits
    Only if the version of numpy is known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, Context, about, fix
from ...flags.model import Dialect
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    numpy = s.context.numpy
    if s.context.installed and s.dialect is Dialect.THEANO and numpy and numpy >= (1, 22) and not s.winner("blas.ldflags"):
        message = f"numpy {numpy[0]}.{numpy[1]} does not tell {s.library} its BLAS: the import may fail with NoSectionError 'blas'"
        yield about("TD264", Severity.WARNING, s, "blas.ldflags", message, fix("set blas.ldflags", code="blas.ldflags=-lopenblas"))


RULE = Rule(
    "TD264",
    "numpy-and-blas",
    check,
    __doc__,
    fires=lambda: config(context=Context(numpy=(1, 22))),
    silent=lambda: config(context=Context(numpy=(1, 21))),
)
