"""What a rule is: a permanent code, a check on one kind of subject, its page, and one example each that fires and stays silent."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Generic, TypeVar

from ..findings import Finding

S = TypeVar("S")

HEADINGS = ("What it finds", "Why it matters", "Example", "What to do", "Limits")
"""Sections that the page of every rule has, in this order."""


@dataclass(frozen=True)
class Rule(Generic[S]):
    """One rule about subjects of type `S` (a resolved configuration, a simulated script)."""

    code: str
    """`TDnnn`; never reused."""
    name: str
    """kebab-case, such as `does-not-fit`."""
    check: Callable[[S], Iterator[Finding]]
    page: str
    """A title line, then the `HEADINGS`: the docstring of the rule's function, or of its file where that holds one rule."""
    fires: Callable[[], S]
    """Makes a subject on which the rule finds something."""
    silent: Callable[[], S]
    """Makes a near miss: a subject on which it finds nothing."""

    @property
    def title(self) -> str:
        """The first line of the page, without the code."""
        return self.page.strip().splitlines()[0].partition(": ")[2]


def rule(code: str, name: str, fires: Callable[[], S], silent: Callable[[], S]) -> Callable[[Callable[[S], Iterator[Finding]]], Rule[S]]:
    """Makes a Rule of the function below, which yields its findings; the function's docstring is the rule's page."""

    def made(check: Callable[[S], Iterator[Finding]]) -> Rule[S]:
        return Rule(code, name, check, inspect.cleandoc(check.__doc__ or "") + "\n", fires, silent)

    return made


def rules_in(*modules: ModuleType) -> tuple[Rule[Any], ...]:
    """The rules that stand at the top level of these files, by code."""
    found = [value for module in modules for value in vars(module).values() if isinstance(value, Rule)]
    return tuple(sorted(found, key=lambda r: r.code))
