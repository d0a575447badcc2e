"""Computes the defaults that a library determines at import, as far as the given facts allow.

Rules: configdefaults.py of Theano 1.0.5, Aesara 2.9.4 and PyTensor 3.3.7.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from ..errors import UsageError
from ..unknown import Unknown
from .model import Computed, Dialect, Flag, FlagKind, FlagNote, FlagTable, FlagValue, Host

# Paths as the libraries read them: which rc files in which order, and the expansion of `~`.


class NoHome(Exception):
    """Raised if `pathlib` cannot find the home folder of an account; the library gets a RuntimeError from it."""


def home_folder(environ: Mapping[str, str], host: Host) -> str | None:
    """Returns the folder that `~` stands for: `HOME`, or else the account's home folder; None if both are unknown."""
    return environ.get("HOME", host.home)


def expand_user(path: str, environ: Mapping[str, str], host: Host) -> str:
    """Expands a leading `~` or `~name` as `os.path.expanduser` does. The path is unchanged if the home folder is unknown (CPython,
    Lib/posixpath.py).
    """
    if not path.startswith("~"):
        return path
    name = path.partition("/")[0]
    home = home_folder(environ, host) if name == "~" else dict(host.user_homes).get(name[1:])
    if home is None:
        return path
    return (home.rstrip("/") + path[len(name) :]) or "/"


def expand_pathlib(path: str, environ: Mapping[str, str], host: Host) -> str:
    """Expands `~` as `str(Path(path).expanduser())` does, which also removes doubled slashes and `.`. Raises `NoHome`."""
    pure = PurePosixPath(path)
    first = pure.parts[0] if pure.parts else ""
    if not first.startswith("~"):
        return str(pure)
    home = expand_user(first, environ, host)
    if home.startswith("~"):
        raise NoHome("Could not determine home directory.")
    return str(PurePosixPath(home, *pure.parts[1:]))


def rc_paths(dialect: Dialect, environ: Mapping[str, str], host: Host) -> tuple[str, ...]:
    """Returns the paths of the rc files, with `~` unexpanded; later files override earlier ones.

    Theano 1.0.5, Aesara 2.9.4, PyTensor 3.3.7, configparser.py: the variable is split at the platform's path separator; on Windows, without
    the variable, a file that ends in `.txt` is read too.
    """
    windows = host.platform == "win32"
    given = environ.get(dialect.rc_variable)
    if given is not None:
        return tuple(given.split(";" if windows else ":"))
    usual = f"~/.{dialect.value}rc"
    return (usual, f"{usual}.txt") if windows else (usual,)


def join(folder: str, *names: str) -> str:
    """Joins the parts of a path as `os.path.join` does on POSIX, also on other systems."""
    return posixpath.join(folder, *names)


DATA = Path(__file__).parent / "data"
THEANO = "1.0.5"
"""The last version of Theano released by its original project."""


def load_table(dialect: Dialect, version: str | None = None) -> FlagTable:
    """Returns the flags of `version`, or of the version that `nearest` returns for it."""
    return _table(dialect, nearest(dialect, version))


def usual(dialect: Dialect) -> str | None:
    """Returns the version used if none is named: for Theano the last release of its original project; None (the newest) for the others."""
    return THEANO if dialect is Dialect.THEANO else None


def versions(dialect: Dialect) -> tuple[str, ...]:
    """Returns the known versions, oldest first."""
    return tuple(_data(dialect)["versions"])


def nearest(dialect: Dialect, version: str | None) -> str:
    """Returns the known version whose flags apply to `version`: itself, else the next later one, else the newest.

    Raises `UsageError` if `version` is not a version number.
    """
    known = versions(dialect)
    if version is None:
        return known[-1]
    wanted = number(version)
    return next((v for v in known if number(v) >= wanted), known[-1])


def number(version: str) -> tuple[int, ...]:
    """Converts a version to a tuple of numbers for comparison, without suffixes such as `+dev` and `rc1`. Raises `UsageError` if it is not
    a version.

    >>> number("0.9"), number("1.0.5rc1")
    ((0, 9, 0), (1, 0, 5))
    """
    match = re.match(r"v?(\d{1,9}(?:\.\d{1,9})*)(?!\d)", version.strip())
    if not match:
        raise UsageError(f"not a version: {version!r}", help="write one such as 1.0.5")
    parts = tuple(int(part) for part in match[1].split("."))
    return parts + (0,) * (3 - len(parts))


