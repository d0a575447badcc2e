"""All rules by kind of subject, from the modules that hold them."""

from __future__ import annotations

from typing import Protocol

from . import confirmed, coverage, not_checked, numerics, sampling, unused_ignores
from .base import Rule, rules_in
from .confirmed import ConfirmedSubject
from .memory import (
    allocator,
    batches,
    capacity,
    class_scores,
    identities,
    independent_loops,
    large_arrays,
    lifetimes,
    loops,
    training,
    unused,
)
from .not_checked import UncheckedSubject
from .sampling import SamplingSubject
from .subject import ScriptSubject
from .transfers import graph, program
from .unused_ignores import UnusedSubject

SCRIPT_RULES: tuple[Rule[ScriptSubject], ...] = rules_in(
    coverage, capacity, batches, allocator, lifetimes, unused, loops, independent_loops, large_arrays, identities, class_scores, training,
    numerics, program, graph,
)  # fmt: skip
"""Rules about a simulated script."""

SAMPLING_RULES: tuple[Rule[SamplingSubject], ...] = rules_in(sampling)
"""Rules about calls of PyMC's samplers."""

CONFIRM_RULES: tuple[Rule[ConfirmedSubject], ...] = rules_in(confirmed)
"""Rules that compare a prediction with a real run."""

IGNORE_RULES: tuple[Rule[UnusedSubject], ...] = rules_in(unused_ignores)
"""Rules about comments that silence findings."""

OUTCOME_RULES: tuple[Rule[UncheckedSubject], ...] = rules_in(not_checked)
"""Rules about files without a complete result."""


class RulePage(Protocol):
    """The documentation of a rule, for rules about any kind of subject."""

    @property
    def code(self) -> str:
        """`TDnnn`."""

    @property
    def name(self) -> str:
        """Name in kebab-case."""

    @property
    def page(self) -> str:
        """The page that `theanodiag explain` prints."""

    @property
    def title(self) -> str:
        """First line of the page, without the code."""


def all_rules() -> tuple[RulePage, ...]:
    """Returns every rule, sorted by code."""
    from .config import CONFIG_RULES  # these and those of sources are slow to import, and not needed for reports on scripts
    from .source_registry import PORT_RULES, SOURCE_RULES, WEIGHTS_RULES

    listed: tuple[RulePage, ...] = (*CONFIG_RULES, *SCRIPT_RULES, *SAMPLING_RULES, *CONFIRM_RULES, *IGNORE_RULES, *OUTCOME_RULES)
    rules: tuple[RulePage, ...] = (*listed, *PORT_RULES, *WEIGHTS_RULES, *SOURCE_RULES)
    return tuple(sorted(rules, key=lambda rule: rule.code))
