"""In what the versions differ beyond their tables of flags. Read in the sources of every version named here."""

from __future__ import annotations

from dataclasses import dataclass

from .model import Dialect
from .table import number


@dataclass(frozen=True)
class Era:
    """How one version reads its variable and its files."""

    quoting: bool = True
    """The variable is split by shlex; False (Theano 0.6): at every comma."""
    all_names: bool = True
    """`%(TMPDIR)s` and its like may be used in files; False (Theano 0.6): only `%(USER)s`."""
    nested_sections: bool = True
    """`[dnn.conv] algo_fwd` is found; False (Theano 0.6 and 0.7): names with two dots are only read from the variable."""
    warns_unknown: bool = True
    """Flags in the variable that mean nothing bring a warning; False: Theano 0.6 and 0.7."""
    pathlib_files: bool = False
    """Paths of rc files go through pathlib (PyTensor 2.25.0), which raises for the home of an unknown account."""
    pathlib_flags: bool = False
    """So do flags that are paths (PyTensor 2.25.2)."""


def era(dialect: Dialect, version: str) -> Era:
    """The ways of that version."""
    at = number(version)
    if dialect is Dialect.THEANO:
        return Era(quoting=at >= (0, 7), all_names=at >= (0, 7), nested_sections=at >= (0, 8), warns_unknown=at >= (0, 8))
    if dialect is Dialect.AESARA:
        return Era()
    return Era(pathlib_files=at >= (2, 25), pathlib_flags=at >= (2, 25, 2))
