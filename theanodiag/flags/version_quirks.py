"""Differences between versions in how they read flags and files, beside their tables of flags.

Read in the sources of every version named here.
"""

from __future__ import annotations

from dataclasses import dataclass

from .defaults import number
from .model import Dialect


@dataclass(frozen=True)
class VersionQuirks:
    """How one version of a library reads its flags variable and its rc files."""

    quoting: bool = True
    """Whether the variable is split by shlex; False (Theano 0.6): at every comma."""
    all_names: bool = True
    """Whether `%(TMPDIR)s` and the like may be used in files; False (Theano 0.6): only `%(USER)s`."""
    nested_sections: bool = True
    """Whether `[dnn.conv] algo_fwd` is read; False (Theano 0.6 and 0.7): names with two dots are only read from the variable."""
    warns_unknown: bool = True
    """Whether unknown flags in the variable cause a warning; False: Theano 0.6 and 0.7."""
    pathlib_files: bool = False
    """Whether paths of rc files are expanded by pathlib (PyTensor from 2.25.0), which raises for the home folder of an unknown account."""
    pathlib_flags: bool = False
    """Whether flags that are paths are expanded by pathlib (PyTensor from 2.25.2)."""


def quirks_of(dialect: Dialect, version: str) -> VersionQuirks:
    """The quirks of that version."""
    at = number(version)
    if dialect is Dialect.THEANO:
        return VersionQuirks(quoting=at >= (0, 7), all_names=at >= (0, 7), nested_sections=at >= (0, 8), warns_unknown=at >= (0, 8))
    if dialect is Dialect.AESARA:
        return VersionQuirks()
    return VersionQuirks(pathlib_files=at >= (2, 25), pathlib_flags=at >= (2, 25, 2))
