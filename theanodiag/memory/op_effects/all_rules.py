"""The rules of all op families in one table."""

from __future__ import annotations

from collections.abc import Mapping

from . import basic, blas, conv, indexing, scan
from .base import Rule, by_maps

FAMILIES = (indexing, basic, blas, conv, scan)
"""The modules of this package, one for each family of Ops; each has a `RULES`."""

RULES: Mapping[str, Rule] = {name: rule for family in FAMILIES for name, rule in family.RULES.items()}
"""Memory rule by class name of the Op."""


def rule_of(name: str) -> Rule:
    """The rule of the Op class `name`; `by_maps` where it has none of its own."""
    return RULES.get(name, by_maps)
