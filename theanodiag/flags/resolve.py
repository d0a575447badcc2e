"""Resolves a configuration as the library does: every flag's value and origin, or the errors with which it refuses to start.

Precedence (Theano 1.0.5, Aesara 2.9.4, PyTensor 3.3.7, configparser.py: fetch_val_for_key, ConfigParam.__get__): the flags variable, then
the section of the rc files (the last file wins), then the default. Flags are registered one by one, and each is read and checked at once,
so the first invalid one in the order of the table is the one that the library complains about.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence

from ..errors import Span
from ..unknown import Unknown
from .defaults import HostFacts, Unreadable, computed_default, load_table, number, warns_by_default
from .model import (
    Computed,
    Dialect,
    Entry,
    Failure,
    FailureKind,
    Flag,
    FlagKind,
    FlagValue,
    Host,
    Ignored,
    Place,
    ReadFile,
    Resolution,
    Setting,
    Why,
)
from .paths import NoHome, expand_pathlib, expand_user, join
from .rcfile_text import Endless, InterpolationError, interpolate
from .sources import Sources, VersionQuirks, quirks_of, read_sources
from .values import Refused, is_int, parse_value


def startup_failures(
    version: str, settings: Mapping[str, Setting], around: HostFacts, unreadable: Sequence[Unreadable]
) -> tuple[Failure, ...]:
    """The errors that the library raises at import after all flags were read, the first one first."""
    cxx = settings.get("cxx")
    if around.dialect is not Dialect.THEANO:
        needs_fusion = around.dialect is Dialect.AESARA or number(version) < (2, 10)
        return tuple(_fusion(settings.get("tensor.local_elemwise_fusion"))) if needs_fusion else ()
    if cxx is None or cxx.value == "":
        return ()
    # Only Theano compiles C code while it is imported.
    return (*_compiledir(settings, unreadable), *_compiler(cxx, settings, around))


def _fusion(setting: Setting | None) -> Iterator[Failure]:
    """Aesara 2.9.4, tensor/rewriting/math.py imports a name that tensor/rewriting/elemwise.py defines only with fusion."""
    if setting and setting.origin and setting.value is False:
        yield Failure(FailureKind.IMPORT, "ImportError", "cannot import name 'fuse_seqopt'", setting.origin.value_span, setting.flag)


def _compiledir(settings: Mapping[str, Setting], unreadable: Sequence[Unreadable]) -> Iterator[Failure]:
    """Theano 1.0.5, gof/lazylinker_c.py reads compiledir at import; Aesara and PyTensor do so later."""
    for error in unreadable[:1]:
        setting = settings["compiledir_format" if "compiledir_format" in str(error) else "base_compiledir"]
        span = setting.origin.value_span if setting.origin else None
        yield Failure(FailureKind.IMPORT, error.exception, str(error), span, setting.flag)


def _compiler(cxx: Setting, settings: Mapping[str, Setting], around: HostFacts) -> Iterator[Failure]:
    """The error for a missing compiler: Theano 1.0.5, gof/vm.py asserts that the C code could be compiled, unless it is cached."""
    disk, compiledir = around.host.disk, settings["compiledir"].value
    if disk is None or not cxx.origin or around.host.cxx == "" or isinstance(compiledir, Unknown):
        return
    cached = join(str(compiledir), "lazylinker_ext", "lazylinker_ext.so")
    if not disk.program(str(cxx.value), around.environ.get("PATH", "")) and not disk.exists(cached):
        message = f"[Errno 2] No such file or directory: {cxx.value!r}"
        yield Failure(FailureKind.IMPORT, "AssertionError", message, cxx.origin.value_span, cxx.flag)


ENVIRONMENT_NAMES = ("LSCRATCH", "TMPDIR", "TEMP", "TMP")
"""Environment variables that `%(NAME)s` may refer to (empty where they are not set), beside USER and PID."""


def resolve(dialect: Dialect, version: str | None, environ: Mapping[str, str], read_file: ReadFile, host: Host) -> Resolution:
    """Resolves the flags variable and rc files of `environ` as that version of the library does; None: the newest version."""
    table = load_table(dialect, version)
    quirks = quirks_of(dialect, version or table.version)
    sources = read_sources(dialect, environ, read_file, host, quirks)
    resolver = _Resolver(dialect, environ, host, quirks, sources)
    for flag in table.flags:
        resolver.add(flag)
    late = startup_failures(table.version, resolver.settings, resolver.around, resolver.unreadable)
    failures = (*sources.failures, *resolver.failures, *late)
    settings = tuple(resolver.settings.values())
    return Resolution(table, settings, sources.files, sources.entries, _ignored(settings, sources, quirks), failures)


class _Resolver:
    """Reads the flags one by one, in the library's order, and collects their settings and errors."""

    def __init__(self, dialect: Dialect, environ: Mapping[str, str], host: Host, quirks: VersionQuirks, sources: Sources) -> None:
        self.environ = environ
        self.host = host
        self.quirks = quirks
        self.sources = sources
        self.settings: dict[str, Setting] = {}
        self.failures: list[Failure] = []
        self.unreadable: list[Unreadable] = []
        self.around = HostFacts(dialect, environ, host, self._value, quirks.pathlib_flags)

    def add(self, flag: Flag) -> None:
        """Reads and checks one flag."""
        if flag.dotted == "openmp":
            self._check_threads()
        candidates = self._candidates(flag)
        if not candidates:
            self.settings[flag.dotted] = Setting(flag, self._default(flag), None, None)
            return
        origin, overridden = candidates[0], tuple(candidates[1:])
        try:
            text = self._text(origin, flag)
        except Endless as reason:
            self.settings[flag.dotted] = Setting(flag, Unknown(str(reason)), None, origin, overridden)
            return
        try:
            value: FlagValue | Unknown = self._parsed(flag, text)
        except Refused as refused:
            value = Unknown(f"refused: {refused}")
            self.failures.append(Failure(refused.kind, refused.exception, str(refused), origin.value_span, flag))
        self.settings[flag.dotted] = Setting(flag, value, text, origin, overridden)

    def _check_threads(self) -> None:
        """Checks OMP_NUM_THREADS, which every version reads before `openmp` (1.0.5, configdefaults.py), though it makes no use of it."""
        text = self.environ.get("OMP_NUM_THREADS", "")
        if text and not is_int(text):
            message = f"The environment variable OMP_NUM_THREADS should be a number, got '{text}'."
            span = Span("OMP_NUM_THREADS", text, 0, len(text))
            self.failures.append(Failure(FailureKind.ENVIRONMENT, "TypeError", message, span))

    def _value(self, dotted: str) -> FlagValue | Unknown:
        """The value of a flag that was read already; Unknown for others."""
        setting = self.settings.get(dotted)
        return setting.value if setting else Unknown(f"{dotted} is read later")

    def _candidates(self, flag: Flag) -> list[Entry]:
        """The entries for the flag, the one with the highest precedence first."""
        given = self.sources.in_variable(flag.name)
        if flag.section.count(".") and not self.quirks.nested_sections:
            return given
        return given + self.sources.in_section(flag.section, flag.option)

    def _text(self, origin: Entry, flag: Flag) -> str:
        """The value after interpolation; unchanged if interpolation fails. Raises `Endless`."""
        if origin.place is Place.VARIABLE or "%" not in origin.raw:
            return origin.raw
        try:
            return interpolate(origin.raw, ChainMap(*self.sources.options_of(flag.section), self._names(flag.section)))
        except Endless:
            raise
        except InterpolationError:
            return origin.raw

    def _names(self, section: str) -> dict[str, str]:
        """Name in lower case -> the text that replaces `%(NAME)s` in this section."""
        home = expand_user("~", self.environ, self.host)
        names = {"user": self.environ.get("USER", home.rpartition("/")[2])}
        if self.quirks.all_names:
            names.update({name.lower(): self.environ.get(name, "") for name in ENVIRONMENT_NAMES})
            names.update({"__name__": section} if self.host.python < (3,) else {})
            names["pid"] = "<PID>" if self.host.pid is None else str(self.host.pid)
        return names

    def _old_number(self, flag: Flag, text: str) -> bool:
        """Whether `text` is a number only to a later Python: `_` between digits (3.6), or digits of other scripts (3)."""
        numeric = flag.kind in (FlagKind.INT, FlagKind.FLOAT)
        return numeric and ((self.host.python < (3, 6) and "_" in text) or (self.host.python < (3,) and not text.isascii()))

    def _default(self, flag: Flag) -> FlagValue | Unknown:
        """The flag's default on this host; Unknown if it cannot be computed."""
        if flag.warns_before:
            return warns_by_default(flag, self._value("warn.ignore_bug_before"))
        if flag.without_cxx and self._choices(flag) == flag.without_cxx:
            return flag.without_cxx[0]
        if not isinstance(flag.default, Computed):
            return flag.default
        try:
            return computed_default(flag, self.around)
        except Unreadable as error:
            self.unreadable.append(error)
            return Unknown(f"reading it raises {error.exception}: {error}")

    def _choices(self, flag: Flag) -> tuple[str, ...]:
        """The valid values: fewer without a C++ compiler (1.0.5, configdefaults.py: g++ must exist, and cxx must be set)."""
        if flag.without_cxx and (self.host.cxx == "" or self._value("cxx") == ""):
            return flag.without_cxx
        return flag.choices

    def _parsed(self, flag: Flag, text: str) -> FlagValue:
        """The flag's value for a text, with paths expanded. Raises `Refused`."""
        if self._old_number(flag, text):
            raise Refused(f"Invalid value ({text!r}) for configuration variable '{flag.name}': this Python does not accept it as a number")
        value = parse_value(flag, text, self._choices(flag))
        if flag.kind not in (FlagKind.PATH, FlagKind.COMPILEDIR):
            return value
        path = self._expanded(flag, text)
        if flag.kind is FlagKind.PATH or self.host.disk is None:
            return path
        problem = self.host.disk.unusable(path)
        if problem:
            raise Refused(f"{flag.name}: {problem}")
        return self.host.disk.realpath(path)

    def _expanded(self, flag: Flag, text: str) -> str:
        """A path with `~` expanded. Raises `Refused` where the library fails because the home folder is unknown."""
        if not self.quirks.pathlib_flags:
            return expand_user(text, self.environ, self.host)
        try:
            return expand_pathlib(text, self.environ, self.host)
        except NoHome as error:
            raise Refused(str(error), "RuntimeError") from None


def _ignored(settings: tuple[Setting, ...], sources: Sources, quirks: VersionQuirks) -> tuple[Ignored, ...]:
    """The entries without effect, each with the reason."""
    used = {id(s.origin) for s in settings}
    lost = {id(e) for s in settings for e in s.overridden} - used
    options = {s.flag.option.lower() for s in settings}
    valueless = {id(e) for e in sources.flags.valueless}
    ignored: list[Ignored] = []
    for entry in sources.entries:
        if id(entry) in lost:
            ignored.append(Ignored(entry, Why.OVERRIDDEN, False))
        elif id(entry) in valueless:
            ignored.append(Ignored(entry, Why.NO_VALUE, True))
        elif id(entry) not in used:
            misplaced = entry.place is Place.FILE and entry.key.lower() in options
            ignored.append(
                Ignored(entry, Why.SECTION if misplaced else Why.UNKNOWN, entry.place is Place.VARIABLE and quirks.warns_unknown)
            )
    return tuple(ignored)
