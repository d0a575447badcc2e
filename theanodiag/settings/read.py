"""Finds the configuration for a folder, and reads it."""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Iterator

from .. import files
from ..errors import UnreadableError, UsageError
from . import toml
from .keys import KEYS
from .model import Configuration, Given

OWN = "theanodiag.toml"
PROJECT = "pyproject.toml"
SECTION = ("tool", "theanodiag")
LIMIT = 1 << 20
"""Bytes that such a file may have."""


def find(folder: str) -> Configuration | None:
    """The configuration of the nearest folder, from `folder` upwards, that has one; `theanodiag.toml` comes before `pyproject.toml`.

    A `pyproject.toml` without `[tool.theanodiag]` is passed over. Raises as `read` does.
    """
    for above in _upwards(os.path.abspath(folder)):
        for name in (OWN, PROJECT):
            path = os.path.join(above, name)
            if os.path.isfile(path) and (found := read(path)) is not None:
                return found
    return None


def named(path: str) -> Configuration:
    """The configuration in the file that the command line names. Raises as `read` does, and where it has no section of ours."""
    found = read(path, trusted=True)
    if found is None:
        raise UnreadableError(f"there is no [{'.'.join(SECTION)}] in this file", path=path, help="add one, or name another file")
    return found


def read(path: str, *, trusted: bool | None = None) -> Configuration | None:
    """What a file says; None for a `pyproject.toml` without a section of ours.

    Raises `UnreadableError` where it cannot be read or is not TOML, `UsageError` for a key that does not exist and for a value of the
    wrong type, each with its place.
    """
    data = files.read(path, LIMIT, help="name a configuration file, or use --isolated")
    project = os.path.basename(path) == PROJECT
    if project and SECTION[-1].encode() not in data:
        return None
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise UnreadableError("not TOML: the text is not UTF-8", path=path, help="save the file as UTF-8") from None
    relative = os.path.relpath(path)
    shown = path if relative.startswith(os.pardir) else relative
    values: object = toml.parse(text, shown)
    section = SECTION if project else ()
    for name in section:
        if not isinstance(values, dict) or name not in values:
            return None
        values = values[name]
    if not isinstance(values, dict):
        raise UsageError(f"{'.'.join(section)} must be a table", span=toml.span_of(text, shown, section), help="write [tool.theanodiag]")
    given = {name: _given(name, value, text, shown, section) for name, value in values.items()}
    return Configuration(os.path.abspath(path), is_own(path) if trusted is None else trusted, given)


def _given(name: str, value: object, text: str, path: str, section: tuple[str, ...]) -> Given:
    span = toml.span_of(text, path, (*section, name))
    key = KEYS.get(name)
    if key is None:
        near = difflib.get_close_matches(name.replace("_", "-"), KEYS, 1, 0.6)
        advice = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(KEYS)}"
        raise UsageError(f"there is no key {name!r}", span=span, help=advice)
    if not key.kind.holds(value):
        raise UsageError(f"{name} must be {key.kind.words}", span=span, help=f"for example {name} = {key.kind.example}")
    return Given(value, span)


def is_own(path: str) -> bool:
    """Whether nobody but the user and root can write a file, as far as its owner and mode say; True where the system has no owners."""
    if not hasattr(os, "geteuid"):
        return True
    found = os.stat(path)
    return found.st_uid in (0, os.geteuid()) and not found.st_mode & stat.S_IWOTH


def _upwards(folder: str) -> Iterator[str]:
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above
