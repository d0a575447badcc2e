"""What a port is made of: where it goes, each change with its safety, and the report of a file."""

from __future__ import annotations

import enum
import re
from collections import Counter
from dataclasses import dataclass

from ..errors import Span
from ..escaping import visible

FRAMEWORKS = {"pytensor": "pytensor", "aesara": "aesara", "pymc": "pytensor"}
"""Where a source may be moved to -> the framework whose names it has then."""


class Safety(enum.Enum):
    """How sure a change is."""

    SAFE = "safe"
    """The same graph, or the same values to the last places of a float."""
    UNSAFE = "unsafe"
    """What is computed may differ: the change says where. Written only where it was asked for."""
    BY_HAND = "by hand"
    """Nothing is written: the change says what to write."""


class Style(enum.Enum):
    """What is written where the target has another form for a name."""

    NATIVE = "native"
    """The target's own functions; a piece of `theanodiag.compat` only where there are none."""
    COMPAT = "compat"
    """The piece of `theanodiag.compat` that computes what the old name did."""


@dataclass(frozen=True)
class PortOptions:
    """What the user asked for."""

    target: str = "pytensor"
    """`aesara` or `pytensor`."""
    style: Style = Style.NATIVE
    unsafe: bool = False
    """Whether changes are written that may compute something else."""
    python2to3: bool = False
    """Whether a source of Python 2 is translated to Python 3 first."""


@dataclass(frozen=True)
class PortEdit:
    """Replace `text[start:end]` by `replacement` (0-based character offsets)."""

    start: int
    end: int
    replacement: str


@dataclass(frozen=True)
class Change:
    """One thing that is changed, or has to be changed by hand."""

    span: Span
    """The place in the old text."""
    name: str
    """The full dotted name it is about, such as `theano.tensor.nnet.conv2d`."""
    safety: Safety
    reason: str
    """Why the change is made; for one that is not safe, what may differ."""
    advice: str
    """What is written, or what to write by hand."""
    code: str
    """Of the finding: TD101 safe, TD102 unsafe, TD103 by hand."""


CODES = {Safety.SAFE: "TD101", Safety.UNSAFE: "TD102", Safety.BY_HAND: "TD103"}
"""The code of the finding that a change is shown as."""


_PIECE = re.compile(r"\bfrom theanodiag(?:\.(?:legacy|compat)[\w.]*)? import\b|\bimport theanodiag\b")


@dataclass(frozen=True, repr=False)
class FileReport:
    """What became of one file."""

    path: str
    before: str
    """The text as it was."""
    after: str
    """The text as it is to be; the same as `before` where nothing is changed."""
    changes: tuple[Change, ...] = ()
    """In the order of the text."""
    failure: str | None = None
    """Why the file could not be looked at; None where it could."""
    bug: bool = False
    """Whether that is a fault of theanodiag's own."""
    skipped: str | None = None
    """Why it was not looked at: it is a link that leaves what was named; None where it was."""

    def __repr__(self) -> str:
        if self.failure is not None or self.skipped is not None:
            return visible(f"<FileReport of {self.path}: {self.failure or self.skipped}>")
        return visible(f"<FileReport of {self.path}: {', '.join(f'{self.count(safety)} {safety.value}' for safety in Safety)}>")

    @property
    def changed(self) -> bool:
        """Whether there is anything to write."""
        return self.before != self.after

    @property
    def needs_theanodiag(self) -> bool:
        """Whether the moved source imports pieces of theanodiag, which has to be installed where it runs."""
        return _PIECE.search(self.after) is not None

    def count(self, safety: Safety) -> int:
        """Changes of that safety."""
        return Counter(c.safety for c in self.changes)[safety]


@dataclass(frozen=True)
class Proof:
    """What the proof of one changed file came to."""

    proved: bool
    """Whether each script that runs the file computes the same, and there is one."""
    scripts: tuple[str, ...]
    """The scripts that run it."""
    values: int
    """Values that were compared and are equal, in all of these."""
    reason: str
    """Why it is not proved; empty where it is."""


@dataclass(frozen=True)
class Ported:
    """One source, as it is and as it is to be."""

    report: FileReport
    before: bytes
    after: bytes
