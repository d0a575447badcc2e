"""Predicted figures beside measured ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from ..ir import Unknown

Bytes = Union[int, Unknown]
"""A number of bytes, or Unknown with the reason."""


@dataclass(frozen=True)
class Verdict:
    """One figure, predicted and measured, in bytes."""

    name: str
    """Name of the figure, as in JSON: `live_peak_bytes` for instance."""
    predicted: Bytes
    """The predicted figure."""
    measured: Bytes
    """Unknown, with the reason, where the device or the framework does not report it."""

    @property
    def error_bytes(self) -> int | None:
        """Predicted minus measured, negative for an under-estimate; None where either is unknown."""
        if isinstance(self.predicted, Unknown) or isinstance(self.measured, Unknown):
            return None
        return self.predicted - self.measured

    @property
    def error_percent(self) -> float | None:
        """The error in per cent of the measured figure; None where either is unknown, or 0 was measured and more predicted."""
        error = self.error_bytes
        if error is None or isinstance(self.measured, Unknown) or (error and not self.measured):
            return None
        return 100.0 * error / self.measured if error else 0.0

    @property
    def under(self) -> bool:
        """Whether the prediction is an under-estimate."""
        return (self.error_bytes or 0) < 0


@dataclass(frozen=True)
class NodeVerdict:
    """Predicted and measured peak of live bytes while one node ran."""

    step: int
    """Position in the order in which the nodes ran (0-based)."""
    node: int
    """Apply id in the function's graph."""
    op: str
    """Text of the node's Op."""
    predicted: int
    """Predicted peak in bytes."""
    measured: int
    """Measured peak in bytes."""
