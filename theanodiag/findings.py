"""What a rule says: Finding, how bad, how sure, where, and the Fix; and what could not be looked at (Skipped)."""

from __future__ import annotations

import enum
import keyword
import re
from dataclasses import dataclass, field

from .errors import Span


class Severity(enum.IntEnum):
    """How bad it is if the finding is true."""

    INFO = 0
    WARNING = 1
    ERROR = 2


class Confidence(enum.IntEnum):
    """How sure the finding is, apart from how bad it would be."""

    GUESSED = 0
    BOUNDED = 1
    DERIVED = 2
    MEASURED = 3


class Disposition(enum.Enum):
    """Whether a fix may be written without being asked for by name."""

    SAFE = "safe"
    UNSAFE = "unsafe"


@dataclass(frozen=True)
class Location:
    """A place in a file, a flags string or a graph."""

    path: str
    """Path of the file, or the name of the environment variable."""
    line: int | None = None
    """1-based."""
    column: int | None = None
    """1-based, in characters."""
    detail: str | None = None
    """What there is at that place: a function, an op, a shared variable."""

    @staticmethod
    def of(span: Span) -> Location:
        """The start of `span`."""
        return Location(span.source, span.line, span.column)

    def __str__(self) -> str:
        parts = [self.path, *(str(n) for n in (self.line, self.column) if n is not None)]
        return ":".join(parts)


@dataclass(frozen=True)
class Edit:
    """Replace `text[start:end]` of the file or variable `source` by `replacement` (0-based character offsets)."""

    source: str
    start: int
    end: int
    replacement: str


@dataclass(frozen=True)
class Fix:
    """What to do about a finding, ready to paste; `edits` where it can be written for the user."""

    title: str
    disposition: Disposition = Disposition.UNSAFE
    code: str | None = None
    """Lines of Python, flags or shell to paste."""
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True)
class Figures:
    """The four sizes of one call, in bytes; each buffer counted once."""

    live_before_bytes: int
    live_peak_bytes: int
    live_after_bytes: int
    reserved_bytes: int
    """What was taken from the driver."""


@dataclass(frozen=True)
class Saving:
    """What following the advice saves."""

    bytes: int = 0
    """Of the peak that decides whether it fits: reserved on a device, live on the host."""
    seconds: float = 0.0
    """Of each call (or of each epoch, where the message says so), at the device's bandwidth."""
    simulated: object = field(default=None, compare=False, repr=False)
    """The changed script (a `memory.timeline.Simulated`), for what draws it; None where it was not simulated as a whole."""


@dataclass(frozen=True)
class Finding:
    """One thing a rule found. `code` is permanent: TD0 coverage, TD1 compatibility, TD2 flags, TD3 memory, TD4 numerics, TD5 transfers."""

    code: str
    severity: Severity
    confidence: Confidence
    message: str
    location: Location
    fix: Fix | None = None
    after: Figures | None = None
    """The figures once the advice is followed, from the same simulation."""
    saves: Saving | None = None
    """None where it is not known, or nothing is saved."""
    notes: tuple[str, ...] = ()
    """Further lines, such as a table of what-ifs: one line of text each. A table's lines have at most 76 columns; sentences are
    whole, however long."""
    cures: bool = False
    """Whether a script that does not fit fits once the advice is followed."""

    @property
    def kind(self) -> str:
        """Code and severity as every text shows them behind the place: `TD301 error`."""
        return f"{self.code} {self.severity.name.lower()}"


EXACT_FIGURES = "exact figures"
"""What is skipped where a text lacks shapes; the reason is the command that has a place for each."""


@dataclass(frozen=True)
class Skipped:
    """Something that could not be looked at: data that flows to every report, not a log line."""

    what: str
    reason: str
    lost: bool = False
    """Whether memory that the script takes is missing from the figures for it."""


def identifier(name: str | None, otherwise: str) -> str:
    """What code to paste calls something: its name where that is one of Python, else what is left of it, else `otherwise`.

    >>> identifier("W", "value"), identifier("my x[0]", "value"), identifier(None, "value")
    ('W', 'my_x_0', 'value')
    """
    text = "_".join(re.findall(r"[A-Za-z0-9_]+", name or ""))
    if not text.strip("_"):
        return otherwise
    if text[0].isdigit():
        text = f"_{text}"
    return f"{text}_" if keyword.iskeyword(text) else text


def remark(text: str) -> str:
    """A text within one line of a comment."""
    return " ".join(text.split())
