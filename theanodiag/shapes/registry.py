"""Shape rules by class name of the Op: an Op has a rule, deliberately none (no array), or is not supported."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Union

from ..ir import Shape, Unknown
from .state import Node

Shapes = Sequence[Union[Shape, Unknown, None]]
"""Shapes of the outputs; None for an output that is no array."""
Rule = Callable[[Node], Shapes]
"""Computes the shapes of a node's outputs; raises NoShape where nothing can be told."""


class Coverage(enum.Enum):
    """What the registry has for an Op."""

    RULE = "rule"
    """A rule."""
    NONE = "none"
    """Its outputs are no arrays, so it needs no rule."""
    UNSUPPORTED = "unsupported"
    """Nothing: the shapes of its outputs are unknown."""


class Registry:
    """Shape rules by class name; a name with `Gpu` in front has the same rule as without it, unless it has its own."""

    def __init__(self) -> None:
        self._rules: dict[str, Rule] = {}
        self._none: dict[str, str] = {}
        self._endings: dict[str, Rule] = {}
        self._found: dict[str, Rule | None] = {}
        """Results of `rule`, by name."""

    def add(self, rules: Mapping[str, Rule]) -> None:
        """Adds the rules of a family; raises ValueError for a name that is there already."""
        for name, rule in rules.items():
            self._claim(name)
            self._rules[name] = rule

    def add_none(self, names: Iterable[str], why: str) -> None:
        """Adds Ops whose outputs are no arrays, for the reason `why`; raises ValueError for a name that is there already."""
        for name in names:
            self._claim(name)
            self._none[name] = why

    def add_ending(self, ending: str, rule: Rule) -> None:
        """Adds a rule for all names with this ending that have none of their own."""
        self._claim(f"*{ending}")
        self._endings[ending] = rule

    def _claim(self, name: str) -> None:
        self._found.clear()
        if name in self._rules or name in self._none or name[1:] in self._endings:
            raise ValueError(f"{name} has a shape rule already")

    def rule(self, name: str) -> Rule | None:
        """The rule for Op class `name`; None where there is none."""
        try:
            return self._found[name]
        except KeyError:
            return self._found.setdefault(name, self._look_up(name))

    def _look_up(self, name: str) -> Rule | None:
        known = self._key(name)
        if known is not None:
            return self._rules.get(known)
        return next((rule for ending, rule in self._endings.items() if name.endswith(ending)), None)

    def _key(self, name: str) -> str | None:
        """`name`, with or without `Gpu`, as it was added; None where it was not."""
        for form in (name, name.removeprefix("Gpu")):
            if form in self._rules or form in self._none:
                return form
        return None

    def coverage(self, name: str) -> Coverage:
        """Whether Op class `name` has a rule, deliberately none, or is not supported."""
        if self.rule(name) is not None:
            return Coverage.RULE
        return Coverage.NONE if self._key(name) is not None else Coverage.UNSUPPORTED

    def names(self) -> tuple[str, ...]:
        """All names with a rule, sorted; `*RV` stands for all with that ending."""
        return tuple(sorted([*self._rules, *(f"*{e}" for e in self._endings)]))


@dataclass(frozen=True)
class Like:
    """The rule of an Op whose outputs have the shape of the input at `position`."""

    position: int
    """Position of the input."""

    def __call__(self, node: Node) -> Shapes:
        """The shape of that input, for each output."""
        return [node.shape(self.position)] * node.n_outputs


def like(position: int) -> Rule:
    """The rule of an Op whose outputs have the shape of the input at `position`."""
    return Like(position)
