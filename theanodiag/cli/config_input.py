"""Input of the configuration commands: files with clear errors, the selected library, the machine."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from .. import files
from ..errors import Span, UnreadableError
from ..flags.carriers.docker import rc_copies
from ..flags.carriers.file_kinds import CARRIERS, FileKind, kind_of
from ..flags.defaults import THEANO, load_table, number, usual
from ..flags.model import Dialect, FlagTable, Host, ReadFile
from ..flags.translations import VARIABLES
from . import output
from .parameters import Option

KERNEL_FOLDERS = ("proc", "sys")
"""Folders in which nobody can create a folder, whatever their permissions say."""


@dataclass(frozen=True)
class RealDisk:
    """The file system, seen from one folder."""

    cwd: str

    def read(self, path: str) -> bytes | None:
        """Returns the bytes of a file; None if there is no file that the libraries would open. Raises `UnreadableError` if it is far too
        long.
        """
        full = os.path.join(self.cwd, path)
        there = os.path.isfile(full) and os.access(full, os.R_OK)
        return files.read(full, files.CONFIGURATION, help="name the right file") if there else None

    def exists(self, path: str) -> bool:
        """Returns whether there is a file or folder."""
        return os.path.exists(Path(self.cwd, path))

    def realpath(self, path: str) -> str:
        """Returns the absolute path with links followed."""
        return os.path.realpath(Path(self.cwd, path))

    def program(self, name: str, search: str) -> bool:
        """Returns whether a program `name` can be started, given the folders of `PATH`."""
        return shutil.which(name, path=search) is not None

    def unusable(self, path: str) -> str | None:
        """Returns why `path` cannot be the compiledir; None if it can. Source: Theano 1.0.5, configdefaults.py, filter_compiledir."""
        full = self.realpath(path)
        if os.access(full, os.F_OK):
            usable = os.path.isdir(full) and os.access(full, os.R_OK | os.W_OK | os.X_OK)
            return None if usable else f"compiledir '{full}' exists but you don't have read, write or listing permissions."
        above = next(p for p in Path(full).parents if os.path.exists(p))
        makeable = above.is_dir() and os.access(above, os.W_OK | os.X_OK) and full.split("/")[1] not in KERNEL_FOLDERS
        return None if makeable else f"Unable to create the compiledir directory '{full}'. Check the permissions."


def this_host(python: tuple[int, int]) -> Host:
    """Returns a description of this machine, for an interpreter of that version."""
    mac = sys.platform == "darwin"
    cxx = shutil.which("g++") or (shutil.which("clang++") if mac else None)
    home, disk = os.path.expanduser("~"), RealDisk(os.getcwd())
    return Host(platform=sys.platform, python=python, home=home, user_homes=accounts(), cxx=cxx or "", disk=disk)


def accounts() -> tuple[tuple[str, str], ...]:
    """Returns the accounts of this machine and their homes; none on Windows."""
    try:
        import pwd
    except ImportError:
        return ()
    return tuple((entry.pw_name, entry.pw_dir) for entry in pwd.getpwall())


QUESTION = """
import json, os, platform, struct, sys
import numpy
print(json.dumps({"python": sys.version_info[:2], "platform": sys.platform, "home": os.path.expanduser("~"), "numpy": numpy.__version__,
  "facts": {"platform": platform.platform(), "processor": platform.processor(), "python_version": platform.python_version(),
  "release": platform.release(), "hostname": platform.node(), "numpy_version": numpy.__version__,
  "python_bitwidth": struct.calcsize("P") * 8, "python_int_bitwidth": struct.calcsize("l") * 8}}))
