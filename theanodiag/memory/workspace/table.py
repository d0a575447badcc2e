"""The rules of all op families in one table."""

from __future__ import annotations

from collections.abc import Mapping

from . import scan
from .base import Rule, by_maps

RULES: Mapping[str, Rule] = {**scan.RULES}


def rule_of(name: str) -> Rule:
    """The rule of an op by its class name; what its view_map and destroy_map say where it has none of its own."""
    return RULES.get(name, by_maps)
