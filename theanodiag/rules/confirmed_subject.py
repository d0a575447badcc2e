"""The subject of rules about a confirmation: figures of a real run beside the prediction."""

from __future__ import annotations

from dataclasses import dataclass

from ..memory.verdict import NodeVerdict, Verdict


@dataclass(frozen=True)
class ConfirmedFunction:
    """One function that ran for real."""

    name: str
    calls: tuple[tuple[Verdict, ...], ...]
    """For each call, its predicted memory figures with the measured ones."""
    parted: NodeVerdict | None = None
    """The first node at which prediction and measurement differ."""
    bound: bool = False
    """Whether the prediction is a lower bound, since sizes are unknown."""


@dataclass(frozen=True)
class ConfirmedSubject:
    """A script's prediction and its real run."""

    model: str
    """Path of the script."""
    exact: bool
    """Whether the device reports figures exact to the byte."""
    functions: tuple[ConfirmedFunction, ...]
    """The functions that ran."""
    facts: tuple[str, ...] = ()
    """Versions, flags and the device, one line each, for a report of an error."""
