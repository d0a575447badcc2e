"""The types of flags: what a library knows (Flag, FlagTable), what a user wrote (Entry), the outcome (Setting, Resolution)."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, Union

from ..errors import Span
from ..unknown import Unknown


class Dialect(enum.Enum):
    """A library with its own way to name flags. Theano-PyMC is treated as versions of Theano (1.0.15, 1.1.2)."""

    THEANO = "theano"
    AESARA = "aesara"
    PYTENSOR = "pytensor"

    @property
    def flags_variable(self) -> str:
        """The environment variable that holds flags, such as `THEANO_FLAGS`."""
        return f"{self.name}_FLAGS"

    @property
    def rc_variable(self) -> str:
        """The environment variable that holds paths of rc files, such as `THEANORC`."""
        return f"{self.name}RC"


class FlagKind(enum.Enum):
    """How a library converts the text of a flag to its value."""

    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    STR = "str"
    ENUM = "enum"
    """One of `Flag.choices`; case counts."""
    MODE = "mode"
    """One of `Flag.choices`, or a Mode object once the library is imported."""
    DEVICE = "device"
    """`Flag.default`, or a text with one of `Flag.choices` as prefix."""
    CONTEXTS = "contexts"
    """Pairs `name->device`, separated by `;`."""
    LAZY = "lazy"
    """`True`, `False` or `None`; case counts."""
    PATH = "path"
    """A text in which a leading `~` is expanded."""
    COMPILEDIR = "compiledir"
    """A path whose symbolic links are followed, and which is created."""
    RETIRED = "retired"
    """The flag was removed: any text but an empty one is refused (`gpuarray.sync`, `dnn.conv.workmem`)."""
    ANY = "any"
    """Any text, unchanged."""


@dataclass(frozen=True)
class Computed:
    """A default that the library computes at import."""

    how: str
    """What it is computed from, in words."""


FlagValue = Union[bool, int, float, str, None]
"""The type of a flag's value in the library; None occurs in `vm.lazy`."""


@dataclass(frozen=True)
class Flag:
    """One flag of a dialect, with one definition that holds from version `first` to `last`."""

    name: str
    """The library's spelling in its flags variable: `blas.ldflags` in Theano, `blas__ldflags` in Aesara and PyTensor."""
    dialect: Dialect
    first: str
    """The first version in our table with this definition."""
    last: str
    """The last version in our table with this definition."""
    kind: FlagKind
    default: FlagValue | Computed
    """The value without any entry, or how the library computes it."""
    choices: tuple[str, ...] = ()
    """Valid values of an ENUM or MODE, valid prefixes of a DEVICE; the default comes first."""
    check: str | None = None
    """A further condition on the value, one of `values.CHECKS` or a text condition, such as `> 0` or `in (0, 1, 2)`."""
    mutable: bool = True
    """Whether it may be changed after the import."""
    in_c_key: bool = True
    """Whether it is part of the key of the cache of compiled C code."""
    doc: str = ""
    """First sentence of the library's own description."""
    aliases: tuple[tuple[str, str], ...] = ()
    """(text, choice): texts that stand for a choice, such as `32` for `float32`."""
    without_cxx: tuple[str, ...] = ()
    """For an ENUM whose choices differ without a C++ compiler (`linker`): those choices, the default first."""
    warns_before: str | None = None
    """For a `warn.*` flag: it is on by default if `warn.ignore_bug_before` is older than this version of Theano."""

    @property
    def dotted(self) -> str:
        """The name with dots, the same in all dialects: `blas.ldflags`."""
        return self.name.replace("__", ".")

    @property
    def section(self) -> str:
        """Its section in an rc file, case as the library needs it; `global` if the name has none."""
        return self._parts[0]

    @property
    def option(self) -> str:
        """Its option name within the section."""
        return self._parts[1]

    @property
    def _parts(self) -> tuple[str, str]:
        # Names split at their last separator (Theano 1.0.5 and Aesara 2.9.4, configparser.py: fetch_val_for_key).
        separator = "." if self.dialect is Dialect.THEANO and "__" not in self.name else "__"
        section, mark, option = self.name.rpartition(separator)
        return (section, option) if mark else ("global", self.name)


@dataclass(frozen=True)
class FlagNote:
    """Hand-written advice on a flag."""

    name: str
    """Dotted name."""
    successor: str | None = None
    """Dotted name of the flag that replaces it where it is gone; None if nothing does."""
    note: str = ""
    meaning: str = ""
    """What it does, where the library's own description (`Flag.doc`) does not say enough."""


@dataclass(frozen=True, eq=False)
class FlagTable:
    """Every flag of one version, in the order in which the library reads them. The order matters because the library reports only the first
    invalid flag.

    There is one object per version; tables are compared by identity.
    """

    dialect: Dialect
    version: str
    """The version described: the one asked for, or the next later known one."""
    flags: tuple[Flag, ...]

    def get(self, name: str) -> Flag | None:
        """Returns the flag with this name in the library's own spelling, with upper and lower case as there. None if there is none."""
        return next((f for f in self.flags if f.name == name), None)

    def dotted(self, name: str) -> Flag | None:
        """Returns the flag with this dotted name; None if there is none."""
        return next((f for f in self.flags if f.dotted == name), None)


class Place(enum.Enum):
    """Whether an entry is in the flags variable or in an rc file."""

    VARIABLE = "variable"
    FILE = "file"


