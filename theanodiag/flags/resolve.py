"""Reads everything that the user wrote (the rc files in the library's order, and the flags variable) and resolves it as the library does:
every flag's value and origin, or the errors with which it refuses to start.

Precedence (Theano 1.0.5, Aesara 2.9.4, PyTensor 3.3.7, configparser.py: fetch_val_for_key, ConfigParam.__get__): the flags variable, then
the section of the rc files (the last file wins), then the default. Flags are registered one by one, and each is read and checked at once,
so the first invalid one in the order of the table is the one that the library complains about.
"""

from __future__ import annotations

import functools
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..errors import Span
from ..files import decoded
from ..unknown import Unknown
from .defaults import (
    HostFacts,
    NoHome,
    Unreadable,
    computed_default,
    expand_pathlib,
    expand_user,
    join,
    load_table,
    number,
    rc_paths,
    warns_by_default,
)
from .flags_variable import parse_flags, split_flags
from .model import (
    Computed,
    Dialect,
    Entry,
    FailedStart,
    FailureKind,
    Flag,
    FlagKind,
    FlagValue,
    Host,
    Ignored,
    Place,
    RcFile,
    RcFileState,
    ReadFile,
    Resolution,
    Setting,
    Why,
)
from .rcfile import DEFAULT_SECTION, RcText, parse_rc, parse_rc2
from .rcfile_text import Endless, InterpolationError, interpolate
from .values import Refused, is_int, parse_value


@dataclass(frozen=True)
class FlagText:
    """The contents of a flags variable, parsed."""

    entries: tuple[Entry, ...]
    """The flags with `=`."""
    valueless: tuple[Entry, ...]
    """Words without `=`, which the library ignores with a warning. The word is the key, the value is empty."""
    failure: FailedStart | None
    """The error with which the library refuses to start; None where it starts."""


def read_flags(text: str, variable: str, quoting: bool = True) -> FlagText:
    """Reads `text`, the contents of the variable called `variable`; `quoting` is False for Theano 0.6."""
    flags = parse_flags(text, variable) if quoting else split_flags(text, variable)
    entries = [(e.value is not None, Entry(Place.VARIABLE, e.key, e.value or "", e.key_span, e.value_span)) for e in flags.entries]
    failure = None
    if flags.open_quote:
        # In the words of shlex.
        message = "No escaped character" if text[flags.open_quote.start] == "\\" else "No closing quotation"
        start = flags.entries[-1].span.end if flags.entries else 0
        failure = FailedStart(FailureKind.FLAGS_SYNTAX, "ValueError", message, Span(variable, text, start, len(text)))
    return FlagText(tuple(e for has, e in entries if has), tuple(e for has, e in entries if not has), failure)


CHUNK = 8192
"""Bytes that Python decodes at a time (io.TextIOWrapper): lines before the chunk with an undecodable byte are parsed before the error."""


@dataclass(frozen=True)
class Sources:
    """The files and the variable that were read, and the errors at which the library would stop while reading them."""

    files: tuple[RcFile, ...]
    texts: tuple[RcText, ...]
    """The contents of the files that could be read, in order."""
    flags: FlagText
    failures: tuple[FailedStart, ...]

    @functools.cached_property
    def entries(self) -> tuple[Entry, ...]:
        """All entries: those of the files, then those of the variable."""
        return tuple(e for text in self.texts for e in text.entries) + self.flags.entries + self.flags.valueless

    @functools.cached_property
    def _sections(self) -> frozenset[str]:
        """Names of the sections of all files."""
        return frozenset(name for text in self.texts for name in text.sections)

    @functools.cached_property
    def _placed(self) -> dict[tuple[str | None, str], list[Entry]]:
        """(section, option in lower case), or (None, name) for the variable -> entries, the last one first."""
        by_name: dict[tuple[str | None, str], list[Entry]] = {}
        for e in reversed([e for text in self.texts for e in text.entries]):
            by_name.setdefault((e.section, e.key.lower()), []).append(e)
        for e in reversed(self.flags.entries):
            by_name.setdefault((None, e.key), []).append(e)
        return by_name

    @functools.cached_property
    def _values(self) -> dict[str | None, dict[str, str]]:
        """Section -> option in lower case -> raw value; the last one in reading order."""
        by_section: dict[str | None, dict[str, str]] = {}
        for text in self.texts:
            for e in text.entries:
                by_section.setdefault(e.section, {})[e.key.lower()] = e.raw
        return by_section

    def in_variable(self, name: str) -> list[Entry]:
        """Returns the entries of the flags variable for a flag, the last one first."""
        return list(self._placed.get((None, name), ()))

    def in_section(self, name: str, option: str) -> list[Entry]:
        """Returns the entries of the files for an option, the last one first; entries of the section come before entries of `[DEFAULT]`."""
        if name not in self._sections:
            return []
        return [e for section in (name, DEFAULT_SECTION) for e in self._placed.get((section, option.lower()), ())]

    def options_of(self, name: str) -> tuple[dict[str, str], ...]:
        """Returns option -> raw value, for interpolation, from the section and from `[DEFAULT]`, which has lower precedence."""
        return tuple(self._values.get(section, {}) for section in (name, DEFAULT_SECTION))


