"""The rules of all op families in one table."""

from __future__ import annotations

from collections.abc import Mapping

from . import advanced, basic, blas, conv, cumulative, elemwise, from_graph, indexing, lazy, libraries, random, scan
from .base import Rule, by_maps

FAMILIES = (advanced, basic, blas, conv, cumulative, elemwise, from_graph, indexing, lazy, libraries, random, scan)

RULES: Mapping[str, Rule] = {name: rule for family in FAMILIES for name, rule in family.RULES.items()}


def rule_of(name: str) -> Rule:
    """The rule of an op by its class name; what its view_map and destroy_map say where it has none of its own."""
    return RULES.get(name, by_maps)
