"""The memory of the machine that theanodiag runs on."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence

from ..devices import HOST, DeviceProfile

LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Files with the memory limit of the container, for Linux control groups version 2 and 1."""


def memory_bytes(limits: Sequence[str] = LIMITS) -> int | None:
    """Bytes that processes here can have: physical memory, or the container's limit if that is lower; None if the system does not say."""
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
    """The host's profile with its memory in bytes."""
    return dataclasses.replace(HOST, free_bytes=memory_bytes())