def read_sources(dialect: Dialect, environ: Mapping[str, str], read_file: ReadFile, host: Host, quirks: VersionQuirks) -> Sources:
    """Reads the variable, then the files, as the library does (Theano 1.0.5, configparser.py)."""
    flags = read_flags(environ.get(dialect.flags_variable, ""), dialect.flags_variable, quirks.quoting)
    failures = [flags.failure] if flags.failure else []
    files: list[RcFile] = []
    texts: list[RcText] = []
    paths, problem = _paths(dialect, environ, host, quirks)
    if problem:
        failures.append(problem)
    for path in paths:
        content = read_file(path)
        text = None if content is None else read_rc(content, path, host.python)
        files.append(RcFile(path, _state(text, bool(failures))))
        if text:
            texts.append(text)
            failures.extend([text.failure] if text.failure else [])
    return Sources(tuple(files), tuple(texts), flags, tuple(failures))


def _paths(dialect: Dialect, environ: Mapping[str, str], host: Host, quirks: VersionQuirks) -> tuple[list[str], FailedStart | None]:
    """(expanded paths of the rc files, None), or ([], the error raised where the home folder of an account is unknown)."""
    named = rc_paths(dialect, environ, host)
    if not quirks.pathlib_files:
        return [expand_user(path, environ, host) for path in named], None
    try:
        return [expand_pathlib(path, environ, host) for path in named], None
    except NoHome as error:
        text = environ.get(dialect.rc_variable, "")
        span = Span(dialect.rc_variable, text, 0, len(text)) if text else None
        return [], FailedStart(FailureKind.RC_PATH, "RuntimeError", str(error), span)


def _state(text: RcText | None, stopped: bool) -> RcFileState:
    """What the library does with a file: `text` is None if it does not exist; `stopped`: whether an earlier error ended reading."""
    if text is None:
        return RcFileState.MISSING
    if stopped:
        return RcFileState.UNREACHED
    return RcFileState.REFUSED if text.failure else RcFileState.READ


