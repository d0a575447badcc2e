"""Resource limits for one file: unpacked bytes, bytes of arrays, and opcodes of pickles."""

from __future__ import annotations

MOST = 8 << 30
"""Maximum bytes of a file, of its unpacked content, and of its arrays, whatever its size."""
FLOOR = 128 << 20
"""Bytes that may be unpacked from any file, however small."""
RATIO = 100
"""Additional bytes that may be unpacked for each byte of a file: network weights hardly compress."""
STEPS = 5_000_000
"""Maximum number of opcodes for any file; `STEPS_A_BYTE` is added for each byte of the file."""
STEPS_A_BYTE = 50


class Damaged(Exception):
    """The file is not valid, or exceeds a limit; the message says what is wrong, and `help` what to do."""

    def __init__(self, message: str, help: str = "download it again, or name a file that a library wrote") -> None:
        super().__init__(message)
        self.help = help


class Budget:
    """The remaining limits for one file."""

    def __init__(self, size: int) -> None:
        self.most = min(MOST, max(FLOOR, RATIO * size))
        self.size = size
        self.unpacked = self.arrays = self.most
        self.steps = STEPS + STEPS_A_BYTE * size

    def unpack(self, count: int) -> None:
        """Uses up `count` unpacked bytes. Raises Damaged if the limit is exceeded."""
        self.unpacked -= count
        if self.unpacked < 0:
            raise Damaged(f"it unpacks to more than {self._allowed()}", "unpack it yourself, and pass the result")

    def hold(self, count: int) -> None:
        """Uses up `count` bytes of an array. Raises Damaged if the limit is exceeded."""
        self.arrays -= count
        if self.arrays < 0:
            raise Damaged(f"its arrays have more than {self._allowed()}", "convert it on the machine where it was created")

    def step(self, count: int) -> None:
        """Uses up `count` opcodes of a pickle. Raises Damaged if the limit is exceeded."""
        self.steps -= count
        if self.steps < 0:
            raise Damaged("its pickle has more opcodes than a model of its size needs")

    def _allowed(self) -> str:
        return f"{self.most >> 20} MiB, for a file of {self.size} bytes"
