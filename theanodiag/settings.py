"""theanodiag's own configuration, `theanodiag.toml` or `[tool.theanodiag]` in `pyproject.toml`: its keys, and the file for a folder."""

from __future__ import annotations

import enum
import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import files
from .errors import Span, UnreadableError, UsageError, line_starts, near

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class ValueKind(enum.Enum):
    """The type of a key's value, with its description and an example."""

    TEXT = ("a string", '"x"')
    TEXTS = ("an array of strings", '["x", "y"]')
    WHOLE = ("a whole number, 1 or more", "3")
    NUMBER = ("a number above 0", "600")
    SWITCH = ("true or false", "true")
    TABLE = ("a table of arrays of strings", '{"old/*.py" = ["TD3"]}')

    @property
    def description(self) -> str:
        """What values of this type are, in words."""
        return self.value[0]

    @property
    def example(self) -> str:
        """An example value of this type, in TOML."""
        return self.value[1]

    def holds(self, value: object) -> bool:
        """Returns whether a value read from TOML has this type."""
        if isinstance(value, bool) or self is ValueKind.SWITCH:
            return isinstance(value, bool) and self is ValueKind.SWITCH
        if self is ValueKind.TEXT:
            return isinstance(value, str)
        if self is ValueKind.TEXTS:
            return isinstance(value, list) and all(isinstance(v, str) for v in value)
        if self is ValueKind.WHOLE:
            return isinstance(value, int) and value >= 1
        if self is ValueKind.NUMBER:
            return isinstance(value, (int, float)) and value > 0
        return isinstance(value, dict) and all(ValueKind.TEXTS.holds(v) for v in value.values())


@dataclass(frozen=True)
class Key:
    """A key of theanodiag's configuration file."""

    kind: ValueKind
    commands: tuple[str, ...]
    """The commands that accept the key."""
    option: str
    """Name of the command-line parameter that it sets."""


REPORTS = ("check", "graph")
FINDINGS = (*REPORTS, "config check")
LISTED = (*FINDINGS, "port", "scan")

KEYS: Mapping[str, Key] = {
    "select": Key(ValueKind.TEXTS, LISTED, "select"),
    "ignore": Key(ValueKind.TEXTS, LISTED, "ignore"),
    "per-file-ignores": Key(ValueKind.TABLE, LISTED, "per_file_ignores"),
    "baseline": Key(ValueKind.TEXT, LISTED, "baseline"),
    "fail-on": Key(ValueKind.TEXT, (*FINDINGS, "scan"), "fail_on"),
    "exclude": Key(ValueKind.TEXTS, ("scan",), "exclude"),
    "format": Key(ValueKind.TEXT, LISTED, "format"),
    "gpu": Key(ValueKind.TEXT, REPORTS, "gpu"),
    "host-memory": Key(ValueKind.TEXT, ("check",), "host_memory"),
    "device-overhead": Key(ValueKind.TEXT, REPORTS, "device_overhead"),
    "batch-dim": Key(ValueKind.TEXTS, REPORTS, "batch_dim"),
    "verbose": Key(ValueKind.SWITCH, REPORTS, "verbose"),
    "python": Key(ValueKind.TEXT, ("check",), "python"),
    "cudnn": Key(ValueKind.TEXT, ("check",), "cudnn"),
    "engine": Key(ValueKind.TEXT, ("check",), "engine"),
    "shapes": Key(ValueKind.TEXTS, ("check",), "shape"),
    "max-calls": Key(ValueKind.WHOLE, ("check",), "max_calls"),
    "timeout": Key(ValueKind.NUMBER, ("check",), "timeout"),
}
"""All keys. `python` names a program to start: only `check` accepts it, which runs the script of the same folder anyway. Options that
compute or write (`--calls real`, `--confirm`, `--fix`) have no key, since a configuration file must not request them."""


def keys_of(command: str) -> Mapping[str, Key]:
    """Returns the keys of the configuration file that a command accepts, by name."""
    return {name: key for name, key in KEYS.items() if command in key.commands}


@dataclass(frozen=True)
class SettingValue:
    """A value given in a configuration file, with its place."""

    value: object
    """The value as parsed from TOML: str, int, float, bool, a list of str, or a dict of lists of str."""
    span: Span
    """Place of its key in the file."""


@dataclass(frozen=True)
class Configuration:
    """The content of one configuration file."""

    path: str
    """Absolute path of the configuration file."""
    trusted: bool
    """Whether only the user and root can have written it, or it was named on the command line."""
    values: Mapping[str, SettingValue] = field(default_factory=dict)
    """Values by key, in the order of the file."""


_AT = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")
ADVICE = "correct the file, or use --isolated"
CANDIDATES = 100
"""Maximum number of lines with a key's name that are examined to find its place, and of lines after each to find the end of its value."""


