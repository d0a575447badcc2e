"""A predicted figure beside the measured one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from ..ir import Unknown

Bytes = Union[int, Unknown]


@dataclass(frozen=True)
class Verdict:
    """One figure, predicted and measured."""

    name: str
    """As in JSON, such as `live_peak_bytes`."""
    predicted: Bytes
    measured: Bytes
    """Unknown where the device or the framework does not tell, with the reason."""

    @property
    def error_bytes(self) -> int | None:
        """Predicted less measured; below 0 for an under-estimate. None where one of them is unknown."""
        if isinstance(self.predicted, Unknown) or isinstance(self.measured, Unknown):
            return None
        return self.predicted - self.measured

    @property
    def error_percent(self) -> float | None:
        """The error in per cent of what was measured; None where it is unknown, or something was predicted and nothing measured."""
        error = self.error_bytes
        if error is None or isinstance(self.measured, Unknown) or (error and not self.measured):
            return None
        return 100.0 * error / self.measured if error else 0.0

    @property
    def under(self) -> bool:
        """Whether less was predicted than measured."""
        return (self.error_bytes or 0) < 0


@dataclass(frozen=True)
class NodeVerdict:
    """The highest live bytes while one node ran."""

    step: int
    """Position in the order in which the nodes ran (0-based)."""
    node: int
    """Apply id in the function's graph."""
    op: str
    predicted: int
    measured: int
