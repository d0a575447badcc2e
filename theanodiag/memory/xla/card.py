"""What of a GPU decides how XLA computes on it."""

from __future__ import annotations

from dataclasses import dataclass

from ...devices.xla_target import ASSUMED, CAPABILITIES, CHIPS

COMPILES_PRODUCTS = (8, 0)
"""From this compute capability on XLA generates code for matrix products itself; below it calls cuBLAS."""
CUBLAS = 4 << 20
"""Bytes of workspace that XLA gives to cuBLAS (service/gpu, `GemmRewriter`)."""


@dataclass(frozen=True)
class XlaCard:
    """A GPU as XLA's compiler sees it."""

    cores: int
    """Number of multiprocessors."""
    capability: tuple[int, int]
    """Compute capability."""

    @classmethod
    def of(cls, chip: str = ASSUMED) -> XlaCard:
        """The card of a name in `CHIPS`."""
        return cls(CHIPS[chip].cores, CAPABILITIES[chip])

    @property
    def cublas(self) -> int:
        """Bytes of workspace for cuBLAS while a matrix product runs; 0 where XLA compiles products itself."""
        return 0 if self.capability >= COMPILES_PRODUCTS else CUBLAS
