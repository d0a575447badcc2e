"""Uses that need more than another name: by the name, without the root, what writes them."""

from __future__ import annotations

from collections.abc import Mapping

from . import calls, classes, flags
from .session import Rewriter

REWRITERS: Mapping[str, Rewriter] = {**calls.REWRITERS, **classes.REWRITERS, **flags.REWRITERS}
"""Name -> what writes its uses."""
