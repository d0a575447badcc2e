"""Which files a scan looks at, told by their names and first bytes."""

from __future__ import annotations

import os
import re

from .model import Kind

_RC = re.compile(r"^\.?(theano|aesara|pytensor)rc(\..*)?$", re.IGNORECASE)
_CONTAINER = re.compile(r"^(Dockerfile|Containerfile)|\.(dockerfile|def)$", re.IGNORECASE)
_SUFFIXES = {
    ".py": Kind.PYTHON, ".pyw": Kind.PYTHON, ".ipynb": Kind.NOTEBOOK,
    ".sh": Kind.SHELL, ".bash": Kind.SHELL, ".slurm": Kind.SHELL, ".pbs": Kind.SHELL,
}  # fmt: skip
_SHEBANG = re.compile(rb"(?:\A#!|^#(?:\$|PBS)[ \t]+-S[ \t]).*\b(?:(python)|(sh|bash|dash|zsh|ksh))[\d.]*\b", re.MULTILINE)
"""`#!/bin/sh` on the first line, or what a job says of its shell to the scheduler (`#$ -S /bin/sh`)."""
_RELEVANT = re.compile(rb"theano|aesara|pytensor|pymc|lasagne|keras", re.IGNORECASE)


def by_name(name: str) -> Kind | None:
    """The kind that a file's name tells; None where the first bytes have to (no suffix), or where it is none of them.

    >>> by_name("train.py"), by_name(".theanorc"), by_name("Dockerfile.gpu"), by_name("notes.txt")
    (<Kind.PYTHON: 'python'>, <Kind.RC: 'rc file'>, <Kind.CONTAINER: 'container file'>, None)
    """
    if _RC.match(name):
        return Kind.RC
    if _CONTAINER.search(name):
        return Kind.CONTAINER
    return _SUFFIXES.get(os.path.splitext(name)[1].lower())


def may_be_script(name: str) -> bool:
    """Whether the first bytes decide: a file without a suffix."""
    return "." not in name


def by_first_bytes(data: bytes) -> Kind | None:
    """The kind that a `#!` line tells, or a job's line about its shell."""
    found = _SHEBANG.search(data[:200])
    return None if found is None else Kind.PYTHON if found[1] else Kind.SHELL


def is_relevant(data: bytes) -> bool:
    """Whether the bytes name a framework, or a variable with flags for one."""
    return _RELEVANT.search(data) is not None
