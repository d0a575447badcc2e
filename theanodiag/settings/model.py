"""A configuration as it was read: the file, and each value with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import Span


@dataclass(frozen=True)
class Given:
    """A value that a configuration gives."""

    value: object
    """As TOML has it: str, int, float, bool, a list of str, or a dict of lists of str."""
    span: Span
    """The place of its key."""


@dataclass(frozen=True)
class Configuration:
    """What one file says."""

    path: str
    """Absolute."""
    trusted: bool
    """Whether nobody but the user and root can have written it, or it was named on the command line."""
    values: Mapping[str, Given] = field(default_factory=dict)
    """By key, in the order of the file."""
