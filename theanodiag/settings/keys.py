"""The keys that a configuration may have: one entry each, with the commands that take it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass


class Kind(enum.Enum):
    """What a value must be: in words, and an example."""

    TEXT = ("a string", '"x"')
    TEXTS = ("an array of strings", '["x", "y"]')
    WHOLE = ("a whole number, 1 or more", "3")
    NUMBER = ("a number above 0", "600")
    SWITCH = ("true or false", "true")
    TABLE = ("a table of arrays of strings", '{"old/*.py" = ["TD3"]}')

    @property
    def words(self) -> str:
        """What it must be."""
        return self.value[0]

    @property
    def example(self) -> str:
        """One such value in TOML."""
        return self.value[1]

    def holds(self, value: object) -> bool:
        """Whether a value read from TOML is of this kind."""
        if isinstance(value, bool) or self is Kind.SWITCH:
            return isinstance(value, bool) and self is Kind.SWITCH
        if self is Kind.TEXT:
            return isinstance(value, str)
        if self is Kind.TEXTS:
            return isinstance(value, list) and all(isinstance(v, str) for v in value)
        if self is Kind.WHOLE:
            return isinstance(value, int) and value >= 1
        if self is Kind.NUMBER:
            return isinstance(value, (int, float)) and value > 0
        return isinstance(value, dict) and all(Kind.TEXTS.holds(v) for v in value.values())


@dataclass(frozen=True)
class Key:
    """One key of a configuration."""

    kind: Kind
    commands: tuple[str, ...]
    """The commands that take it."""
    option: str
    """Name of the argument of these commands that it stands for."""


REPORTS = ("check", "graph")
FINDINGS = (*REPORTS, "config check")
LISTED = (*FINDINGS, "port", "scan")

KEYS: Mapping[str, Key] = {
    "select": Key(Kind.TEXTS, LISTED, "select"),
    "ignore": Key(Kind.TEXTS, LISTED, "ignore"),
    "per-file-ignores": Key(Kind.TABLE, LISTED, "per_file_ignores"),
    "baseline": Key(Kind.TEXT, LISTED, "baseline"),
    "fail-on": Key(Kind.TEXT, (*FINDINGS, "scan"), "fail_on"),
    "exclude": Key(Kind.TEXTS, ("scan",), "exclude"),
    "format": Key(Kind.TEXT, LISTED, "format"),
    "gpu": Key(Kind.TEXT, REPORTS, "gpu"),
    "host-memory": Key(Kind.TEXT, ("check",), "host_memory"),
    "device-overhead": Key(Kind.TEXT, REPORTS, "device_overhead"),
    "batch-dim": Key(Kind.TEXTS, REPORTS, "batch_dim"),
    "verbose": Key(Kind.SWITCH, REPORTS, "verbose"),
    "python": Key(Kind.TEXT, ("check",), "python"),
    "cudnn": Key(Kind.TEXT, ("check",), "cudnn"),
    "engine": Key(Kind.TEXT, ("check",), "engine"),
    "shapes": Key(Kind.TEXTS, ("check",), "shape"),
    "max-calls": Key(Kind.WHOLE, ("check",), "max_calls"),
    "timeout": Key(Kind.NUMBER, ("check",), "timeout"),
}
"""`python` names a program that is started: only `check` takes it, which runs the script of the same folder anyway. What computes or
writes (`--calls real`, `--confirm`, `--fix`) has no key: a configuration must not ask for it."""


def keys_of(command: str) -> Mapping[str, Key]:
    """The keys that a command takes."""
    return {name: key for name, key in KEYS.items() if command in key.commands}
