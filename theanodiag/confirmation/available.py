"""The devices of a kind that a script's interpreter has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Union

from ..devices import DeviceProfile
from ..probe.frameworks import Prober, framework_of, written
from ..probe.model import FrameworkSeen, SeenDevice
from .base import ConfirmDevice
from .compiled import POOL, CompiledDevice, jax, torch
from .host import host
from .pygpu import cuda, opencl, virtual
from .simulated_cuda import CannotBuild, Libraries, build
from .user_folders import cache

Answer = Union[ConfirmDevice, str]
NOT_THEANO = "only Theano 0.9 to 1.0.5 runs on libgpuarray"


@dataclass(frozen=True)
class Circumstances:
    """What decides whether a kind of device can be used: the script's interpreter and framework, its flags, the device asked about."""

    python: str
    """The script's interpreter."""
    framework: str
    """`theano`, `theano-pymc`, `aesara` or `pytensor`."""
    flags: Mapping[str, object]
    """The flags in force in the script."""
    linkers: frozenset[str]
    """The linkers of the script's functions."""
    profile: DeviceProfile | None
    """The device asked about (`--gpu`); None where none was named."""
    env: Mapping[str, str]
    """Environment of the processes that are started."""
    scratch: Path
    """A temporary folder."""

    @cached_property
    def pygpu(self) -> FrameworkSeen:
        """pygpu in the script's interpreter and its devices, each opened in a process of its own."""
        return framework_of("pygpu", Prober(written(self.scratch), self.env).ask(self.python, "pygpu"))

    def opened(self, kind: str) -> SeenDevice | str:
        """The first device of libgpuarray of this kind, `cuda` or `opencl`, that opens; else the reason why there is none."""
        if self.framework != "theano":
            return f"{NOT_THEANO}, and the script uses {self.framework}"
        if self.pygpu.error is not None:
            return f"pygpu does not load in {self.python}: {self.pygpu.error}"
        rows = [d for d in self.pygpu.devices if d.backend == kind]
        found = next((d for d in rows if d.error is None), None)
        return found or next((d.error for d in rows if d.error), None) or f"libgpuarray finds no {kind} device"

    def libraries(self) -> Libraries | str:
        """The counting library and the simulated driver, built once and kept in the user's cache; else the reason why they cannot be built.
        """
        try:
            return build(cache(self.env))
        except (CannotBuild, OSError) as error:
            return str(error)


def _opened(c: Circumstances, kind: str, make: Callable[[Libraries, SeenDevice, str], ConfirmDevice]) -> Answer:
    """What `make` makes of the first device of a kind that opens and the library before libgpuarray; the third argument is its title."""
    found = c.opened(kind)
    if isinstance(found, str):
        return found
    libraries = c.libraries()
    return libraries if isinstance(libraries, str) else make(libraries, found, found.title or "unnamed")


def _cuda(c: Circumstances) -> Answer:
    return _opened(c, "cuda", lambda libraries, d, title: cuda(libraries, d.name, title, d.total_bytes, d.free_bytes))


def _virtual(c: Circumstances) -> Answer:
    if c.framework != "theano":
        return f"{NOT_THEANO}, and the script uses {c.framework}"
    if c.profile is None or c.profile.is_host:
        return "no device is named: --gpu says which one to simulate"
    if c.pygpu.error is not None:
        return f"pygpu does not load in {c.python}: {c.pygpu.error}"
    libraries = c.libraries()
    return libraries if isinstance(libraries, str) else virtual(libraries, c.profile, c.flags)


def _opencl(c: Circumstances) -> Answer:
    return _opened(c, "opencl", lambda libraries, d, title: opencl(libraries, d.name, title, d.total_bytes, c.flags))


def _cpu(c: Circumstances) -> Answer:
    return host(c.flags)


def _jax(c: Circumstances) -> Answer:
    return _compiled(c, "jax", ("pytensor", "aesara"), jax)


def _torch(c: Circumstances) -> Answer:
    return _compiled(c, "torch", ("pytensor",), torch)


def _compiled(c: Circumstances, package: str, hosts: tuple[str, ...], make: Callable[[str, int | None], CompiledDevice]) -> Answer:
    """A compiler beside the framework: on a GPU where it sees one."""
    if c.framework not in hosts:
        return f"{package} serves {' and '.join(hosts)}, and the script uses {c.framework}"
    found = framework_of(package, Prober(written(c.scratch), c.env).ask(c.python, package))
    if found.error is not None:
        return f"{package} does not load in {c.python}: {found.error}"
    gpus = [d for d in found.devices if not d.name.startswith("cpu")]
    if not gpus:
        return make("the CPU", None)
    # XLA tells the size of its pool, NVML that of the device.
    known = c.profile.total_bytes if c.profile is not None and c.profile.source == "NVML" else None
    pool = gpus[0].total_bytes or 0
    return make(f"{gpus[0].name} ({gpus[0].title})", known or (round(pool / POOL) if package == "jax" else pool))


PROBES: dict[str, Callable[[Circumstances], Answer]] = {
    "cuda": _cuda, "virtual": _virtual, "opencl": _opencl, "jax": _jax, "torch": _torch, "cpu": _cpu,
}  # fmt: skip
"""Kind -> what looks for it."""


def probe(c: Circumstances, kind: str) -> Answer:
    """The device of a kind, or why there is none."""
    found = PROBES.get(kind)
    return f"{kind} is not supported" if found is None else found(c)


def best_first(c: Circumstances) -> tuple[str, ...]:
    """The kinds of devices to try, best first, where the user named none."""
    if c.profile is not None and c.profile.is_host:
        return ("cpu",)
    if c.framework == "theano":
        return ("cuda", "virtual", "opencl", "cpu") if c.profile is not None else ("cuda", "opencl", "cpu")
    compiled = tuple(kind for kind, linker in (("jax", "jax"), ("torch", "pytorch")) if linker in c.linkers)
    return (*compiled, "cpu")
