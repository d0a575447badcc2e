"""What rules report: `Finding` with severity, confidence, place and fix, and `Skipped` for what could not be examined."""

from __future__ import annotations

import enum
import keyword
import re
from dataclasses import dataclass, field
from typing import Union

from .errors import Span


class Severity(enum.IntEnum):
    """How bad the problem is, if the finding is true."""

    INFO = 0
    WARNING = 1
    ERROR = 2


class Confidence(enum.IntEnum):
    """How certain the finding is, whatever its severity."""

    GUESSED = 0
    """Rests on a guess."""
    BOUNDED = 1
    """Rests on upper or lower bounds."""
    DERIVED = 2
    """Computed from exact data."""
    MEASURED = 3
    """Measured in a real run."""


class Disposition(enum.Enum):
    """Whether a fix may be applied without being asked for by name."""

    SAFE = "safe"
    """It may: behaviour stays the same."""
    UNSAFE = "unsafe"
    """It may not."""


@dataclass(frozen=True)
class Location:
    """A place in a file, an environment variable or a graph."""

    path: str
    """Path of the file, or the name of the environment variable."""
    line: int | None = None
    """1-based."""
    column: int | None = None
    """1-based, in characters."""
    detail: str | None = None
    """The object at that place: a function, an Op, a shared variable."""

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
    """Path of the file, or name of the environment variable."""
    start: int
    end: int
    replacement: str


@dataclass(frozen=True)
class FlagChange:
    """A flag of the framework gets another value."""

    name: str
    """As the library spells it: `allow_gc`, `gpuarray.preallocate`."""
    value: str

    @staticmethod
    def parse(flags: str) -> tuple[FlagChange, ...]:
        """The changes that `allow_gc=True,scan.allow_gc=True` names."""
        return tuple(FlagChange(*flag.split("=", 1)) for flag in flags.split(",") if flag)


@dataclass(frozen=True)
class LengthChange:
    """A whole number that is written in the script, such as the size of a batch, becomes another one."""

    before: int
    after: int


@dataclass(frozen=True)
class DtypeChange:
    """Shared variables of the script are made of arrays of another dtype."""

    dtype: str
    lines: tuple[int, ...]
    """The lines of the script that make them, 1-based."""


Change = Union[FlagChange, LengthChange, DtypeChange]
"""A change of flags or of the script that can be made without a person."""


@dataclass(frozen=True)
class Fix:
    """What to do about a finding; `code` to paste, and `edits` where it can be applied automatically."""

    title: str
    """What to do, in a few words."""
    disposition: Disposition = Disposition.UNSAFE
    code: str | None = None
    """Lines of Python, flags or shell to paste."""
    edits: tuple[Edit, ...] = ()
    """Changes of files that apply the fix."""
    changes: tuple[Change, ...] = ()
    """The fix as changes of flags and of the script; empty where a person has to make them."""


@dataclass(frozen=True)
class Figures:
    """Live bytes before, at the peak of and after one call, and reserved bytes; a buffer shared by several Variables counts once."""

    live_before_bytes: int
    """Live bytes when the call begins."""
    live_peak_bytes: int
    """Highest number of live bytes during the call."""
    live_after_bytes: int
    """Live bytes when the call has ended."""
    reserved_bytes: int
    """Bytes taken from the driver."""


@dataclass(frozen=True)
class Saving:
    """What following a piece of advice saves."""

    bytes: int = 0
    """Bytes saved of the peak that decides whether the script fits: reserved bytes on a device, live bytes on the host."""
    seconds: float = 0.0
    """Seconds saved in each call (or epoch, where the message says so), at the device's bandwidth."""
    simulated: object = field(default=None, compare=False, repr=False)
    """The changed script (a `memory.timeline.Simulated`), for what draws it; None where it was not simulated as a whole."""


class Results(enum.Enum):
    """What a change does to the numbers that a script computes."""

    SAME = "the same results"
    ROUNDED = "the same results but for rounding"
    LESS_PRECISE = "less precise results"
    TRAINED_OTHERWISE = "it trains otherwise"
    APPROXIMATE = "the results are an approximation"


@dataclass(frozen=True)
class Cost:
    """What following a piece of advice costs."""

    results: Results = Results.SAME
    """What it does to the results."""
    seconds: float = 0.0
    """Seconds of copies to the device in each epoch, at the bandwidth of its bus; 0 where nothing is copied or the bus is not known."""
    work: str = ""
    """What the fix adds or does more often; empty: nothing."""

    def __str__(self) -> str:
        """`6.51 ms of copies an epoch; the same results`."""
        time = f"{self.seconds:.3g} s" if self.seconds >= 1 else f"{1000 * self.seconds:.3g} ms"
        copies = f"{time} of copies an epoch" if self.seconds else ""
        return "; ".join(filter(None, (copies, self.work, self.results.value)))


@dataclass(frozen=True)
class PlanStep:
    """One change of several that make a script fit together."""

    words: str
    """What to change."""
    code: str
    """Flags or lines of Python to paste."""
    after_bytes: int
    """The peak that decides whether the script fits, after this change and all before it."""
    cost: Cost
    changes: tuple[Change, ...] = ()
    """As for `Fix`."""


@dataclass(frozen=True)
class Finding:
    """One problem that a rule found.

    `code` is permanent: TD0 coverage, TD1 compatibility, TD2 flags, TD3 memory, TD4 numerics, TD5 transfers.
    """

    code: str
    """Code of the rule."""
    severity: Severity
    confidence: Confidence
    message: str
    """What was found, in one line."""
    location: Location
    fix: Fix | None = None
    """What to do about it; None where nothing can be proposed."""
    after: Figures | None = None
    """Figures once the advice is followed, from the same simulation."""
    saves: Saving | None = None
    """What following the advice saves; None where that is not known, or nothing."""
    notes: tuple[str, ...] = ()
    """Further lines, such as a table of alternatives. Table lines have at most 76 columns; sentences are one line each, of any length."""
    cures: bool = False
    """Whether following the advice makes a script fit that does not fit now."""
    minor: bool = False
    """Whether the text for people shows it only with `--verbose`: it is of every script, or helps little where much is missing."""
    cost: Cost | None = None
    """What following the advice costs; None where no change was simulated."""
    steps: tuple[PlanStep, ...] = ()
    """The changes, where the advice is several that belong together; empty where `fix` is the one."""

    @property
    def kind(self) -> str:
        """Code and severity as every text shows them behind the place: `TD301 error`."""
        return f"{self.code} {self.severity.name.lower()}"


EXACT_FIGURES = "exact figures"
"""The `Skipped.what` of a text without shapes; its reason is the command that lets the user give them."""


@dataclass(frozen=True)
class Skipped:
    """Something that could not be examined, and why; every report shows it."""

    what: str
    """What could not be examined."""
    reason: str
    """Why not, and where possible what to do."""
    lost: bool = False
    """Whether memory that the script needs is missing from the figures for this reason."""


def identifier(name: str | None, otherwise: str) -> str:
    """A Python identifier made from `name` for code to paste; `otherwise` where no letter or digit is left.

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
    """`text` on one line, for a comment."""
    return " ".join(text.split())
