"""What `theanodiag doctor` found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SeenDevice:
    """A device as a framework sees it."""

    backend: str
    """`cuda` or `opencl` (through pygpu), `jax` or `torch`."""
    name: str
    """As flags write it, such as `cuda0`, `opencl0:0`, `cpu:0`."""
    title: str | None = None
    """What the driver calls it."""
    total_bytes: int | None = None
    free_bytes: int | None = None
    arch: str | None = None
    """What libgpuarray compiles kernels for, such as `compute_90`."""
    error: str | None = None
    """Why it does not open."""


@dataclass(frozen=True)
class FrameworkSeen:
    """One framework in one interpreter."""

    name: str
    version: str | None
    path: str | None
    devices: tuple[SeenDevice, ...] = ()
    error: str | None = None
    """Why it cannot be imported; the exception's first line."""


@dataclass(frozen=True)
class InterpreterSeen:
    """One interpreter."""

    path: str
    version: str
    prefix: str
    """Its environment's folder."""
    site: tuple[str, ...] = ()
    """Folders from which it imports packages."""
    frameworks: tuple[FrameworkSeen, ...] = ()
    error: str | None = None
    """Why it does not run."""

    def framework(self, *names: str) -> FrameworkSeen | None:
        """The first of the named frameworks that can be imported."""
        sound = {f.name: f for f in self.frameworks if f.error is None}
        return next((sound[n] for n in names if n in sound), None)


@dataclass(frozen=True)
class LibrarySeen:
    """A shared library that libgpuarray may need."""

    path: str
    """Where it lies, or the bare name where the loader was asked."""
    cuda: tuple[int, int] | None = None
    """The CUDA version that it belongs to; of a driver: the newest that it serves."""
    archs: tuple[int, ...] = ()
    """Of a compiler: the compute capabilities that it knows, such as 90."""
    compiles: bool | None = None
    """Of a compiler: whether it compiled a kernel; it needs its builtins beside it."""
    error: str | None = None
    """Why it does not open."""


@dataclass(frozen=True)
class GpuSeen:
    """A GPU as NVML describes it."""

    name: str
    total_bytes: int
    free_bytes: int
    capability: tuple[int, int] | None


@dataclass(frozen=True)
class NvidiaDriver:
    """The NVIDIA driver."""

    version: str
    cuda: tuple[int, int]
    """The newest CUDA that it serves."""


@dataclass(frozen=True)
class Ability:
    """One kind of device that `--confirm` can use, or why it cannot."""

    kind: str
    ready: bool
    line: str
    """What it is, or what is missing."""
    interpreter: str | None = None
    """The interpreter that has all it needs."""
    command: str | None = None
    """The next command: to confirm where it is ready, else to get there."""


@dataclass(frozen=True)
class ProbeResult:
    """All that was found."""

    interpreters: tuple[InterpreterSeen, ...]
    libraries: tuple[LibrarySeen, ...] = ()
    """The names that libgpuarray asks for, and files that may serve them."""
    driver: NvidiaDriver | None = None
    no_driver: str | None = None
    """Why nothing is known of a driver."""
    gpus: tuple[GpuSeen, ...] = ()
    compiler: str | None = None
    """The C compiler."""

