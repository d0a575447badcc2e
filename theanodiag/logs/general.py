"""Reads the size of a failed request, and of what memory, from a message of no known form."""

from __future__ import annotations

import re
from typing import NamedTuple

from . import amounts
from .model import Cause, FailedRequest

REACH = 600
"""Characters from the beginning of the error's line that are read."""
_FAILED = re.compile(
    r"(?i)\b(?:fail(?:ed|ure|s)?|unable|can ?not|can't|could(?: not|n't)|out of memory|oom|not enough|insufficient|exceed\w*|exhaust\w*|"
    r"too (?:large|big)|tr(?:ied|ying)|memory ?error)\b|MemoryError|OutOfMemory"
)
_SIZE = r"(?P<size>\d[\d,]{0,23}(?:\.\d{0,9})?) ?(?P<unit>(?:[kmgt]i?)?b(?:ytes?)?|[kmgt])\b"
_ASKED = re.compile(rf"(?i)(?:alloc(?:at\w{{1,5}})?|malloc|mmap|reserve|request(?:ed|ing)?|out of memory)\b\D{{0,60}}{_SIZE}")
_DEVICE = re.compile(r"(?i)\b(?:gpu|cuda|device memory|hbm|vram|hip|rocm|tpu)\b|cuda[A-Z]|CUDA_")
_HOST = re.compile(r"(?i)\b(?:host memory|main memory|system memory|cpu memory|ram)\b")


class Read(NamedTuple):
    """What an error says of memory, in whatever words."""

    cause: Cause
    """NOT_RECOGNISED where it is not certain whether memory ran out, or which."""
    request: FailedRequest


def read(error: str) -> Read:
    """The request in an error's text, and a cause where the class of the exception or the words leave one only."""
    error = error[:REACH]
    asked = _ASKED.search(error) if _FAILED.search(error) else None
    size = _bytes(asked) if asked else None
    ran_out = asked is not None or re.search(r"(?i)\bout of (?:\w+ )?memory\b|\bMemoryError\b|OutOfMemory", error) is not None
    cause = Cause.NOT_RECOGNISED
    if ran_out and _DEVICE.search(error):
        cause = Cause.CAPACITY if size is not None else Cause.DEVICE_UNKNOWN_SIZE
    elif ran_out and _HOST.search(error):
        cause = Cause.HOST_MEMORY
    return Read(cause, FailedRequest(size, asked is not None and asked["unit"][0] not in "bB"))


def _bytes(asked: re.Match[str]) -> int:
    return amounts.amount(f"{asked['size'].replace(',', '')} {asked['unit'][:1].upper() if asked['unit'][:1] not in 'bB' else ''}B")
