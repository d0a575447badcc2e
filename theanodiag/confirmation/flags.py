"""Flags of a framework in the environment of a process, added behind those that the user has there."""

from __future__ import annotations

from collections.abc import Mapping

VARIABLES = {"theano": "THEANO_FLAGS", "theano-pymc": "THEANO_FLAGS", "aesara": "AESARA_FLAGS", "pytensor": "PYTENSOR_FLAGS"}
"""Framework -> the variable that it reads; later flags win over earlier ones."""


def with_flags(base: Mapping[str, str], framework: str, flags: Mapping[str, str]) -> dict[str, str]:
    """`base` with the flags."""
    name = VARIABLES[framework]
    added = [f"{flag}={value}" for flag, value in flags.items()]
    return {**base, name: ",".join(part for part in (base.get(name, ""), *added) if part)} if added else dict(base)


def joined(seen: Mapping[str, object], name: str, more: str) -> str:
    """A flag that is a list with colons between, as it is in force (`seen`), and `more` behind it."""
    before = seen.get(name)
    return ":".join(part for part in (before if isinstance(before, str) else "", more) if part)


def in_force(seen: Mapping[str, object], wanted: Mapping[str, str]) -> bool:
    """Whether the flags that a run had are those wanted."""
    return all(str(seen.get(name)) == value for name, value in wanted.items())
