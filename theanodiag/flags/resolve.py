"""What a library makes of an environment: every flag's value and origin, or the error with which it refuses to start."""

from __future__ import annotations

from collections.abc import Mapping

from .model import Dialect, Host, ReadFile, Resolution


def resolve(dialect: Dialect, version: str, environ: Mapping[str, str], read_file: ReadFile, host: Host) -> Resolution:
    """Reads the flags variable and the rc files of `environ` as that version of the library does."""
    raise NotImplementedError