"""


def answer(path: str, question: str) -> Any:
    """Runs the interpreter at `path` with `question` and returns the JSON in the last line that it prints. Raises `UnreadableError` if
    there is none.
    """
    from ..processes import group  # only where an interpreter is named

    env = group.surroundings(os.environ)
    try:
        done = group.query(group.command(path, question, env), env, 60)
    except OSError as error:
        message = f"the interpreter cannot be started: {error.strerror or error}"
        raise UnreadableError(message, path=path, help="name a Python interpreter that can be run") from error
    if done.returncode:
        reason = (done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"])[-1]
        raise UnreadableError(f"the interpreter does not answer: {reason}", path=path, help="it needs numpy, like the libraries themselves")
    try:
        return json.loads((done.stdout.strip().splitlines() or [b""])[-1])
    except ValueError:
        raise UnreadableError("this is not a Python interpreter", path=path, help="name a Python interpreter that can be run") from None


def query_interpreter(path: str) -> Host:
    """Returns a description of the machine as the interpreter at `path` sees it. Raises `UnreadableError` if the interpreter cannot be
    started or has no numpy.
    """
    reply = answer(path, QUESTION)
    facts = {name: str(value) for name, value in reply["facts"].items()}
    facts["short_platform"] = short_platform(facts.pop("release"), facts["platform"])
    python = (int(reply["python"][0]), int(reply["python"][1]))
    return replace(this_host(python), platform=reply["platform"], home=reply["home"], facts=tuple(facts.items()))


def short_platform(release: str, platform: str) -> str:
    """Returns the platform without what changes at each kernel update: `Linux-6.1-cloud-x86_64` (Theano 1.0.5, configdefaults.py,
    short_platform).

    >>> short_platform("6.1.0-13-amd64", "Linux-6.1.0-13-amd64-x86_64-with-glibc2.36")
    'Linux-6.1--amd64-x86_64-with-glibc2.36'
    """
    kernel, *rest = release.split("-")
    numbers = kernel.split(".")
    if not rest or len(numbers) < 3:
        return platform
    words = rest[0].split(".")
    while words and words[0].isdigit():
        words.pop(0)
    return platform.replace(release, "-".join([".".join(numbers[:2]), ".".join(words), *rest[1:]]))


NETWORK = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "lustre", "gpfs", "beegfs", "ceph", "afs", "fuse.sshfs", "fuse.glusterfs", "9p")
"""Types of network file systems."""


@dataclass(frozen=True)
class ConfigSource:
    """A file named on the command line, whose flags are read."""

    path: str
    data: bytes
    kind: FileKind

    @property
    def name(self) -> str:
        """Returns the file's kind with an article, for messages: `a Dockerfile`."""
        return self.kind.value


def read_source(path: str) -> ConfigSource:
    """Returns the file with its kind. Raises `UnreadableError` if it cannot be read, or flags are not read from this kind."""
    if os.path.isfile(path) and os.path.getsize(path) <= files.CONFIGURATION:
        data = read_bytes(path)
    else:
        data = files.read(path, files.TEXT, help="name an rc file")
    kind = kind_of(os.path.basename(path), data)
    if kind is FileKind.RC:
        return ConfigSource(path, read_bytes(path), kind)
    if kind not in CARRIERS:
        raise UnreadableError(f"this is {kind.value}, not an rc file; flags in it are not read", path=path, help="name the right file")
    return ConfigSource(path, data, kind)


def read_bytes(path: str) -> bytes:
    """Returns the bytes of an rc file; raises `UnreadableError` with the reason in plain words."""
    return files.read(path, files.CONFIGURATION, help="name an rc file")


def note_copies(source: ConfigSource, text: str, command: str) -> None:
    """Writes to stderr which rc files a container file copies. The text of the container file does not contain their flags: `command` must
    be run on each of these rc files.
    """
    if source.kind is not FileKind.DOCKERFILE:
        return
    for offset, copied in rc_copies(text):
        path = os.path.join(os.path.dirname(source.path), copied)
        place = Span(source.path, text, offset, offset)
        output.note(f"{place}: it copies {copied}, which is not read here: theanodiag config {command} {shlex.quote(path)}")


def dialect_options() -> tuple[Option, ...]:
    """Returns the options that select the library."""
    return (
        Option("--dialect", type=click.Choice([d.value for d in Dialect]),
            help="the library (default: by the file's name, else by the variables that are set)"),
        Option("--version", "library_version", metavar="VERSION",
            help=f"version of the library (default: the one that a file installs, else Theano {THEANO} or the newest of the others)"),
    )  # fmt: skip


