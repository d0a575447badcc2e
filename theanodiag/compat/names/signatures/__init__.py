"""The parameters of the frameworks' functions and classes: data files that `tools/call_signatures.py` generates from the real libraries."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Parameter:
    """One parameter of a function or class."""

    name: str
    """`*` and `**` stand for any further arguments."""
    by_name_only: bool
    optional: bool


@dataclass(frozen=True)
class Signature:
    """The parameters of a function or class."""

    parameters: tuple[Parameter, ...]

    @property
    def by_place(self) -> tuple[str, ...]:
        """Names of the parameters that accept positional arguments."""
        return tuple(p.name for p in self.parameters if not p.by_name_only and p.name not in ("*", "**"))

    def takes(self, name: str) -> bool:
        """Returns whether the function accepts an argument of that name."""
        return any(p.name in (name, "**") for p in self.parameters)

    def misfit(self, places: int, names: Sequence[str]) -> str | None:
        """Returns why a call with `places` positional arguments and these keyword arguments is invalid; None if it is valid."""
        unknown = [name for name in names if not self.takes(name)]
        if unknown:
            return f"takes no {', '.join(unknown)}"
        most = len(self.by_place)
        if places > most and not any(p.name == "*" for p in self.parameters):
            return f"takes {most} argument{'s' * (most != 1)} by place"
        twice = [name for name in self.by_place[:places] if name in names]
        if twice:
            return f"is given {', '.join(twice)} twice"
        given = {*self.by_place[:places], *names}
        missing = [p.name for p in self.parameters if not p.optional and p.name not in ("*", "**") and p.name not in given]
        return f"needs {', '.join(missing)}" if missing else None


def path(root: str) -> Path:
    """Returns the data file of a framework."""
    return Path(__file__).with_name(f"{root}.txt")


@functools.cache
def table(root: str) -> dict[str, Signature]:
    """Returns a mapping: dotted name, without the root -> signature, for a framework's newest release."""
    signatures: dict[str, Signature] = {}
    for line in path(root).read_text(encoding="utf-8").splitlines():
        head, _, names = line.rpartition(" | ")
        module, _, taken = head.partition(" ")
        signature = Signature(tuple(Parameter(text.strip("=?"), text.startswith("="), text.endswith("?")) for text in taken.split()))
        for name in names.split():
            signatures[name if module == "." else f"{module}.{name}"] = signature
    return signatures
