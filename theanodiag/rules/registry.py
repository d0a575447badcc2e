"""All rules, in explicit tuples, by code."""

from __future__ import annotations

from typing import Protocol

from .base import Rule
from .config import CONFIG_RULES
from .coverage import td001_unknown_size
from .memory import td301_does_not_fit, td302_largest_at_peak, td310_preallocate
from .numerics import td401_float64_at_peak
from .subject import ScriptSubject

SCRIPT_RULES: tuple[Rule[ScriptSubject], ...] = (
    td001_unknown_size.RULE,
    td301_does_not_fit.RULE,
    td302_largest_at_peak.RULE,
    td310_preallocate.RULE,
    td401_float64_at_peak.RULE,
)
"""Rules about a simulated script; those about flags are `CONFIG_RULES`."""


class Page(Protocol):
    """What every rule shows of itself, whatever it looks at."""

    @property
    def code(self) -> str:
        """`TDnnn`."""

    @property
    def name(self) -> str:
        """kebab-case."""

    @property
    def page(self) -> str:
        """The page that `explain` prints."""

    @property
    def title(self) -> str:
        """Its first line."""


def all_rules() -> tuple[Page, ...]:
    """Every rule, by code."""
    return tuple(sorted((*CONFIG_RULES, *SCRIPT_RULES), key=lambda rule: rule.code))
