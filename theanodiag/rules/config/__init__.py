"""TD2: rules about flags, one module for each subject."""

from __future__ import annotations

from ...findings import Finding
from ...flags.diagnose import ConfigSubject
from ..base import Rule, rules_in
from . import compilers, cuda_libraries, devices, flag_names, flag_values, modes, origins, preallocation, rc_syntax

CONFIG_RULES: tuple[Rule[ConfigSubject], ...] = rules_in(
    compilers, cuda_libraries, devices, flag_names, flag_values, modes, origins, preallocation, rc_syntax
)
"""All rules about flags, sorted by code."""


def findings(subject: ConfigSubject) -> tuple[Finding, ...]:
    """Returns the findings of all rules on a configuration, ordered by place."""
    findings = (f for rule in CONFIG_RULES for f in rule.check(subject))
    return tuple(sorted(findings, key=lambda f: (f.location.path, f.location.line or 0, f.location.column or 0, f.code)))
