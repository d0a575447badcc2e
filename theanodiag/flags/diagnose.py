"""What the configuration rules share: the configuration to check, each entry with the flag it sets, and functions that create findings."""

from __future__ import annotations

import enum
import functools
from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import Span
from ..findings import Confidence, Disposition, Edit, Finding, Fix, Location, Severity
from .flags_variable import FlagsText
from .migrate_entry import label, was_live
from .model import Computed, Dialect, Flag, FlagTable, Resolution
from .names import COMMENTED, GPU_ONLY, dotted_name, elsewhere, flag_in_default, homes, rc_flag, same_words
from .rcfile import DEFAULT_SECTION
from .rcfile_text import Flaw, FlawKind, RcDocument, RcEntry, effective_text, used_names
from .translations import is_variable
from .values import accepts

# Why an entry sets no flag: each entry has exactly one reason, so that the rules report everything that a migration would change.

GPU_BACKEND = ("device", "init_gpu_device", "contexts", "lib.cnmem")
"""Flags without a prefix of their own that only Theano's GPU back-ends had."""


class Unread(enum.Enum):
    """Why the library reads no flag from an entry."""

    NO_VALUE = "a word of the variable without `=`"
    ENVIRONMENT = "the name of an environment variable"
    DEFAULT = "a flag in [DEFAULT] whose own section is not in the file"
    HELPER = "a name of the user's own in [DEFAULT]"
    GPU = "a flag of Theano's GPU back-ends, for a library without one"
    CNMEM = "lib.cnmem"
    NVCC = "an option of nvcc"
    CASE = "a flag of the variable in the wrong case"
    SEPARATOR = "a dot instead of `__`, or the other way round"
    REMOVED = "a flag that other versions have"
    SECTION = "a flag in the wrong section"
    NAME = "no flag of any version"


def why_unread(table: FlagTable, section: str | None, key: str, value: str | None) -> Unread:
    """Returns the reason why an entry sets no flag of `table`; `section` is None in a variable, `''` before the first header."""
    name = key.replace("__", ".") if section is None else dotted_name(section, key)
    if value is None:
        return Unread.NO_VALUE
    if is_variable(key):
        return Unread.ENVIRONMENT
    if section == DEFAULT_SECTION and not COMMENTED.search(key):
        return Unread.DEFAULT if meant_in_default(table, key) else Unread.HELPER
    live = was_live(name, section, key)
    dotted = section == "global" and "." in key.replace("__", ".")
    if section is not None and not live and not dotted and homes(table, name):
        return Unread.SECTION
    if table.dialect is not Dialect.THEANO and (name in GPU_BACKEND or name.startswith(GPU_ONLY)):
        return Unread.GPU
    if name == "lib.cnmem":
        return Unread.CNMEM
    if name.startswith("nvcc."):
        return Unread.NVCC
    return _by_name(table, section, key, live)


def _by_name(table: FlagTable, section: str | None, key: str, live: bool) -> Unread:
    """The reason that the name itself shows: case, separator, a removed flag, or an unknown name."""
    if section is None and any(flag.name.lower() == key.lower() for flag in table.flags):
        return Unread.CASE
    if section in (None, "", "global") and other_separator(table, key):
        return Unread.SEPARATOR
    return Unread.REMOVED if live else Unread.NAME


def other_separator(table: FlagTable, key: str) -> Flag | None:
    """Returns the flag whose name has several parts and equals this key except for dots, `__` and case; None if there is none."""
    flag = same_words(table, key)
    return flag if flag and "." in flag.dotted and flag.dotted.lower() == key.lower().replace("__", ".") else None


def meant_in_default(table: FlagTable, key: str) -> Flag | None:
    """Returns the flag that an option of `[DEFAULT]` may mean: a flag of `[global]`, or else the first flag with that option name in any
    section; None if there is none.
    """
    flags = elsewhere(table, key)
    return rc_flag(table, "global", key) or next((f for f in flags if f.option.lower() == key.lower()), None)


@dataclass(frozen=True)
class MachineFacts:
    """Facts about the machine that a configuration does not contain; empty or None if unknown."""

    network_folders: tuple[str, ...] = ()
    """Folders known to be on a network disk."""
    numpy: tuple[int, int] | None = None
    """Version of numpy in the user's environment."""
    missing_files: tuple[str, ...] = ()
    """Paths in the rc environment variable that cannot be opened."""
    misnamed_files: tuple[str, ...] = ()
    """Files in the place where the library looks for its rc file, but with names that it does not read."""
    installed: bool = True
    """Whether the library is installed in the user's environment, or was named by the user."""
    translated: tuple[str, ...] = ()
    """Names of other libraries' flags variables whose flags were translated for this library, which runs in their place."""