@dataclass(frozen=True)
class Entry:
    """One `name = value` that the user wrote, whether or not it sets a flag."""

    place: Place
    key: str
    """The name as written (in a file the library converts it to lower case)."""
    raw: str
    """The value before interpolation (in a variable: after quotes were removed)."""
    key_span: Span
    value_span: Span
    section: str | None = None
    """The section as written; None in a variable."""

    def __str__(self) -> str:
        return f"{self.key_span}: {f'[{self.section}] ' if self.section else ''}{self.key}"


class Why(enum.Enum):
    """Why an entry has no effect."""

    UNKNOWN = "no such flag in this version"
    SECTION = "no such flag in this section"
    OVERRIDDEN = "set again with precedence"
    NO_VALUE = "no `=`"


@dataclass(frozen=True)
class Ignored:
    """An entry that the library ignores."""

    entry: Entry
    why: Why
    """Why it has no effect."""
    warns: bool
    """Whether the library prints a warning about it."""


class RcFileState(enum.Enum):
    """What the library does with an rc file."""

    READ = "read"
    MISSING = "missing"
    """Not there, a folder, or not readable: silently ignored."""
    REFUSED = "refused"
    """The library refuses to start because of it."""
    UNREACHED = "unreached"
    """The library stopped at an earlier error."""


@dataclass(frozen=True)
class RcFile:
    """An rc file. Files are listed in reading order, and later files take precedence."""

    path: str
    """Path, with `~` expanded."""
    state: RcFileState


class FailureKind(enum.Enum):
    """The step in which the library refuses to start."""

    FLAGS_SYNTAX = "flags-syntax"
    """An unclosed quote or a trailing backslash in the flags variable."""
    RC_SYNTAX = "rc-syntax"
    """`configparser` refuses the file."""
    RC_ENCODING = "rc-encoding"
    """The file is not UTF-8."""
    RC_PATH = "rc-path"
    """A path names the home folder of an unknown account."""
    INVALID_VALUE = "invalid-value"
    REMOVED = "removed"
    """A flag or value that the version refuses as removed (`device=gpu0`, `dnn.conv.workmem`)."""
    ENVIRONMENT = "environment"
    """Another environment variable than the flags (`OMP_NUM_THREADS=many`)."""
    IMPORT = "import"
    """A valid value with which a later part of the import fails."""


@dataclass(frozen=True)
class FailedStart:
    """The error that the library raises instead of starting."""

    kind: FailureKind
    exception: str
    """Name of the exception class."""
    message: str
    """The library's message in substance."""
    span: Span | None = None
    """The text that causes it; None where no text does."""
    flag: Flag | None = None
    """The flag whose value causes it, if one does."""


@dataclass(frozen=True)
class Setting:
    """The value of one flag and its origin."""

    flag: Flag
    value: FlagValue | Unknown
    """Unknown where the library refuses the text, or computes the value from facts that were not given."""
    text: str | None
    """The text that the library parsed: `origin.raw` after interpolation; None for a default."""
    origin: Entry | None
    """The entry that set it; None for the library's default."""
    overridden: tuple[Entry, ...] = ()
    """Entries for the same flag that lost, the one with the highest precedence first."""

    @property
    def is_default(self) -> bool:
        """Whether no entry set it."""
        return self.origin is None


@dataclass(frozen=True)
class Resolution:
    """How a configuration was resolved: every flag's value, and the errors."""

    table: FlagTable
    settings: tuple[Setting, ...]
    """One for each flag of the table, in its order; where the library fails, as if it had continued."""
    files: tuple[RcFile, ...]
    """The rc files in reading order."""
    ignored: tuple[Ignored, ...]
    """The entries without effect."""
    failures: tuple[FailedStart, ...] = ()
    """All errors at which the library would stop, the first one first."""

    @property
    def failure(self) -> FailedStart | None:
        """The error that the library raises; None if it starts."""
        return self.failures[0] if self.failures else None

    @property
    def dialect(self) -> Dialect:
        """Returns the library whose flags were resolved."""
        return self.table.dialect

    @property
    def version(self) -> str:
        """The version of the table."""
        return self.table.version

    def get(self, dotted: str) -> Setting | None:
        """Returns the setting of the flag with this dotted name; None if the version has no such flag."""
        return next((s for s in self.settings if s.flag.dotted == dotted), None)


ReadFile = Callable[[str], Union[bytes, None]]
"""Returns the bytes of a file; None if it cannot be opened."""


class Disk(Protocol):
    """The queries about the file system that the library makes when it computes values."""

    def exists(self, path: str) -> bool:
        """Returns whether there is a file or folder."""

    def realpath(self, path: str) -> str:
        """Returns the absolute path with links followed."""

    def program(self, name: str, search: str) -> bool:
        """Returns whether an executable `name` exists in one of the folders of `search`, a text like `PATH`."""

    def unusable(self, path: str) -> str | None:
        """Returns why `path` can neither be used nor created as the compiledir; None if it can."""


@dataclass(frozen=True)
class Host:
    """Facts about the user's machine and interpreter on which values depend; None: unknown."""

    platform: str = "linux"
    """`sys.platform` of the interpreter."""
    python: tuple[int, int] = (3, 8)
    """Version of the interpreter that runs the library."""
    home: str | None = None
    """Home folder of the account, used where `HOME` is not set."""
    user_homes: tuple[tuple[str, str], ...] = ()
    """(account, home folder) of other accounts, for `~name`."""
    pid: int | None = None
    """Process id, for `%(PID)s`."""
    cxx: str | None = None
    """Full path of g++ (`clang++` on a Mac); "" if there is none; None: unknown."""
    facts: tuple[tuple[str, str], ...] = ()
    """Names that `compiledir_format` may use (`python_version`, `processor`...) and their values; empty if unknown."""
    disk: Disk | None = None
    """Answers questions about the file system; None: they stay open."""
