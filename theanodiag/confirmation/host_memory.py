"""The host memory of this machine, and what limits it for a job."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..devices import HOST, DeviceProfile
from ..devices.profile import PHYSICAL
from ..units import MIB

GROUPS = Path("/sys/fs/cgroup")
"""The folder in which Linux mounts the control groups."""
OWN_GROUPS = Path("/proc/self/cgroup")
"""The file that lists the control groups of this process, one per line: `0::/path` for version 2, `4:memory:/path` for version 1."""


@dataclass(frozen=True)
class HostLimit:
    """Host memory available to a job in bytes, and what limits it."""

    bytes: int
    source: str
    """`physical memory`, or the lower limit, as named in messages."""


def host_limit(env: Mapping[str, str], groups: Path = GROUPS, own: Path = OWN_GROUPS) -> HostLimit | None:
    """Returns the lowest of physical memory and the limits set by control groups (containers, systemd, job schedulers), SLURM and `ulimit`;
    None if the system does not report its memory.
    """
    try:
        physical = HostLimit(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), PHYSICAL)
    except (AttributeError, OSError, ValueError):
        return None
    return min((physical, *_group_limits(groups, own), *_slurm_limits(env), *_process_limits()), key=lambda limit: limit.bytes)


def _group_limits(groups: Path, own: Path) -> Iterator[HostLimit]:
    """Yields the memory limits of this process's control groups and their parents, up to the container's own."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        for line in own.read_text("utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers == "":
                yield from _upwards(groups, path, "memory.max")
            elif "memory" in controllers.split(","):
                yield from _upwards(groups / "memory", path, "memory.limit_in_bytes")
        return
    yield from _upwards(groups, "/", "memory.max")


def _upwards(top: Path, path: str, name: str) -> Iterator[HostLimit]:
    folder = Path(path.lstrip("/"))
    for at in (folder, *folder.parents):
        with contextlib.suppress(OSError, ValueError), open(top / at / name, encoding="ascii") as file:
            yield HostLimit(int(file.read(64)), "the control group of this process")  # "max" is no number


def _slurm_limits(env: Mapping[str, str]) -> Iterator[HostLimit]:
    """The memory requested from SLURM, in MiB (sbatch's manual, "OUTPUT ENVIRONMENT VARIABLES"); 0 means all of the node."""
    node, each, processors = (env.get(name, "") for name in ("SLURM_MEM_PER_NODE", "SLURM_MEM_PER_CPU", "SLURM_CPUS_ON_NODE"))
    if node.isdecimal() and int(node):
        yield HostLimit(int(node) * MIB, "SLURM_MEM_PER_NODE")
    if each.isdecimal() and int(each) and processors.isdecimal():
        yield HostLimit(int(each) * int(processors) * MIB, "SLURM_MEM_PER_CPU")


def _process_limits() -> Iterator[HostLimit]:
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, name in ((resource.RLIMIT_AS, "ulimit -v"), (resource.RLIMIT_DATA, "ulimit -d")):
        soft = resource.getrlimit(kind)[0]
        if soft != resource.RLIM_INFINITY:
            yield HostLimit(soft, name)


def memory_bytes() -> int | None:
    """Returns the bytes available to processes on this machine; None if the system does not report it."""
    limit = host_limit(os.environ)
    return None if limit is None else limit.bytes


def this_host() -> DeviceProfile:
    """Returns the profile of this host, with the memory available to a job."""
    limit = host_limit(os.environ)
    return HOST if limit is None else dataclasses.replace(HOST, free_bytes=limit.bytes, source=limit.source)


def other_host(memory: int) -> DeviceProfile:
    """Returns the profile of another host, on which `memory` bytes are available to a job."""
    return dataclasses.replace(HOST, free_bytes=memory, source="--host-memory")
