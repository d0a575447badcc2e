"""The rules about files that are read but not run. They are separate from `registry` because they import the modules of `port`."""

from __future__ import annotations

from ..porting.model import FileReport
from ..porting.session import PortSession
from . import pickles, porting, source_hazards
from .base import Rule, rules_in

PORT_RULES: tuple[Rule[FileReport], ...] = rules_in(porting)
"""Rules about sources that `port` changes."""

WEIGHTS_RULES: tuple[Rule[pickles.Subject], ...] = rules_in(pickles)
"""Rules about files of weights."""

SOURCE_RULES: tuple[Rule[PortSession], ...] = rules_in(source_hazards)
"""Rules about a source that is read but not run."""
