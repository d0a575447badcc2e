"""The results of rules: `Finding` with severity, confidence, place and fix, and `Skipped` for what could not be examined."""

from __future__ import annotations

import enum
import keyword
import re
from dataclasses import dataclass, field
from typing import Union

from .errors import Span


class Severity(enum.IntEnum):
    """How serious the problem is if the finding is true."""

    INFO = 0
    WARNING = 1
    ERROR = 2


class Confidence(enum.IntEnum):
    """How certain the finding is, independent of its severity."""

    GUESSED = 0
    """Based on a guess."""
    BOUNDED = 1
    """Based on upper or lower bounds."""
    DERIVED = 2
    """Computed from exact data."""
    MEASURED = 3
    """Measured in a real run."""


class Disposition(enum.Enum):
    """Whether a fix may be applied without a request that names the fix's rule."""

    SAFE = "safe"
    """It may: the script's behaviour stays the same."""
    UNSAFE = "unsafe"
    """It may not: the script's behaviour may change."""


_CELL = re.compile(r"(.*\.ipynb), cell (\d+)", re.S)
"""Matches the name of a notebook's cell, as in tracebacks (`compat/running/notebook.py`)."""


@dataclass(frozen=True)
class Location:
    """A place in a file, an environment variable or a graph."""

    path: str
    """Path of the file, such as `model.py`; of a notebook's cell (`model.ipynb, cell 3`); or the name of the environment variable."""
    line: int | None = None
    """Line number, 1-based."""
    column: int | None = None
    """Column number, 1-based, in characters."""
    detail: str | None = None
    """The object at that place: a function, an Op, a shared variable."""

    @staticmethod
    def of(span: Span) -> Location:
        """Returns the place at which `span` starts."""
        return Location(span.source, span.line, span.column)

    @property
    def cell(self) -> int | None:
        """The number of the notebook's cell that this place is in, from 1; None if it is in no notebook."""
        cell = _CELL.fullmatch(self.path)
        return int(cell[2]) if cell else None

    def in_file(self) -> Location:
        """Converts the place for a format that knows only files: the cell of a notebook, and the line in it, become part of `detail`."""
        if self.cell is None:
            return self
        line = None if self.line is None else f"line {self.line}"
        return Location(_CELL.sub(r"\1", self.path), detail=", ".join(filter(None, (f"cell {self.cell}", line, self.detail))))

    def __str__(self) -> str:
        parts = [self.path, *(str(n) for n in (self.line, self.column) if n is not None)]
        return ":".join(parts)


@dataclass(frozen=True)
class Edit:
    """An edit that replaces `text[start:end]` of the file or variable `source` by `replacement` (0-based character offsets)."""

    source: str
    """Path of the file, or name of the environment variable."""
    start: int
    end: int
    replacement: str


@dataclass(frozen=True)
class FlagChange:
    """A new value for one of the framework's flags."""

    name: str
    """Name of the flag in the framework's spelling, such as `allow_gc` or `gpuarray.preallocate`."""
    value: str

    @staticmethod
    def parse(flags: str) -> tuple[FlagChange, ...]:
        """Parses changes of flags, such as `allow_gc=True,scan.allow_gc=True`."""
        return tuple(FlagChange(*flag.split("=", 1)) for flag in flags.split(",") if flag)


@dataclass(frozen=True)
class LengthChange:
    """A new value for an integer literal in the script, such as the batch size."""

    before: int
    after: int


@dataclass(frozen=True)
class DtypeChange:
    """A new dtype for the arrays from which the script makes shared variables."""

    dtype: str
    lines: tuple[int, ...]
    """Line numbers of the script that create these shared variables, 1-based."""


Change = Union[FlagChange, LengthChange, DtypeChange]
"""A change of a flag or of the script that can be applied automatically."""


@dataclass(frozen=True)
class Fix:
    """How to resolve a finding: `code` to paste, and `edits` if it can be applied automatically."""

    title: str
    """Short description of the fix."""
    disposition: Disposition = Disposition.UNSAFE
    code: str | None = None
    """Python code, flags or shell commands to paste."""
    edits: tuple[Edit, ...] = ()
    """Edits of files that apply the fix."""
    changes: tuple[Change, ...] = ()
    """The same fix as changes of flags and of the script; empty if only a person can make it."""


@dataclass(frozen=True)
class Figures:
    """Live bytes before, during (the peak) and after one call, and reserved bytes. A buffer that several Variables share counts once."""

    live_before_bytes: int
    """Live bytes when the call begins."""
    live_peak_bytes: int
    """Highest number of live bytes during the call."""
    live_after_bytes: int
    """Live bytes when the call ends."""
    reserved_bytes: int
    """Bytes that the allocator has taken from the driver."""

    def deciding_bytes(self, on_host: bool) -> int:
        """Returns the bytes that decide whether the call fits: the live peak on the host, reserved bytes on a device."""
        return self.live_peak_bytes if on_host else self.reserved_bytes


