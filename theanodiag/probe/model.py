"""The results of probing this machine. Sizes are in bytes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SeenDevice:
    """A device that a framework reported."""

    backend: str
    """How it was found: `cuda` or `opencl` (through pygpu), `jax` or `torch`."""
    name: str
    """Its name in flags, such as `cuda0`, `opencl0:0`, `cpu:0`."""
    title: str | None = None
    """The device's name according to the driver."""
    total_bytes: int | None = None
    free_bytes: int | None = None
    arch: str | None = None
    """The architecture for which libgpuarray compiles kernels, such as `compute_90`."""
    error: str | None = None
    """Why it cannot be opened; None where it can."""


@dataclass(frozen=True)
class FrameworkSeen:
    """A framework found in an interpreter."""

    name: str
    version: str | None
    path: str | None
    """The folder of its package; None where it cannot be imported."""
    devices: tuple[SeenDevice, ...] = ()
    """The devices that the framework sees."""
    error: str | None = None
    """The first line of the exception that importing it raises; None where it can be imported."""


@dataclass(frozen=True)
class InterpreterSeen:
    """A Python interpreter that was probed, and the frameworks in it."""

    path: str
    version: str
    prefix: str
    """The folder of the interpreter's environment (sys.prefix)."""
    site: tuple[str, ...] = ()
    """The interpreter's site-packages folders."""
    frameworks: tuple[FrameworkSeen, ...] = ()
    """The frameworks in it, also those that fail to import."""
    error: str | None = None
    """Why it does not run; None where it does."""

    def framework(self, *names: str) -> FrameworkSeen | None:
        """Returns the first of the frameworks `names` that the interpreter can import; None if it can import none of them."""
        sound = {f.name: f for f in self.frameworks if f.error is None}
        return next((sound[n] for n in names if n in sound), None)


@dataclass(frozen=True)
class LibrarySeen:
    """A shared library that libgpuarray may need."""

    path: str
    """Its path, or the bare name that was given to the loader."""
    cuda: tuple[int, int] | None = None
    """Its CUDA version; for a driver the newest CUDA version that it supports."""
    archs: tuple[int, ...] = ()
    """For a compiler: the compute capabilities that it supports, such as 90."""
    compiles: bool | None = None
    """For a compiler: whether it compiled a kernel, which requires its builtins library in the same folder. None for other libraries."""
    error: str | None = None
    """Why it cannot be loaded; None where it can."""


@dataclass(frozen=True)
class GpuSeen:
    """A GPU as NVML describes it."""

    name: str
    total_bytes: int
    free_bytes: int
    capability: tuple[int, int] | None
    """CUDA compute capability; None where unknown."""


@dataclass(frozen=True)
class NvidiaDriver:
    """The NVIDIA driver that is installed on this machine."""

    version: str
    cuda: tuple[int, int]
    """The newest CUDA version that it supports."""


@dataclass(frozen=True)
class Ability:
    """Whether `--confirm` can use one kind of device on this machine."""

    kind: str
    """Name of the kind, one of `confirmation.KINDS`."""
    ready: bool
    """Whether everything needed is installed."""
    line: str
    """What the device is, or what is missing."""
    interpreter: str | None = None
    """An interpreter that has everything needed."""
    command: str | None = None
    """The command that confirms on it if it is ready, else one that supplies what is missing."""


@dataclass(frozen=True)
class ProbeResult:
    """Everything that was found on this machine."""

    interpreters: tuple[InterpreterSeen, ...]
    libraries: tuple[LibrarySeen, ...] = ()
    """The libraries that libgpuarray loads, and files that can provide them."""
    driver: NvidiaDriver | None = None
    """The NVIDIA driver; None where none was found."""
    no_driver: str | None = None
    """Why nothing is known about the driver; None if it is known."""
    gpus: tuple[GpuSeen, ...] = ()
    """The GPUs according to NVML."""
    compiler: str | None = None
    """Path of the C compiler; None where there is none."""
