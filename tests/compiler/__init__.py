"""A quicker g++ for the modules that the frameworks generate."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

HERE = str(Path(__file__).parent)


def come_first() -> None:
    """Puts it first on PATH, for this process and all that it starts."""
    path = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if HERE not in path:
        os.environ["PATH"] = os.pathsep.join([HERE, *path])
        os.environ["PRECOMPILED_HEADERS"] = str(Path(tempfile.gettempdir()) / "theanodiag-precompiled")
