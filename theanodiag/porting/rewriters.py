"""Uses that need more than another name: by the name, without the root, what writes them."""

from __future__ import annotations

from collections.abc import Mapping

from .session import Rewriter

REWRITERS: Mapping[str, Rewriter] = {}
"""Name -> what writes its uses."""
