"""The memory of the machine that theanodiag runs on."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence

from ..devices import HOST, DeviceProfile

LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Files in which Linux says what a container may have: of control groups 2 and 1."""


def memory_bytes(limits: Sequence[str] = LIMITS) -> int | None:
    """What the processes here can have: the machine's memory, or less where the container is limited; None where nobody says it."""
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
    return min([physical, *_limits(limits)])


def _limits(paths: Sequence[str]) -> Iterator[int]:
    for path in paths:
        try:
            with open(path, encoding="ascii") as file:
                text = file.read(64).strip()
        except (OSError, UnicodeDecodeError):
            continue
        if text.isdecimal():
            yield int(text)


def this_host() -> DeviceProfile:
    """Host memory, with its size."""
    return dataclasses.replace(HOST, free_bytes=memory_bytes())
