"""Where the user's configuration and caches lie (XDG Base Directory Specification)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def config(env: Mapping[str, str]) -> Path:
    """theanodiag's folder for configuration."""
    return _home(env, "XDG_CONFIG_HOME", ".config")


def cache(env: Mapping[str, str]) -> Path:
    """theanodiag's folder for files that can be made again."""
    return _home(env, "XDG_CACHE_HOME", ".cache")


def _home(env: Mapping[str, str], variable: str, usual: str) -> Path:
    """The folder that `variable` names, else `usual` in the home folder; a relative path is ignored, as the specification says."""
    given = env.get(variable, "")
    return (Path(given) if os.path.isabs(given) else Path(env.get("HOME") or os.path.expanduser("~"), usual)) / "theanodiag"
