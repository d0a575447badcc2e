"""What a rule is: a permanent code, a check on one kind of subject, its page, and one example each that fires and stays silent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..findings import Finding

S = TypeVar("S")

HEADINGS = ("What it finds", "Why it matters", "Example", "What to do", "Limits")
"""Sections that the docstring of every rule file has, in this order."""


@dataclass(frozen=True)
class Rule(Generic[S]):
    """One rule about subjects of type `S` (a resolved configuration, a simulated script)."""

    code: str
    """`TDnnn`; never reused."""
    name: str
    """kebab-case, such as `does-not-fit`."""
    check: Callable[[S], Iterator[Finding]]
    page: str
    """The docstring of the rule's file: a title line, then the `HEADINGS`."""
    fires: Callable[[], S]
    """Makes a subject on which the rule finds something."""
    silent: Callable[[], S]
    """Makes a near miss: a subject on which it finds nothing."""

    @property
    def title(self) -> str:
        """The first line of the page, without the code."""
        return self.page.strip().splitlines()[0].partition(": ")[2]