@dataclass(frozen=True)
class Saving:
    """Memory and time that a piece of advice saves."""

    bytes: int = 0
    """Reduction of the peak that decides whether the script fits, in bytes: reserved bytes on a device, live bytes on the host."""
    seconds: float = 0.0
    """Seconds saved in each call (or epoch, if the message says so), computed from the device's bandwidth."""
    simulated: object = field(default=None, compare=False, repr=False)
    """The simulation of the changed script (a `memory.timeline.Simulated`), from which its timeline is drawn; None if it was not
    simulated as a whole."""


class Results(enum.Enum):
    """How a change affects the numbers that a script computes."""

    SAME = "the same results"
    ROUNDED = "the same results except for rounding"
    SAME_FOR_MEANS = "the same results if the cost is a mean over the rows"
    LESS_PRECISE = "less precise results"
    FEWER_ROWS = "results of fewer rows, which may not join to those of all"
    TRAINED_OTHERWISE = "training then differs"
    APPROXIMATE = "the results are an approximation"


@dataclass(frozen=True)
class Cost:
    """What a piece of advice costs."""

    results: Results = Results.SAME
    """Effect on the numbers that the script computes."""
    seconds: float = 0.0
    """Seconds that copies to the device take in each epoch, at its bus bandwidth; 0 if nothing is copied or the bandwidth is unknown."""
    work: str = ""
    """Extra or repeated work that the fix causes; empty if there is none."""

    def __str__(self) -> str:
        """The cost as text, such as `6.51 ms of copies an epoch; the same results`."""
        time = f"{self.seconds:.3g} s" if self.seconds >= 1 else f"{1000 * self.seconds:.3g} ms"
        copies = f"{time} of copies an epoch" if self.seconds else ""
        return "; ".join(filter(None, (copies, self.work, self.results.value)))


@dataclass(frozen=True)
class PlanStep:
    """One of several changes that together make a script fit."""

    description: str
    """Description of the change."""
    code: str
    """Flags or lines of Python to paste."""
    after_bytes: int
    """Peak in bytes after this change and all earlier ones; it decides whether the script fits."""
    cost: Cost
    changes: tuple[Change, ...] = ()
    """The same change in the form of `Fix.changes`."""


@dataclass(frozen=True)
class Finding:
    """One problem that a rule found.

    `code` is permanent: TD0 coverage, TD1 compatibility, TD2 flags, TD3 memory, TD4 numerics, TD5 transfers.
    """

    code: str
    """Code of the rule that found it."""
    severity: Severity
    confidence: Confidence
    message: str
    """The problem, in one line."""
    location: Location
    fix: Fix | None = None
    """How to resolve it; None if no fix can be proposed."""
    after: Figures | None = None
    """Predicted figures after the fix, from the same simulation."""
    saves: Saving | None = None
    """Memory and time that the fix saves; None if this is unknown or nothing."""
    notes: tuple[str, ...] = ()
    """Further lines, such as a table of alternatives. Table lines have at most 76 columns; sentences are one line each, of any length."""
    cures: bool = False
    """Whether the fix makes a script fit that does not fit now."""
    minor: bool = False
    """Whether the text report shows it only with `--verbose`: it applies to every script, or helps little when much memory is missing."""
    cost: Cost | None = None
    """What the fix costs; None if no change was simulated."""
    steps: tuple[PlanStep, ...] = ()
    """The individual changes, if the advice consists of several that belong together; empty if `fix` is the only one."""

    @property
    def kind(self) -> str:
        """Code and severity as all text formats show them after the place, such as `TD301 error`."""
        return f"{self.code} {self.severity.name.lower()}"


EXACT_FIGURES = "exact figures"
"""Value of `Skipped.what` for a text without shapes; its reason is the command with which the user can give the shapes."""


@dataclass(frozen=True)
class Skipped:
    """Something that could not be examined, with the reason; every report lists it."""

    what: str
    """What could not be examined."""
    reason: str
    """Why it could not be examined and, where possible, what to do."""
    lost: bool = False
    """Whether the figures therefore leave out memory that the script needs."""


def identifier(name: str | None, otherwise: str) -> str:
    """Returns a valid Python identifier made from `name`, for code to paste; `otherwise` if `name` has no letter or digit.

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
    """Joins `text` into one line, so that it can stand in a comment of code to paste."""
    return " ".join(text.split())
