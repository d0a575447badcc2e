"""Selects the files that a scan reads, by name and first bytes."""

from __future__ import annotations

import re

from ..flags.carriers.kinds import FileKind, kind_by_name
from .model import SourceKind

_KINDS = {
    FileKind.RC: SourceKind.RC, FileKind.PYTHON: SourceKind.PYTHON, FileKind.NOTEBOOK: SourceKind.NOTEBOOK,
    FileKind.DOCKERFILE: SourceKind.CONTAINER, FileKind.SHELL: SourceKind.SHELL, FileKind.CSH: SourceKind.SHELL,
    FileKind.FISH: SourceKind.SHELL, FileKind.BATCH: SourceKind.SHELL, FileKind.POWERSHELL: SourceKind.SHELL,
    FileKind.MAKEFILE: SourceKind.SETTINGS, FileKind.YAML: SourceKind.SETTINGS, FileKind.TOML: SourceKind.SETTINGS,
}  # fmt: skip
_SETTINGS = re.compile(r"^(tox\.ini|pytest\.ini|setup\.cfg|supervisord?\.conf|devcontainer\.json|launch\.json|kernel\.json|Jenkinsfile)$")
_SHEBANG = re.compile(rb"(?:\A#!|^#(?:\$|PBS)[ \t]+-S[ \t]).*\b(?:(python)|(sh|bash|dash|zsh|ksh))[\d.]*\b", re.MULTILINE)
"""`#!/bin/sh` on the first line, or what a job says of its shell to the scheduler (`#$ -S /bin/sh`)."""
_RELEVANT = re.compile(rb"theano|aesara|pytensor|pymc|lasagne|keras", re.IGNORECASE)


def by_name(name: str) -> SourceKind | None:
    """The kind indicated by a file's name; None if the first bytes decide (no suffix), or the file is irrelevant.

    >>> by_name("train.py"), by_name(".theanorc"), by_name("Dockerfile.gpu"), by_name("ci.yml"), by_name("notes.txt")
    (<Kind.PYTHON: 'python'>, <Kind.RC: 'rc file'>, <Kind.CONTAINER: 'container file'>, <Kind.SETTINGS: 'settings file'>, None)
    """
    if name.endswith((".def", ".pyx")):
        return SourceKind.CONTAINER if name.endswith(".def") else None
    kind = kind_by_name(name)
    return _KINDS.get(kind) if kind else SourceKind.SETTINGS if _SETTINGS.match(name) else None


def may_be_script(name: str) -> bool:
    """Whether the first bytes decide: a file without a suffix."""
    return "." not in name


def by_first_bytes(data: bytes) -> SourceKind | None:
    """The kind indicated by a `#!` line, or by a batch job's line that names its shell."""
    match = _SHEBANG.search(data[:200])
    return None if match is None else SourceKind.PYTHON if match[1] else SourceKind.SHELL


def is_relevant(data: bytes) -> bool:
    """Whether the content mentions a framework or an environment variable with its flags."""
    return _RELEVANT.search(data) is not None