def advice(dotted: str) -> FlagNote | None:
    """Returns the hand-written advice on a flag of any dialect; None if there is none."""
    return _advice().get(dotted)


@cache
def _data(dialect: Dialect) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((DATA / f"{dialect.value}.json").read_text("utf-8"))
    return loaded


@cache
def _advice() -> dict[str, FlagNote]:
    rows = json.loads((DATA / "advice.json").read_text("utf-8"))
    return {row["name"]: FlagNote(row["name"], row.get("successor"), row.get("note", ""), row.get("meaning", "")) for row in rows}


@cache
def _table(dialect: Dialect, version: str) -> FlagTable:
    data, wanted = _data(dialect), number(version)
    order = next(o["order"] for o in data["orders"] if number(o["first"]) <= wanted <= number(o["last"]))
    return FlagTable(dialect, version, tuple(flag_of(dialect, data["flags"][i]) for i in order))


def flag_of(dialect: Dialect, row: Mapping[str, Any]) -> Flag:
    """Makes a Flag from its row of the data, in which fields with the usual value are left out."""
    default = row["default"]
    return Flag(
        name=row["name"],
        dialect=dialect,
        first=row["first"],
        last=row["last"],
        kind=FlagKind(row["kind"]),
        default=Computed(default["computed"]) if isinstance(default, dict) else default,
        choices=tuple(row.get("choices", ())),
        check=row.get("check"),
        mutable=row.get("mutable", True),
        in_c_key=row.get("in_c_key", False),
        doc=row["doc"],
        aliases=tuple(row.get("aliases", {}).items()),
        without_cxx=tuple(row.get("without_cxx", ())),
        warns_before=row.get("warns_before"),
    )


class Unreadable(Exception):
    """Raised if the library raises an error when it computes a default; `exception` is the name of the error's class."""

    def __init__(self, message: str, exception: str) -> None:
        super().__init__(message)
        self.exception = exception


Lookup = Callable[[str], "FlagValue | Unknown"]
"""Returns the value of another flag by its dotted name."""


@dataclass(frozen=True)
class HostFacts:
    """The facts on which a computed default may depend."""

    dialect: Dialect
    environ: Mapping[str, str]
    """Environment variables of the library's process."""
    host: Host
    value_of: Lookup
    """Looks up the value of another flag."""
    pathlib: bool = False
    """Whether the library normalises paths by pathlib."""


def computed_default(flag: Flag, around: HostFacts) -> FlagValue | Unknown:
    """Returns the computed default of a flag; Unknown if only the library itself can compute it.

    Raises `Unreadable` if the library raises an error.
    """
    work_out = COMPUTED.get(flag.dotted)
    if work_out is None:
        return Unknown(f"computed when the library starts: {getattr(flag.default, 'how', flag.default)}")
    return work_out(around)


def warns_by_default(flag: Flag, ignore_before: FlagValue | Unknown) -> bool | Unknown:
    """Returns the default of a `warn.*` flag, which depends on the value of `warn.ignore_bug_before`; Unknown if that value is unknown."""
    if isinstance(ignore_before, Unknown):
        return ignore_before
    if ignore_before in ("None", "all"):
        return ignore_before == "None"
    return number(str(ignore_before)) < number(str(flag.warns_before))


def _cxx(around: HostFacts) -> FlagValue | Unknown:
    return Unknown("it was not checked whether g++ is installed") if around.host.cxx is None else around.host.cxx


def _check_c(around: HostFacts) -> FlagValue | Unknown:
    cxx = around.value_of("cxx")
    return cxx if isinstance(cxx, Unknown) else bool(cxx)


def _timeout(around: HostFacts) -> FlagValue | Unknown:
    wait = around.value_of("compile.wait")
    return wait * 24 if isinstance(wait, int) else Unknown("compile.wait is refused")


