"""What writes the uses that need more than another name, of all tables: add to calls.py, classes.py or flags.py, not here."""

from __future__ import annotations

from collections.abc import Mapping

from . import calls, classes, flags
from .session import Rewriter

REWRITERS: Mapping[str, Rewriter] = {**calls.REWRITERS, **classes.REWRITERS, **flags.REWRITERS}
"""Name -> what writes its uses."""