@dataclass(frozen=True)
class WrittenEntry:
    """One entry of a file or of the flags variable, with the flag that it sets."""

    section: str | None
    """The section as written; None in the variable."""
    key: str
    """The name as written."""
    value: str | None
    """The value before interpolation; None for a flag without `=`."""
    flag: Flag | None
    """The flag that it sets; None if the library knows no such flag."""
    span: Span
    key_span: Span
    value_span: Span

    @property
    def name(self) -> str:
        """The dotted name: `section.key`, or the key with `__` as dots."""
        return self.key.replace("__", ".") if self.section is None else dotted_name(self.section, self.key)

    @property
    def shown(self) -> str:
        """Returns the entry's name for messages: `[section] key` in a file, or only the key."""
        return f"[{self.section}] {self.key}" if self.section else self.key


@dataclass(frozen=True)
class ConfigSubject:
    """The configuration that a rule checks: files, flags variable, environment, and how the library resolves them."""

    resolution: Resolution
    """How the library resolves the configuration."""
    documents: tuple[RcDocument, ...] = ()
    """The existing rc files in reading order."""
    variable: FlagsText | None = None
    """The flags variable; None where it is not set."""
    environ: tuple[tuple[str, str], ...] = ()
    """(name, text) of the relevant environment variables."""
    context: MachineFacts = MachineFacts()
    """Facts about the machine."""
    elsewhere: frozenset[str] = frozenset()
    """Dotted names of flags that may be set in unread places: their values are unknown unless they are set here."""
    anything_elsewhere: bool = False
    """Whether any flag may be set elsewhere: the variable contains unknown parts."""

    @property
    def table(self) -> FlagTable:
        """The flags of the library and version under check."""
        return self.resolution.table

    @property
    def dialect(self) -> Dialect:
        """The library whose flags are checked."""
        return self.table.dialect

    @property
    def library(self) -> str:
        """The library and its version, for messages."""
        return label(self.table)

    @functools.cached_property
    def written(self) -> tuple[WrittenEntry, ...]:
        """Every entry: those of the files in reading order, then those of the variable."""
        return (*(w for d in self.documents for w in _of_document(d, self.table)), *_of_variable(self.variable, self.table))

    def flaws(self, kind: FlawKind) -> tuple[Flaw, ...]:
        """Returns the flaws of one kind in all files: places that the library's parser rejects."""
        return tuple(flaw for document in self.documents for flaw in document.flaws if flaw.kind is kind)

    def unread(self, why: Unread) -> tuple[WrittenEntry, ...]:
        """Returns the entries that set no flag of the library for this reason, except options that other values use as `%(name)s`."""
        return self._unread.get(why, ())

    @functools.cached_property
    def _unread(self) -> dict[Unread, tuple[WrittenEntry, ...]]:
        """Reason -> entries that set no flag for this reason."""
        by_reason: dict[Unread, list[WrittenEntry]] = {}
        for w in self.written:
            if w.flag is None and not self.used(w):
                by_reason.setdefault(why_unread(self.table, w.section, w.key, w.value), []).append(w)
        return {why: tuple(entries) for why, entries in by_reason.items()}

    def effective(self) -> tuple[WrittenEntry, ...]:
        """Returns the entries that take effect, which are the winners of the flags that are set."""
        return tuple(w for w in self.written if w.flag and w.value is not None and self.winner(w.flag.dotted) is w)

    def interpolated(self, w: WrittenEntry) -> str:
        """Returns the text of an entry after interpolation."""
        place = self._entries.get((w.span.source, w.span.start)) if w.section is not None else None
        return effective_text(*place) if place else w.value or ""

    @functools.cached_property
    def _entries(self) -> dict[tuple[str, int], tuple[RcDocument, RcEntry]]:
        """(file, offset of the entry) -> its document and its entry."""
        return {(d.source, e.span.start): (d, e) for d in self.documents for e in d.entries}

    def used(self, w: WrittenEntry) -> bool:
        """Returns whether a value in the same file refers to this entry as `%(name)s`."""
        return (w.span.source, w.section, w.key.lower()) in self._used

    @functools.cached_property
    def _used(self) -> frozenset[tuple[str, str | None, str]]:
        """(file, section, name in lower case) of the options that values refer to."""
        return frozenset((d.source, *name) for d in self.documents for name in used_names(d))

    def warned(self, w: WrittenEntry) -> bool:
        """Returns whether the library itself warns that it ignores the entry."""
        return (w.section, w.key_span.start) in self._warned

    @functools.cached_property
    def _warned(self) -> frozenset[tuple[str | None, int]]:
        """(section, offset of the key) of the entries about which the library warns."""
        return frozenset((i.entry.section, i.entry.key_span.start) for i in self.resolution.ignored if i.warns)

    def is_taken(self, dotted: str) -> bool:
        """Returns whether the flag exists and the library accepts its final text; False if the text is not known."""
        flag, text = self.table.dotted(dotted), self.text(dotted)
        return flag is not None and text is not None and accepts(flag, text)

    def spell(self, dotted: str, value: str) -> str:
        """Returns `flag=value` as this library's variable spells it: `scan__allow_gc=True`."""
        flag = self.table.dotted(dotted)
        return f"{flag.name if flag else dotted}={value}"

    def clashes(self) -> bool:
        """Returns whether the mode is defined only for C linkers, but the linker is another one. (PyTensor, compile/mode.py: the predefined
        modes are keyed by mode and linker.)
        """
        own = ("jax", "numba", "pytorch", "mlx")
        return self.dialect is Dialect.PYTENSOR and self.text("mode") in ("FAST_RUN", "FAST_COMPILE") and self.text("linker") in own

    def env(self, name: str) -> str | None:
        """Returns the text of an environment variable; None if it is not set."""
        return dict(self.environ).get(name)

    def winner(self, dotted: str) -> WrittenEntry | None:
        """Returns the entry whose value takes effect for this flag, where the flag's own section takes precedence over `[DEFAULT]`. None if
        the flag is not set.
        """
        return self._winners.get(dotted)

    @functools.cached_property
    def _winners(self) -> dict[str, WrittenEntry]:
        """Dotted name -> the entry whose value takes effect."""
        settings = [w for w in self.written if w.flag and w.value is not None]
        ordered = sorted(settings, key=lambda w: w.section != DEFAULT_SECTION)
        return {w.flag.dotted: w for w in ordered if w.flag}

    def text(self, dotted: str) -> str | None:
        """Returns the final text of this flag, from the winning entry or the default. None if the version has no such flag or computes its
        default, or if something else may set the flag.
        """
        winner = self.winner(dotted)
        if winner:
            return winner.value
        if self.anything_elsewhere or dotted in self.elsewhere:
            return None
        flag = self.table.dotted(dotted)
        return None if flag is None or isinstance(flag.default, Computed) else str(flag.default)

    def is_on(self, dotted: str) -> bool:
        """Returns whether this BOOL flag is finally true."""
        return self.text(dotted) in ("True", "true", "1")

    def is_off(self, dotted: str) -> bool:
        """Returns whether this BOOL flag is finally false."""
        return self.text(dotted) in ("False", "false", "0")

    def number(self, dotted: str) -> float | None:
        """Returns the final value of this flag as a number; None if it is not a number."""
        try:
            return float(self.text(dotted) or "")
        except ValueError:
            return None

    @property
    def on_gpu(self) -> bool:
        """Whether the flag device names a GPU."""
        return (self.text("device") or "").startswith(("gpu", "cuda", "opencl"))


