"""The keys of a configuration file, one entry each, with the commands that accept it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass


class ValueKind(enum.Enum):
    """The type of a key's value, with its description and an example."""

    TEXT = ("a string", '"x"')
    TEXTS = ("an array of strings", '["x", "y"]')
    WHOLE = ("a whole number, 1 or more", "3")
    NUMBER = ("a number above 0", "600")
    SWITCH = ("true or false", "true")
    TABLE = ("a table of arrays of strings", '{"old/*.py" = ["TD3"]}')

    @property
    def words(self) -> str:
        """Description of valid values."""
        return self.value[0]

    @property
    def example(self) -> str:
        """An example value in TOML."""
        return self.value[1]

    def holds(self, value: object) -> bool:
        """Whether a value read from TOML is valid."""
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
    """One key of a configuration file."""

    kind: ValueKind
    commands: tuple[str, ...]
    """The commands that accept it."""
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
    """The keys that a command accepts."""
    return {name: key for name, key in KEYS.items() if command in key.commands}