def read_rc(content: bytes, path: str, python: tuple[int, int]) -> RcText:
    """Decodes and parses one rc file. Python 3 rejects bytes that are not UTF-8; such a file is parsed as UTF-16 or Latin-1, and the error
    is its `failure`.
    """
    if python < (3,):
        return parse_rc2(decoded(content), path)
    try:
        return parse_rc(content.decode("utf-8"), path, python)
    except UnicodeDecodeError as error:
        text = _widest(content)
        read = parse_rc(text, path, python)
        before = parse_rc(content[: error.start // CHUNK * CHUNK].rpartition(b"\n")[0].decode("utf-8"), path, python).failure
        at = min(error.start, max(0, len(text) - 1))
        failure = FailedStart(FailureKind.RC_ENCODING, "UnicodeDecodeError", str(error), Span(path, text, at, at + 1))
        early = before if before and before.exception != "ParsingError" else None
        return RcText(read.entries, read.sections, early or failure)


def _widest(content: bytes) -> str:
    """The bytes decoded as the user probably meant them: UTF-16 with a byte order mark, else Latin-1."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", "replace")
    return content.decode("latin-1")


@dataclass(frozen=True)
class VersionQuirks:
    """How one version of a library reads its flags variable and its rc files."""

    quoting: bool = True
    """Whether the variable is split by shlex; False (Theano 0.6): at every comma."""
    all_names: bool = True
    """Whether `%(TMPDIR)s` and the like may be used in files; False (Theano 0.6): only `%(USER)s`."""
    nested_sections: bool = True
    """Whether `[dnn.conv] algo_fwd` is read; False (Theano 0.6 and 0.7): names with two dots are only read from the variable."""
    warns_unknown: bool = True
    """Whether unknown flags in the variable cause a warning; False: Theano 0.6 and 0.7."""
    pathlib_files: bool = False
    """Whether paths of rc files are expanded by pathlib (PyTensor from 2.25.0), which raises for the home folder of an unknown account."""
    pathlib_flags: bool = False
    """Whether flags that are paths are expanded by pathlib (PyTensor from 2.25.2)."""


def quirks_of(dialect: Dialect, version: str) -> VersionQuirks:
    """Returns the quirks of that version."""
    at = number(version)
    if dialect is Dialect.THEANO:
        return VersionQuirks(quoting=at >= (0, 7), all_names=at >= (0, 7), nested_sections=at >= (0, 8), warns_unknown=at >= (0, 8))
    if dialect is Dialect.AESARA:
        return VersionQuirks()
    return VersionQuirks(pathlib_files=at >= (2, 25), pathlib_flags=at >= (2, 25, 2))


def startup_failures(
    version: str, settings: Mapping[str, Setting], around: HostFacts, unreadable: Sequence[Unreadable]
) -> tuple[FailedStart, ...]:
    """Returns the errors that the library raises at import after it has read all flags, the first one first."""
    cxx = settings.get("cxx")
    if around.dialect is not Dialect.THEANO:
        needs_fusion = around.dialect is Dialect.AESARA or number(version) < (2, 10)
        return tuple(_fusion(settings.get("tensor.local_elemwise_fusion"))) if needs_fusion else ()
    if cxx is None or cxx.value == "":
        return ()
    # Only Theano compiles C code while it is imported.
    return (*_compiledir(settings, unreadable), *_compiler(cxx, settings, around))


def _fusion(setting: Setting | None) -> Iterator[FailedStart]:
    """Aesara 2.9.4, tensor/rewriting/math.py imports a name that tensor/rewriting/elemwise.py defines only with fusion."""
    if setting and setting.origin and setting.value is False:
        yield FailedStart(FailureKind.IMPORT, "ImportError", "cannot import name 'fuse_seqopt'", setting.origin.value_span, setting.flag)


def _compiledir(settings: Mapping[str, Setting], unreadable: Sequence[Unreadable]) -> Iterator[FailedStart]:
    """Theano 1.0.5, gof/lazylinker_c.py reads compiledir at import; Aesara and PyTensor do so later."""
    for error in unreadable[:1]:
        setting = settings["compiledir_format" if "compiledir_format" in str(error) else "base_compiledir"]
        span = setting.origin.value_span if setting.origin else None
        yield FailedStart(FailureKind.IMPORT, error.exception, str(error), span, setting.flag)


def _compiler(cxx: Setting, settings: Mapping[str, Setting], around: HostFacts) -> Iterator[FailedStart]:
    """The error for a missing compiler: Theano 1.0.5, gof/vm.py asserts that the C code could be compiled, unless it is cached."""
    disk, compiledir = around.host.disk, settings["compiledir"].value
    if disk is None or not cxx.origin or around.host.cxx == "" or isinstance(compiledir, Unknown):
        return
    cached = join(str(compiledir), "lazylinker_ext", "lazylinker_ext.so")
    if not disk.program(str(cxx.value), around.environ.get("PATH", "")) and not disk.exists(cached):
        message = f"[Errno 2] No such file or directory: {cxx.value!r}"
        yield FailedStart(FailureKind.IMPORT, "AssertionError", message, cxx.origin.value_span, cxx.flag)


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
    return Resolution(table, settings, sources.files, _ignored(settings, sources, quirks), failures)


class _Resolver:
    """Reads the flags one by one, in the library's order, and collects their settings and errors."""

    def __init__(self, dialect: Dialect, environ: Mapping[str, str], host: Host, quirks: VersionQuirks, sources: Sources) -> None:
        self.environ = environ
        self.host = host
        self.quirks = quirks
        self.sources = sources
        self.settings: dict[str, Setting] = {}
        self.failures: list[FailedStart] = []
        self.unreadable: list[Unreadable] = []
        self.around = HostFacts(dialect, environ, host, self._value, quirks.pathlib_flags)

    def add(self, flag: Flag) -> None:
        """Reads one flag and checks its value."""
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
            self.failures.append(FailedStart(refused.kind, refused.exception, str(refused), origin.value_span, flag))
        self.settings[flag.dotted] = Setting(flag, value, text, origin, overridden)

    def _check_threads(self) -> None:
        """Checks OMP_NUM_THREADS, which every version reads before `openmp` (1.0.5, configdefaults.py), though it makes no use of it."""
        text = self.environ.get("OMP_NUM_THREADS", "")
        if text and not is_int(text):
            message = f"The environment variable OMP_NUM_THREADS should be a number, got '{text}'."
            span = Span("OMP_NUM_THREADS", text, 0, len(text))
            self.failures.append(FailedStart(FailureKind.ENVIRONMENT, "TypeError", message, span))

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
        path = self._expanded(text)
        if flag.kind is FlagKind.PATH or self.host.disk is None:
            return path
        problem = self.host.disk.unusable(path)
        if problem:
            raise Refused(f"{flag.name}: {problem}")
        return self.host.disk.realpath(path)

    def _expanded(self, text: str) -> str:
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
