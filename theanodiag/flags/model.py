"""The types of the flags: what a library knows (Flag, FlagTable), what a user wrote (Entry), what comes out (Setting, Resolution)."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, Union

from ..errors import Span
from ..ir.shape import Unknown


class Dialect(enum.Enum):
    """A family of releases with one way to name its flags. Theano-PyMC is a version line of theano (1.0.15, 1.1.2)."""

    THEANO = "theano"
    AESARA = "aesara"
    PYTENSOR = "pytensor"

    @property
    def flags_variable(self) -> str:
        """The environment variable with flags, such as `THEANO_FLAGS`."""
        return f"{self.name}_FLAGS"

    @property
    def rc_variable(self) -> str:
        """The environment variable with the paths of rc files, such as `THEANORC`."""
        return f"{self.name}RC"


class FlagKind(enum.Enum):
    """How a library turns the text of a flag into its value."""

    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    STR = "str"
    ENUM = "enum"
    """One of `Flag.choices`, letter by letter."""
    MODE = "mode"
    """One of `Flag.choices`, or a Mode object once the library is imported."""
    DEVICE = "device"
    """`Flag.default`, or a text that begins with one of `Flag.choices`."""
    CONTEXTS = "contexts"
    """`name->device;name->device`."""
    LAZY = "lazy"
    """`True`, `False` or `None`, in this spelling."""
    PATH = "path"
    """A text in which a leading `~` is expanded."""
    COMPILEDIR = "compiledir"
    """A path that is made real (links followed) and created."""
    RETIRED = "retired"
    """Any text but an empty one is refused: the flag was removed (`gpuarray.sync`, `dnn.conv.workmem`)."""
    ANY = "any"
    """Text, kept as it is."""


@dataclass(frozen=True)
class Computed:
    """A default that the library works out when it starts."""

    how: str
    """From what, in words."""


FlagValue = Union[bool, int, float, str, None]
"""What `config.NAME` is in the library; None is Python's None (`vm.lazy`)."""


@dataclass(frozen=True)
class Flag:
    """One flag in the versions `first`…`last` of a dialect, in which nothing of what is said here changes."""

    name: str
    """As the library spells it in its variable: `blas.ldflags` in Theano, `blas__ldflags` in Aesara and PyTensor."""
    dialect: Dialect
    first: str
    """The first version of the table (not of the world) that has it like this."""
    last: str
    kind: FlagKind
    default: FlagValue | Computed
    choices: tuple[str, ...] = ()
    """Valid values of an ENUM or MODE, valid beginnings of a DEVICE; the default comes first."""
    check: str | None = None
    """A further condition on the value, such as `> 0` or `in (0, 1, 2)`."""
    mutable: bool = True
    """Whether it can be changed after the import."""
    in_c_key: bool = True
    """Whether it enters the key of the cache of compiled C code."""
    doc: str = ""
    """First sentence of what the library says about it."""
    aliases: tuple[tuple[str, str], ...] = ()
    """Texts that stand for a choice: `32` for `float32`."""
    without_cxx: tuple[str, ...] = ()
    """The choices of an ENUM where there is no C++ compiler, if they are others (`linker`); the default comes first."""
    warns_before: str | None = None
    """Of a `warn.*` BOOL: its default is whether `warn.ignore_bug_before` is older than this version of Theano."""

    @property
    def dotted(self) -> str:
        """The name with dots, the same in all dialects: `blas.ldflags`."""
        return self.name.replace("__", ".")

    @property
    def section(self) -> str:
        """Its section in an rc file, spelled as the library wants it; `global` if the name has none."""
        return self._parts[0]

    @property
    def option(self) -> str:
        """Its option name in that section."""
        return self._parts[1]

    @property
    def _parts(self) -> tuple[str, str]:
        # Names split at their last separator (Theano 1.0.5 and Aesara 2.9.4, configparser.py: fetch_val_for_key).
        separator = "." if self.dialect is Dialect.THEANO and "__" not in self.name else "__"
        section, found, option = self.name.rpartition(separator)
        return (section, option) if found else ("global", self.name)


@dataclass(frozen=True)
class FlagNote:
    """What people should know about a flag, written by hand."""

    name: str
    """With dots."""
    successor: str | None = None
    """What to write instead where the flag is gone: a flag (with dots), or None if nothing replaces it."""
    note: str = ""


@dataclass(frozen=True, eq=False)
class FlagTable:
    """Every flag of one version, in the order in which the library reads them (so the first wrong one is the one it refuses).

    There is one object a version, which is compared as such.
    """

    dialect: Dialect
    version: str
    """The version that the table describes: the one asked for, or the next later one that is known."""
    flags: tuple[Flag, ...]

    def get(self, name: str) -> Flag | None:
        """The flag called `name`, spelled as the library wants it (case counts)."""
        return next((f for f in self.flags if f.name == name), None)

    def dotted(self, name: str) -> Flag | None:
        """The flag whose name with dots is `name`."""
        return next((f for f in self.flags if f.dotted == name), None)


