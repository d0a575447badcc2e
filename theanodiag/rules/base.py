"""The Rule type: a permanent code, a check on one kind of subject, a documentation page, one example with a finding and one without."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, Generic, TypeVar

from ..attempts import Attempts
from ..findings import Finding

S = TypeVar("S")

HEADINGS = ("What it finds", "Why it matters", "Example", "What to do", "Limits")
"""Sections of every rule's page, in this order."""


@dataclass(frozen=True)
class Rule(Generic[S]):
    """A rule about subjects of type `S`, such as a resolved configuration or a simulated script."""

    code: str
    """`TDnnn`; never reused for another rule."""
    name: str
    """Name in kebab-case, such as `does-not-fit`."""
    check: Callable[[S], Iterator[Finding]]
    """Yields the findings about a subject."""
    page: str
    """Its documentation: a title line, then the sections `HEADINGS`. It is the docstring of the rule's function."""
    fires: Callable[[], S]
    """Creates a subject on which the rule finds something."""
    silent: Callable[[], S]
    """Creates a near miss: a similar subject on which the rule finds nothing."""

    @property
    def title(self) -> str:
        """First line of the page, without the code."""
        return self.page.strip().splitlines()[0].partition(": ")[2]

    @property
    def label(self) -> str:
        """Code and name, such as `TD301 (does-not-fit)`."""
        return f"{self.code} ({self.name})"

    def found(self, subject: S, attempts: Attempts, finish: Callable[[Finding], Finding] = lambda f: f) -> list[Finding]:
        """Returns the findings about a subject, each passed through `finish`. If the rule or `finish` has a bug, only this rule ends
        (`Attempts`).
        """
        return attempts.results(self.label, lambda: map(finish, self.check(subject)))


def rule(code: str, name: str, fires: Callable[[], S], silent: Callable[[], S]) -> Callable[[Callable[[S], Iterator[Finding]]], Rule[S]]:
    """Returns a decorator that turns a generator of findings into a Rule; the function's docstring is the rule's page."""

    def decorator(check: Callable[[S], Iterator[Finding]]) -> Rule[S]:
        return Rule(code, name, check, inspect.cleandoc(check.__doc__ or _docstring(check)) + "\n", fires, silent)

    return decorator


@cache
def _source(module: str) -> ast.Module:
    """A module's file, parsed: with PYTHONOPTIMIZE=2 Python keeps no docstring in memory, and pages are docstrings."""
    return ast.parse(inspect.getsource(sys.modules[module]))


def _docstring(function: Callable[..., object]) -> str:
    same = (n for n in _source(function.__module__).body if isinstance(n, ast.FunctionDef) and n.name == function.__name__)
    return next((ast.get_docstring(n) or "" for n in same), "")


def rules_in(*modules: ModuleType) -> tuple[Rule[Any], ...]:
    """Returns the rules defined at the top level of these modules, sorted by code."""
    rules = [value for module in modules for value in vars(module).values() if isinstance(value, Rule)]
    return tuple(sorted(rules, key=lambda r: r.code))
