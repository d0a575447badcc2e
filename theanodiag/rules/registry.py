"""All rules by kind of subject, from the modules that hold them."""

from __future__ import annotations

from typing import Protocol

from ..porting.model import FileReport
from ..porting.session import Session
from . import confirmed, coverage, numerics, pickles, porting, sampling, source_hazards, unused_ignores
from .base import Rule, rules_in
from .confirmed import ConfirmedSubject
from .memory import allocator, batches, capacity, classes, large_arrays, lifetimes, loops, training, unused
from .sampling import SamplingSubject
from .subject import ScriptSubject
from .transfers import graph, program
from .unused_ignores import UnusedSubject

SCRIPT_RULES: tuple[Rule[ScriptSubject], ...] = rules_in(
    coverage, capacity, batches, allocator, lifetimes, unused, loops, large_arrays, classes, training, numerics, program, graph
)
"""Rules about a simulated script."""

SAMPLING_RULES: tuple[Rule[SamplingSubject], ...] = rules_in(sampling)
"""Rules about calls of PyMC's samplers."""

CONFIRM_RULES: tuple[Rule[ConfirmedSubject], ...] = rules_in(confirmed)
"""Rules about a prediction beside a real run."""

IGNORE_RULES: tuple[Rule[UnusedSubject], ...] = rules_in(unused_ignores)
"""Rules about comments that silence findings."""

PORT_RULES: tuple[Rule[FileReport], ...] = rules_in(porting)
"""Rules about sources that `port` changes."""

WEIGHTS_RULES: tuple[Rule[pickles.Subject], ...] = rules_in(pickles)
"""Rules about files of weights."""

SOURCE_RULES: tuple[Rule[Session], ...] = rules_in(source_hazards)
"""Rules about a source that is only read."""


class RulePage(Protocol):
    """What documentation needs of a rule, whatever its subject."""

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
    """Every rule, sorted by code."""
    from .config import CONFIG_RULES  # slow to import, and not needed for reports on scripts

    listed: tuple[RulePage, ...] = (*CONFIG_RULES, *SCRIPT_RULES, *SAMPLING_RULES, *CONFIRM_RULES, *IGNORE_RULES)
    found: tuple[RulePage, ...] = (*listed, *PORT_RULES, *WEIGHTS_RULES, *SOURCE_RULES)
    return tuple(sorted(found, key=lambda rule: rule.code))
