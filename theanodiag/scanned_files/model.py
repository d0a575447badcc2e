"""The facts about each file of a scan, and which files are read, by name and first bytes."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..findings import Finding
from ..flags.carriers.file_kinds import FileKind, kind_by_name


class SourceKind(enum.Enum):
    """Kind of a file, by its name and first line."""

    PYTHON = "python"
    NOTEBOOK = "notebook"
    RC = "rc file"
    SHELL = "shell script"
    CONTAINER = "container file"
    SETTINGS = "settings file"
    """A Makefile, YAML, TOML or INI file: only the flags in it matter."""


class FileState(enum.Enum):
    """The state of a scanned file; every file has exactly one."""

    READ = "read"
    """It uses a framework or sets its flags, and was read completely."""
    IRRELEVANT = "irrelevant"
    """It uses no framework and sets no flags."""
    FAILED = "failed"
    """It could not be opened or parsed; `FileFacts.reason` says why."""
    SKIPPED = "skipped"
    """It was deliberately skipped; `FileFacts.reason` says why."""


@dataclass(frozen=True)
class NameCounts:
    """Number of uses of names that PyTensor renamed or removed, by how `theanodiag port` handles them."""

    safe: int = 0
    """Ported without a change of meaning (TD101)."""
    unsafe: int = 0
    """Ported only with `--unsafe`: results may differ (TD102)."""
    by_hand: int = 0
    """Left to be ported by hand (TD103)."""


@dataclass(frozen=True)
class CardRun:
    """The result of `check` for a script on one card."""

    fits: bool | None
    """Whether it fits; None if that depends on unknown sizes."""
    peak_bytes: int | None
    """Peak bytes that the process takes from the device; None if no function was compiled."""
    verdict: str = ""
    """The verdict of `check` in one line."""


@dataclass(frozen=True)
class ScriptRun:
    """The result of running a script under `check`, in its own process."""

    outcome: str
    """"ran", "failed", "timed out", "out of memory", "no framework", or "not run" if no worker was left to run it."""
    reason: str = ""
    """The last line of its output, if it did not run."""
    seconds: float = 0.0
    cards: Mapping[str, CardRun] = field(default_factory=dict)
    """Card name as given by the user -> result; empty if the script did not run."""
    findings: tuple[Finding, ...] = ()
    """The findings of its reports on all cards."""


@dataclass(frozen=True)
class FileFacts:
    """The facts that a scan found about one file."""

    path: str
    """Path relative to the scanned folder, with forward slashes."""
    kind: SourceKind
    state: FileState
    reason: str = ""
    """Why it failed or was skipped; empty otherwise."""
    lines: int = 0
    python: int | None = None
    """Python version that the source is written for, 2 or 3; None if it is not Python."""
    frameworks: tuple[str, ...] = ()
    """Imported packages among theano, aesara, pytensor, pymc3, pymc, lasagne and keras, in that order."""
    releases: str = ""
    """The release series of Theano that have all names used, such as "0.6-0.9"; "none" if no series has them all; empty if it does not
    use Theano."""
    gpu: bool = False
    """Whether it uses Theano's GPU modules or selects a GPU in its flags."""
    names: NameCounts = NameCounts()
    findings: tuple[Finding, ...] = ()
    run: ScriptRun | None = None
    """The result of running it; None if it was not run."""


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
    """Returns the kind indicated by a file's name; None if the first bytes decide (no suffix), or the file is irrelevant.

    >>> [kind and kind.name for kind in map(by_name, ("train.py", ".theanorc", "Dockerfile.gpu", "ci.yml", "notes.txt"))]
    ['PYTHON', 'RC', 'CONTAINER', 'SETTINGS', None]
    """
    if name.endswith((".def", ".pyx")):
        return SourceKind.CONTAINER if name.endswith(".def") else None
    kind = kind_by_name(name)
    return _KINDS.get(kind) if kind else SourceKind.SETTINGS if _SETTINGS.match(name) else None


def may_be_script(name: str) -> bool:
    """Returns whether a file without a suffix may be a script, which its first bytes decide."""
    return "." not in name


def by_first_bytes(data: bytes) -> SourceKind | None:
    """Returns the kind indicated by a `#!` line, or by a batch job's line that names its shell; else None."""
    match = _SHEBANG.search(data[:200])
    return None if match is None else SourceKind.PYTHON if match[1] else SourceKind.SHELL


def is_relevant(data: bytes) -> bool:
    """Returns whether the content mentions a framework or an environment variable with its flags."""
    return _RELEVANT.search(data) is not None
