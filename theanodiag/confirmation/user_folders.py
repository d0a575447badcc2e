"""Where the user's settings and caches of programs are (XDG Base Directory Specification)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def config(env: Mapping[str, str]) -> Path:
    """The folder of our settings."""
    return _home(env, "XDG_CONFIG_HOME", ".config")


def cache(env: Mapping[str, str]) -> Path:
    """The folder of what can be made again."""
    return _home(env, "XDG_CACHE_HOME", ".cache")


def _home(env: Mapping[str, str], variable: str, usual: str) -> Path:
    """A path that is not absolute is ignored, as the specification wants it."""
    given = env.get(variable, "")
    return (Path(given) if os.path.isabs(given) else Path(env.get("HOME") or os.path.expanduser("~"), usual)) / "theanodiag"