def _base_compiledir(around: HostFacts) -> FlagValue | Unknown:
    home = home_folder(around.environ, around.host)
    if around.host.platform == "win32" or home is None:
        return Unknown("it is in a folder that Windows determines" if home else "there is no home folder")
    path = join(home, f".{around.dialect.value}")
    return str(PurePosixPath(path)) if around.pathlib else path


def format_compiledir(pattern: str, facts: Mapping[str, object]) -> str:
    """Returns the folder name that the pattern `compiledir_format` gives. Raises `Unreadable` if the pattern names an unknown fact."""
    try:
        return re.sub(r"[()\s,]+", "_", pattern % facts)
    except (KeyError, TypeError, ValueError) as error:
        raise Unreadable(f"compiledir_format: {error}", type(error).__name__) from None


def naming(around: HostFacts) -> dict[str, FlagValue | Unknown]:
    """Returns a mapping: name -> value of the facts that `compiledir_format` may refer to."""
    return {name: around.value_of("device") if name == "device" else value for name, value in around.host.facts}


def _compiledir(around: HostFacts) -> FlagValue | Unknown:
    base, pattern = around.value_of("base_compiledir"), around.value_of("compiledir_format")
    if not isinstance(base, str) or not isinstance(pattern, str):
        return Unknown("it is in base_compiledir, which is not known")
    if not around.host.facts or "gxx_version" in pattern:
        return Unknown(f"a folder in {base} named after the machine and its software")
    path = join(base, format_compiledir(pattern, naming(around)))
    problem = around.host.disk.unusable(path) if around.host.disk else None
    if problem:
        raise Unreadable(problem, "ValueError")
    return around.host.disk.realpath(path) if around.host.disk else path


def _cuda_root(around: HostFacts) -> FlagValue | Unknown:
    for name in ("CUDA_ROOT", "CUDA_PATH"):
        if around.environ.get(name):
            return around.environ[name]
    disk = around.host.disk
    if disk is None:
        return Unknown("it was not checked whether nvcc is on PATH")
    folders = [f for f in around.environ.get("PATH", "").split(":") if f and disk.exists(join(f, "nvcc"))]
    return folders[0].rstrip("/").rpartition("/")[0] if folders else ""


def _inside(parent: str, name: str, around: HostFacts) -> FlagValue | Unknown:
    """The path of `name` in the folder that the flag `parent` gives; `''` if that is empty, Unknown if it is unknown."""
    folder = around.value_of(parent)
    if not isinstance(folder, str):
        return folder
    return join(folder, name) if folder else ""


def _dnn_base(around: HostFacts) -> FlagValue | Unknown:
    header, disk = _inside("cuda.root", "include/cudnn.h", around), around.host.disk
    if isinstance(header, Unknown) or not header:
        return header
    if disk is None:
        return Unknown("it was not checked whether cuda.root contains cudnn.h")
    return around.value_of("cuda.root") if disk.exists(str(header)) else ""


def _dnn_library(around: HostFacts) -> FlagValue | Unknown:
    folder = {"win32": "lib/x64", "darwin": "lib"}.get(around.host.platform, "lib64")
    return _inside("dnn.base_path", folder, around)


def _dnn_bin(around: HostFacts) -> FlagValue | Unknown:
    base = around.value_of("dnn.base_path")
    if isinstance(base, Unknown) or not base:
        return base
    return _inside("dnn.base_path", "bin", around) if around.host.platform == "win32" else around.value_of("dnn.library_path")


COMPUTED: dict[str, Callable[[HostFacts], FlagValue | Unknown]] = {
    "cxx": _cxx,
    "DebugMode.check_c": _check_c,
    "compile.timeout": _timeout,
    "base_compiledir": _base_compiledir,
    "compiledir": _compiledir,
    "gpuarray.cache_path": lambda around: _inside("compiledir", "gpuarray_kernels", around),
    "cuda.root": _cuda_root,
    "cuda.include_path": lambda around: _inside("cuda.root", "include", around),
    "dnn.base_path": _dnn_base,
    "dnn.include_path": lambda around: _inside("dnn.base_path", "include", around),
    "dnn.library_path": _dnn_library,
    "dnn.bin_path": _dnn_bin,
}
"""Dotted name -> function that computes its default."""
