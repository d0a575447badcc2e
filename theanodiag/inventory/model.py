"""What is known of each file of a scan."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..findings import Finding


class SourceKind(enum.Enum):
    """What a file is, by its name and first line."""

    PYTHON = "python"
    NOTEBOOK = "notebook"
    RC = "rc file"
    SHELL = "shell script"
    CONTAINER = "container file"
    SETTINGS = "settings file"
    """A Makefile, YAML, TOML or INI file: only the flags in it count."""


class FileState(enum.Enum):
    """What became of a file. Every file that a scan looks at is in exactly one."""

    READ = "read"
    """It names a framework, or sets its flags, and was read to its end."""
    IRRELEVANT = "irrelevant"
    """It names no framework and sets no flags."""
    FAILED = "failed"
    """It could not be opened or parsed; `FileFacts.reason` says why."""
    SKIPPED = "skipped"
    """It was left out on purpose; `FileFacts.reason` says why."""


@dataclass(frozen=True)
class NameCounts:
    """Uses of names that PyTensor calls otherwise, by what `theanodiag port` does with them."""

    safe: int = 0
    """Moved without a change of meaning (TD101)."""
    unsafe: int = 0
    """Moved only with `--unsafe`: something else may be computed (TD102)."""
    by_hand: int = 0
    """Left to be moved by hand (TD103)."""


@dataclass(frozen=True)
class CardRun:
    """The result of `check` for a script on one card."""

    fits: bool | None
    """None where sizes are unknown that decide it."""
    peak_bytes: int | None
    """What the process takes from the device at most; None where no function was compiled."""
    verdict: str = ""
    """The verdict of `check` in one line."""


@dataclass(frozen=True)
class ScriptRun:
    """How a script went under `check`, in a process of its own."""

    outcome: str
    """"ran", "failed", "timed out", "out of memory", "no framework", or "not run" where nobody was left to run it."""
    reason: str = ""
    """The last line of what it said, where it did not run."""
    seconds: float = 0.0
    cards: Mapping[str, CardRun] = field(default_factory=dict)
    """By the name of the card as it was asked for; empty where the script did not run."""
    findings: tuple[Finding, ...] = ()
    """What its reports found, on all cards."""


@dataclass(frozen=True)
class FileFacts:
    """What a scan knows of one file."""

    path: str
    """As seen from the folder of the scan, with forward slashes."""
    kind: SourceKind
    state: FileState
    reason: str = ""
    """Why it failed or was skipped; empty else."""
    lines: int = 0
    python: int | None = None
    """2 or 3: the Python that the source is written for; None for what is no Python."""
    frameworks: tuple[str, ...] = ()
    """What it imports of theano, aesara, pytensor, pymc3, pymc, lasagne and keras, in that order."""
    releases: str = ""
    """The series of Theano that have all names used, such as "0.6-0.9"; "none" where no series has all; empty for what uses no Theano."""
    gpu: bool = False
    """Whether it names Theano's GPU modules or a GPU in its flags."""
    names: NameCounts = NameCounts()
    findings: tuple[Finding, ...] = ()
    run: ScriptRun | None = None
    """None where the script was not run."""
