"""TD2: rules about flags, one module for each subject."""

from __future__ import annotations

from ...flags.diagnose import ConfigSubject
from ..base import Rule, rules_in
from . import compilers, cuda_libraries, devices, flag_names, flag_values, modes, origins, preallocation, precision, rc_syntax

CONFIG_RULES: tuple[Rule[ConfigSubject], ...] = rules_in(
    compilers, cuda_libraries, devices, flag_names, flag_values, modes, origins, preallocation, precision, rc_syntax
)
"""All rules about flags, sorted by code."""