class Place(enum.Enum):
    """Where an entry stands."""

    VARIABLE = "variable"
    FILE = "file"


@dataclass(frozen=True)
class Entry:
    """One `name = value` that the user wrote, whether or not it means anything."""

    place: Place
    key: str
    """The name as written (in a file: before the library makes it lower case)."""
    raw: str
    """The value before interpolation (of a flags string: after quotes were taken off)."""
    key_span: Span
    value_span: Span
    section: str | None = None
    """The file's section, as written; None in a variable."""

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
    """An entry that the library passes over, and whether it says so."""

    entry: Entry
    why: Why
    warns: bool
    """Whether the library prints a warning."""


class FileState(enum.Enum):
    """What became of an rc file."""

    READ = "read"
    MISSING = "missing"
    """Not there, a folder, or not readable: the library passes over it in silence."""
    REFUSED = "refused"
    """The library refuses to start because of it."""
    UNREACHED = "unreached"
    """The library stopped before it."""


@dataclass(frozen=True)
class RcFile:
    """An rc file in the order of reading: a later one wins."""

    path: str
    """With `~` expanded."""
    state: FileState


class FailureKind(enum.Enum):
    """In which step the library gives up."""

    FLAGS_SYNTAX = "flags-syntax"
    """An open quote or a lone backslash in the flags variable."""
    RC_SYNTAX = "rc-syntax"
    RC_ENCODING = "rc-encoding"
    RC_PATH = "rc-path"
    INVALID_VALUE = "invalid-value"
    REMOVED = "removed"
    """A flag or value that the version refuses by name (`device=gpu0`, `dnn.conv.workmem`)."""
    ENVIRONMENT = "environment"
    """Another variable than the flags (`OMP_NUM_THREADS=many`)."""
    IMPORT = "import"
    """A value that passes, but with which the rest of the import fails."""


@dataclass(frozen=True)
class Failure:
    """The error that the library raises instead of starting."""

    kind: FailureKind
    exception: str
    """Name of the exception class."""
    message: str
    """The library's words in sense."""
    span: Span | None = None
    flag: Flag | None = None


@dataclass(frozen=True)
class Setting:
    """The value of one flag and where it comes from."""

    flag: Flag
    value: FlagValue | Unknown
    """Unknown where the library refuses it, or computes it from things that were not given."""
    text: str | None
    """What the library parsed: `origin.raw` after interpolation; None for a default."""
    origin: Entry | None
    """None: the library's default."""
    overridden: tuple[Entry, ...] = ()
    """Entries for the same flag that lost, the strongest first."""

    @property
    def is_default(self) -> bool:
        """Whether nobody set it."""
        return self.origin is None


@dataclass(frozen=True)
class Resolution:
    """What a library makes of an environment."""

    table: FlagTable
    settings: tuple[Setting, ...]
    """One for each flag of the table, in its order; also where the library fails: then as if it had gone on."""
    files: tuple[RcFile, ...]
    entries: tuple[Entry, ...]
    """Everything the user wrote: files in the order of reading, then the variable."""
    ignored: tuple[Ignored, ...]
    failures: tuple[Failure, ...] = ()
    """Everything over which the library would stop, the first one first."""

    @property
    def failure(self) -> Failure | None:
        """The error that the library raises, or None if it starts."""
        return self.failures[0] if self.failures else None

    @property
    def dialect(self) -> Dialect:
        """The dialect of the table."""
        return self.table.dialect

    @property
    def version(self) -> str:
        """The version of the table."""
        return self.table.version

    def get(self, dotted: str) -> Setting | None:
        """The setting of the flag with this dotted name, or None if the version has no such flag."""
        return next((s for s in self.settings if s.flag.dotted == dotted), None)


ReadFile = Callable[[str], Union[bytes, None]]
"""Gives the bytes of a file, or None if it cannot be opened."""


class Disk(Protocol):
    """What the library looks at on the disk while it works out values."""

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder."""

    def realpath(self, path: str) -> str:
        """The absolute path with links followed."""

    def program(self, name: str, search: str) -> bool:
        """Whether there is a program `name` that can be started, given the folders of `PATH`."""

    def unusable(self, path: str) -> str | None:
        """Why `path` cannot be the compiledir (nor be made), or None if it can."""


@dataclass(frozen=True)
class Host:
    """The facts about the user's machine and interpreter on which values depend; None is "not known"."""

    platform: str = "linux"
    """`sys.platform` of the interpreter."""
    python: tuple[int, int] = (3, 8)
    """Version of the interpreter that runs the library."""
    home: str | None = None
    """Home of the account, used where `HOME` is not set."""
    user_homes: tuple[tuple[str, str], ...] = ()
    """Homes of other accounts, for `~name`."""
    pid: int | None = None
    """For `%(PID)s`."""
    cxx: str | None = None
    """Full path of g++ (`clang++` on a Mac); "" if there is none; None if not known."""
    facts: tuple[tuple[str, str], ...] = ()
    """What `compiledir_format` may name (`python_version`, `processor`...); empty if not known."""
    disk: Disk | None = None
