"""Adds flags to the framework's variable in a process's environment, after the user's own."""

from __future__ import annotations

from collections.abc import Mapping

VARIABLES = {"theano": "THEANO_FLAGS", "theano-pymc": "THEANO_FLAGS", "aesara": "AESARA_FLAGS", "pytensor": "PYTENSOR_FLAGS"}
"""Framework -> the environment variable that holds its flags; later flags in it override earlier ones."""


def with_flags(base: Mapping[str, str], framework: str, flags: Mapping[str, str]) -> dict[str, str]:
    """`base` with these flags appended to the framework's variable."""
    name = VARIABLES[framework]
    added = [f"{flag}={value}" for flag, value in flags.items()]
    return {**base, name: ",".join(part for part in (base.get(name, ""), *added) if part)} if added else dict(base)


def joined(seen: Mapping[str, object], name: str, more: str) -> str:
    """A flag whose value is a list joined by colons: the value in force (`seen`) with `more` appended."""
    before = seen.get(name)
    return ":".join(part for part in (before if isinstance(before, str) else "", more) if part)


def in_force(seen: Mapping[str, object], wanted: Mapping[str, str]) -> bool:
    """Whether all flags of `wanted` have these values in `seen`."""
    return all(str(seen.get(name)) == value for name, value in wanted.items())