def parse_toml(text: str, path: str) -> dict[str, Any]:
    """Parses a TOML document. Raises `UnreadableError` with the place of a syntax error; `path` is its name in errors."""
    try:
        document: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _AT.search(str(error))
        at = len(text)
        if match and match["line"]:
            at = line_starts(text)[int(match["line"]) - 1] + int(match["column"]) - 1
        raise UnreadableError(f"not TOML: {_AT.sub('', str(error))}", span=Span(path, text, at, at + 1), help=ADVICE) from None
    except RecursionError:
        raise UnreadableError("not TOML: nested too deeply", path=path, help=ADVICE) from None
    return document


def span_of(text: str, path: str, keys: Sequence[str]) -> Span:
    """Returns the place of the last of `keys`, a path from the top of the document; the document's first character if the key is not found.

    The key is at the first line that contains it, if the lines before are a document without the key, and together with some following
    lines a document with the key.
    """
    lines = text.split("\n")
    rows = [k for k, line in enumerate(lines) if keys[-1] in line]
    for row in rows[:CANDIDATES]:
        before = _document(lines[:row])
        if before is None or _has(before, keys):
            continue
        ends = range(row + 1, min(len(lines), row + CANDIDATES) + 1)
        whole = next((document for end in ends if (document := _document(lines[:end])) is not None), None)
        if whole is not None and _has(whole, keys):
            at = line_starts(text)[row] + lines[row].index(keys[-1])
            return Span(path, text, at, at + len(keys[-1]))
    return Span(path, text, 0, 1)


def _document(lines: Sequence[str]) -> dict[str, Any] | None:
    try:
        document: dict[str, Any] = tomllib.loads("\n".join(lines))
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    return document


def _has(table: Any, keys: Sequence[str]) -> bool:
    for key in keys:
        if not isinstance(table, dict) or key not in table:
            return False
        table = table[key]
    return True


OWN = "theanodiag.toml"
TIMEOUT = 600.0
"""Default time limit for a script, in seconds."""
PROJECT = "pyproject.toml"
SECTION = ("tool", "theanodiag")
LIMIT = 1 << 20
"""Maximum size of a configuration file in bytes."""


def find_configuration(folder: str) -> Configuration | None:
    """Finds the configuration of the nearest folder that has one, from `folder` upwards; `theanodiag.toml` takes precedence over
    `pyproject.toml`.

    None if no folder has one. A `pyproject.toml` without `[tool.theanodiag]` is ignored. Raises the errors of `read_configuration`.
    """
    for above in _upwards(os.path.abspath(folder)):
        for name in (OWN, PROJECT):
            path = os.path.join(above, name)
            if os.path.isfile(path) and (configuration := read_configuration(path)) is not None:
                return configuration
    return None


def read_named(path: str) -> Configuration:
    """Returns the configuration file named on the command line. Raises like `read_configuration`, and also if it has no section for
    theanodiag.
    """
    configuration = read_configuration(path, trusted=True)
    if configuration is None:
        raise UnreadableError(f"there is no [{'.'.join(SECTION)}] in this file", path=path, help="add one, or name another file")
    return configuration


def read_configuration(path: str, *, trusted: bool | None = None) -> Configuration | None:
    """Reads the content of a configuration file; None for a `pyproject.toml` without our section.

    Raises `UnreadableError` if it cannot be read or is not TOML, and `UsageError` for an unknown key or a value of the wrong type, each
    with its place.
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
    values: object = parse_toml(text, shown)
    section = SECTION if project else ()
    for name in section:
        if not isinstance(values, dict) or name not in values:
            return None
        values = values[name]
    if not isinstance(values, dict):
        raise UsageError(f"{'.'.join(section)} must be a table", span=span_of(text, shown, section), help="write [tool.theanodiag]")
    given = {name: _given(name, value, text, shown, section) for name, value in values.items()}
    return Configuration(os.path.abspath(path), is_own(path) if trusted is None else trusted, given)


def _given(name: str, value: object, text: str, path: str, section: tuple[str, ...]) -> SettingValue:
    span = span_of(text, path, (*section, name))
    key = KEYS.get(name)
    if key is None:
        table = isinstance(value, dict) and not section
        advice = "in this file the keys stand at the top, outside of any table" if table else near(name.replace("_", "-"), KEYS)
        advice = advice or f"the keys are {', '.join(KEYS)}"
        raise UsageError(f"there is no key {name!r}", span=span, help=advice)
    if not key.kind.holds(value):
        raise UsageError(f"{name} must be {key.kind.description}", span=span, help=f"for example {name} = {key.kind.example}")
    return SettingValue(value, span)


def is_own(path: str) -> bool:
    """Returns whether only the user and root can write a file, according to its owner and mode; True on systems without file owners."""
    if not hasattr(os, "geteuid"):
        return True
    status = os.stat(path)
    return status.st_uid in (0, os.geteuid()) and not status.st_mode & stat.S_IWOTH


def _upwards(folder: str) -> Iterator[str]:
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above