def _of_document(document: RcDocument, table: FlagTable) -> tuple[WrittenEntry, ...]:
    """The entries of a file."""
    names = {name: n for name, n in document.section_numbers.items() if name != DEFAULT_SECTION}
    return tuple(
        WrittenEntry(e.section, e.option, e.value, _meaning(table, e.section, e.key, names), e.span, e.name_span, e.value_span)
        for e in document.entries
    )


def _meaning(table: FlagTable, section: str, key: str, present: Mapping[str, int]) -> Flag | None:
    """The flag that an option sets; one in `[DEFAULT]` counts in every section that the file has."""
    return flag_in_default(table, key, present) if section == DEFAULT_SECTION else rc_flag(table, section, key)


def _of_variable(variable: FlagsText | None, table: FlagTable) -> tuple[WrittenEntry, ...]:
    """The entries of a flags variable."""
    entries = variable.entries if variable else ()
    return tuple(WrittenEntry(None, e.key, e.value, table.get(e.key), e.span, e.key_span, e.value_span) for e in entries)


def replace_span(span: Span, text: str) -> Edit:
    """Returns the edit that replaces the text at `span`."""
    return Edit(span.source, span.start, span.end, text)


def fix(title: str, *edits: Edit, code: str | None = None, safe: bool = False) -> Fix:
    """Makes a Fix from these edits. It is unsafe unless `safe` is true."""
    return Fix(title, Disposition.SAFE if safe else Disposition.UNSAFE, code, edits)


def finding(code: str, severity: Severity, where: Span | WrittenEntry, message: str, advice: Fix | None = None) -> Finding:
    """Makes a finding with a place in a file or in the flags variable."""
    location = Location.of(where.span if isinstance(where, WrittenEntry) else where)
    return Finding(code, severity, Confidence.DERIVED, message, location, advice)


def about(
    code: str, severity: Severity, subject: ConfigSubject, dotted: str, message: str, advice: Fix | None = None, *, instead: str = ""
) -> Finding:
    """Makes a finding about the flag `dotted`. Its place is the first of these that exists: the entry that sets the flag, the entry of the
    flag `instead`, the flags variable, the library.
    """
    entry = subject.winner(dotted) or (subject.winner(instead) if instead else None)
    if entry:
        return finding(code, severity, entry, message, advice)
    variable = subject.dialect.flags_variable
    where = Location(variable if subject.env(variable) else subject.library, detail=f"{dotted} is not set")
    return Finding(code, severity, Confidence.DERIVED, message, where, advice)
