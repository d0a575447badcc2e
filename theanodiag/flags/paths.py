"""Paths as the libraries read them: which rc files in which order, and the expansion of `~`."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from pathlib import PurePosixPath

from .model import Dialect, Host


class NoHome(Exception):
    """`pathlib` cannot find the home folder of an account, and raises RuntimeError."""


def home_folder(environ: Mapping[str, str], host: Host) -> str | None:
    """The expansion of `~`: `HOME`, else the account's home folder; None where both are unknown."""
    return environ.get("HOME", host.home)


def expand_user(path: str, environ: Mapping[str, str], host: Host) -> str:
    """As `os.path.expanduser`: expands a leading `~` or `~name`; unchanged where the home folder is unknown (CPython, Lib/posixpath.py)."""
    if not path.startswith("~"):
        return path
    name = path.partition("/")[0]
    home = home_folder(environ, host) if name == "~" else dict(host.user_homes).get(name[1:])
    if home is None:
        return path
    return (home.rstrip("/") + path[len(name) :]) or "/"


def expand_pathlib(path: str, environ: Mapping[str, str], host: Host) -> str:
    """As `str(Path(path).expanduser())`, which also removes doubled slashes and `.`. Raises `NoHome`."""
    pure = PurePosixPath(path)
    first = pure.parts[0] if pure.parts else ""
    if not first.startswith("~"):
        return str(pure)
    home = expand_user(first, environ, host)
    if home.startswith("~"):
        raise NoHome("Could not determine home directory.")
    return str(PurePosixPath(home, *pure.parts[1:]))


def rc_paths(dialect: Dialect, environ: Mapping[str, str], host: Host) -> tuple[str, ...]:
    """The paths of the rc files, with `~` unexpanded; later files override earlier ones.

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
    """As `os.path.join` on POSIX, whatever the present platform."""
    return posixpath.join(folder, *names)
