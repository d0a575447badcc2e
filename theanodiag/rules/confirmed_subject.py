"""What the rules about a confirmation look at: figures of a real run beside the prediction."""

from __future__ import annotations

from dataclasses import dataclass

from ..memory.verdict import NodeVerdict, Verdict


@dataclass(frozen=True)
class ConfirmedFunction:
    """One function that really ran."""

    name: str
    calls: tuple[tuple[Verdict, ...], ...]
    """Per call the figures of memory that are predicted."""
    parted: NodeVerdict | None = None
    """The first node where prediction and measurement part."""
    bound: bool = False
    """Whether its prediction is a lower bound, since sizes are unknown."""


@dataclass(frozen=True)
class ConfirmedSubject:
    """A script, as it was predicted and as it ran."""

    model: str
    """Path of the script."""
    exact: bool
    """Whether the device tells figures to the byte."""
    functions: tuple[ConfirmedFunction, ...]
    facts: tuple[str, ...] = ()
    """Versions, flags and the device, a line each, for a report."""
