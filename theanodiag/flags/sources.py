"""Reads everything that the user wrote: the rc files in the library's order, and the flags variable."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import Span
from .defaults import number
from .flags_variable import parse_flags, split_flags
from .model import Dialect, Entry, Failure, FailureKind, Host, Place, RcFile, RcFileState, ReadFile
from .paths import NoHome, expand_pathlib, expand_user, rc_paths
from .rcfile import DEFAULT_SECTION, RcText, parse_rc, parse_rc2


@dataclass(frozen=True)
class FlagText:
    """The contents of a flags variable."""

    entries: tuple[Entry, ...]
    """The flags with `=`."""
    valueless: tuple[Entry, ...]
    """Words without `=`, which the library ignores with a warning. The word is the key, the value is empty."""
    failure: Failure | None
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
        failure = Failure(FailureKind.FLAGS_SYNTAX, "ValueError", message, Span(variable, text, start, len(text)))
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
    failures: tuple[Failure, ...]

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
        """The variable's entries for a flag, the last one first."""
        return list(self._placed.get((None, name), ()))

    def in_section(self, name: str, option: str) -> list[Entry]:
        """The files' entries for an option, the last one first; those of the section before those of `[DEFAULT]`."""
        if name not in self._sections:
            return []
        return [e for section in (name, DEFAULT_SECTION) for e in self._placed.get((section, option.lower()), ())]

    def options_of(self, name: str) -> tuple[dict[str, str], ...]:
        """Option -> raw value, for interpolation: of the section, and of `[DEFAULT]`, which has lower precedence."""
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


def _paths(dialect: Dialect, environ: Mapping[str, str], host: Host, quirks: VersionQuirks) -> tuple[list[str], Failure | None]:
    """(expanded paths of the rc files, None), or ([], the error raised where the home folder of an account is unknown)."""
    named = rc_paths(dialect, environ, host)
    if not quirks.pathlib_files:
        return [expand_user(path, environ, host) for path in named], None
    try:
        return [expand_pathlib(path, environ, host) for path in named], None
    except NoHome as error:
        text = environ.get(dialect.rc_variable, "")
        span = Span(dialect.rc_variable, text, 0, len(text)) if text else None
        return [], Failure(FailureKind.RC_PATH, "RuntimeError", str(error), span)


def _state(text: RcText | None, stopped: bool) -> RcFileState:
    """What the library does with a file: `text` is None if it does not exist; `stopped`: whether an earlier error ended reading."""
    if text is None:
        return RcFileState.MISSING
    if stopped:
        return RcFileState.UNREACHED
    return RcFileState.REFUSED if text.failure else RcFileState.READ


def read_rc(content: bytes, path: str, python: tuple[int, int]) -> RcText:
    """Decodes and parses one rc file. Python 3 rejects bytes that are not UTF-8: the file is then parsed as UTF-16 or Latin-1, with the
    error as its `failure`.
    """
    if python < (3,):
        return parse_rc2(_text(content), path)
    try:
        return parse_rc(content.decode("utf-8"), path, python)
    except UnicodeDecodeError as error:
        text = _widest(content)
        read = parse_rc(text, path, python)
        before = parse_rc(content[: error.start // CHUNK * CHUNK].rpartition(b"\n")[0].decode("utf-8"), path, python).failure
        at = min(error.start, max(0, len(text) - 1))
        failure = Failure(FailureKind.RC_ENCODING, "UnicodeDecodeError", str(error), Span(path, text, at, at + 1))
        early = before if before and before.exception != "ParsingError" else None
        return RcText(read.entries, read.sections, early or failure)


def _text(content: bytes) -> str:
    """The bytes decoded as UTF-8, else as Latin-1."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


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
    """The quirks of that version."""
    at = number(version)
    if dialect is Dialect.THEANO:
        return VersionQuirks(quoting=at >= (0, 7), all_names=at >= (0, 7), nested_sections=at >= (0, 8), warns_unknown=at >= (0, 8))
    if dialect is Dialect.AESARA:
        return VersionQuirks()
    return VersionQuirks(pathlib_files=at >= (2, 25), pathlib_flags=at >= (2, 25, 2))
