"""How much one file may cost: bytes that are unpacked of it, bytes of its arrays, opcodes of its pickles."""

from __future__ import annotations

MOST = 8 << 30
"""Bytes of a file, of what is unpacked of it, and of its arrays, whatever its size."""
FLOOR = 128 << 20
"""Bytes that are unpacked of any file, however small."""
RATIO = 100
"""Bytes that are unpacked for each byte of a file beyond that: weights of a network hardly shrink when they are packed."""
STEPS = 5_000_000
"""Opcodes that are followed of any file; beyond that, `STEPS_A_BYTE` for each byte of the file."""
STEPS_A_BYTE = 50


class Damaged(Exception):
    """The file is not what it says it is, or asks for more than it may; the message says what is wrong, `help` what to do."""

    def __init__(self, message: str, help: str = "download it again, or name a file that a library wrote") -> None:
        super().__init__(message)
        self.help = help


class Budget:
    """What is left of what a file may cost."""

    def __init__(self, size: int) -> None:
        self.most = min(MOST, max(FLOOR, RATIO * size))
        self.size = size
        self.unpacked = self.arrays = self.most
        self.steps = STEPS + STEPS_A_BYTE * size

    def unpack(self, count: int) -> None:
        """Takes bytes of what is unpacked. Raises Damaged where there are too many."""
        self.unpacked -= count
        if self.unpacked < 0:
            raise Damaged(f"it unpacks to more than {self._allowed()}", "unpack it yourself where there is room, and name what came out")

    def hold(self, count: int) -> None:
        """Takes bytes of an array. Raises Damaged where there are too many."""
        self.arrays -= count
        if self.arrays < 0:
            raise Damaged(f"its arrays have more than {self._allowed()}", "convert it where it was made")

    def step(self, count: int) -> None:
        """Takes opcodes of a pickle. Raises Damaged where there are too many."""
        self.steps -= count
        if self.steps < 0:
            raise Damaged("its pickle has more opcodes than a model of its size needs")

    def _allowed(self) -> str:
        return f"{self.most >> 20} MiB, for a file of {self.size} bytes"