def dialect_of(chosen: str | None, path: str | None) -> Dialect:
    """Returns the selected library: the given one, else the one that the file's name indicates, else the one whose environment variables
    are set, else Theano.
    """
    if chosen:
        return Dialect(chosen)
    named = named_dialect(path) if path else None
    is_set = next((d for d in Dialect if os.environ.get(d.flags_variable) or os.environ.get(d.rc_variable)), None)
    compilers = any(v.allocator and os.environ.get(v.name) for v in VARIABLES)
    if is_set is None and compilers and default_file(Dialect.THEANO) is None:
        is_set = Dialect.PYTENSOR  # variables of JAX or PyTorch mean nothing to Theano
    return named or (Dialect.THEANO if path else is_set or Dialect.THEANO)


def named_dialect(path: str) -> Dialect | None:
    """Returns the library whose rc file has such a name, for example `.theanorc`; None for other names."""
    return next((d for d in Dialect if d.value in os.path.basename(path).lower()), None)


def name_for(path: str, dialect: Dialect) -> str:
    """Returns the path with the name of another library's rc file: `.pytensorrc` for `.theanorc`; unchanged for other names."""
    folder, base = os.path.split(path)
    own = named_dialect(path)
    return (
        path
        if own is None or own is dialect
        else os.path.join(folder, re.sub(own.value, dialect.value, base, count=1, flags=re.IGNORECASE))
    )


def table_of(chosen: str | None, version: str | None, path: str | None) -> FlagTable:
    """Returns the flags of the library that `dialect_of` selects, at that version (None: the usual version).

    If the flags of that version are unknown, writes to stderr which version's flags are used instead.
    """
    dialect = dialect_of(chosen, path)
    release = version or usual(dialect)
    table = load_table(dialect, release)
    if release and number(release) != number(table.version):
        output.note(
            f"the flags of {dialect.value} {release} are not known; those of {table.version}, the nearest release, are used instead"
        )
    return table


def effective_environment(dialect: Dialect, files: Sequence[str], flags: str | None) -> dict[str, str]:
    """Returns the environment variables in effect. Files and flags on the command line replace those named in the real environment."""
    given = dict(os.environ)
    if files or flags is not None:
        given[dialect.rc_variable] = os.pathsep.join(files)
        given[dialect.flags_variable] = flags or ""
    return given


def named_or_on_disk(files: Sequence[str]) -> ReadFile:
    """Returns a reader of rc files. Files named on the command line must be readable (it raises `UnreadableError`); other files may be
    missing.
    """
    named, disk = {path: read_bytes(path) for path in files}, RealDisk(os.getcwd())

    def read(path: str) -> bytes | None:
        return named[path] if path in named else disk.read(path)

    return read


def default_file(dialect: Dialect) -> str | None:
    """Returns the last existing rc file that this environment names, which has precedence over the others; None if none exists."""
    named = os.environ.get(dialect.rc_variable, f"~/.{dialect.value}rc").split(os.pathsep)
    return next((p for p in map(os.path.expanduser, reversed(named)) if p and os.path.isfile(p)), None)


def misnamed_files(dialect: Dialect) -> tuple[str, ...]:
    """Returns the files in the home folder that were probably meant as the rc file: `theanorc`, or `.theanorc.txt`, which is read only on
    Windows.
    """
    own = f"{dialect.value}rc"
    names = (*(() if sys.platform == "win32" else (f".{own}.txt",)), own, f"{own}.txt", f"_{own}", f".{own}.cfg", f".{own}.ini")
    return tuple(path for name in names if os.path.isfile(path := os.path.join(os.path.expanduser("~"), name)))


def network_folders() -> tuple[str, ...]:
    """Returns the mount points of network disks that the mount table shows."""
    try:
        rows = [line.split() for line in Path("/proc/mounts").read_text("utf-8", "surrogateescape").splitlines()]
    except OSError:
        return ()
    return tuple(row[1].replace("\\040", " ") for row in rows if len(row) > 2 and row[2] in NETWORK)
