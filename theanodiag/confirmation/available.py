"""Finds out on which devices a script can be confirmed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Union

from ..devices import DeviceProfile
from ..files import user_cache
from ..probe.frameworks import Prober, framework_of, written
from ..probe.model import FrameworkSeen, SeenDevice
from .base import ConfirmDevice
from .compiled import CompiledDevice
from .kinds import KINDS, kind_of
from .simulated_cuda import CannotBuild, Libraries, build

Answer = Union[ConfirmDevice, str]
"""A device, or the reason why none is available."""


@dataclass(frozen=True)
class Circumstances:
    """The facts that decide whether a kind of device can be used: the script's interpreter, framework and flags, and the requested
    device."""

    python: str
    """The script's interpreter."""
    framework: str
    """`theano`, `theano-pymc`, `aesara` or `pytensor`."""
    flags: Mapping[str, object]
    """The flags in force in the script."""
    linkers: frozenset[str]
    """The linkers of the script's functions."""
    profile: DeviceProfile | None
    """The requested device (`--gpu`); None if none was named."""
    env: Mapping[str, str]
    """Environment of the processes that are started."""
    scratch: Path
    """A temporary folder."""

    @cached_property
    def pygpu(self) -> FrameworkSeen:
        """pygpu in the script's interpreter and its devices, each opened in a process of its own."""
        return framework_of("pygpu", Prober(written(self.scratch), self.env).ask(self.python, "pygpu"))

    def not_theano(self) -> str | None:
        """Why the script's framework cannot run on libgpuarray; None for Theano."""
        return None if self.framework == "theano" else f"only Theano 0.9 to 1.0.5 runs on libgpuarray, and the script uses {self.framework}"

    def opened(self, kind: str) -> SeenDevice | str:
        """The first device of libgpuarray of this kind, `cuda` or `opencl`, that opens; else the reason why there is none."""
        refused = self.not_theano()
        if refused is not None:
            return refused
        if self.pygpu.error is not None:
            return f"pygpu does not load in {self.python}: {self.pygpu.error}"
        rows = [d for d in self.pygpu.devices if d.backend == kind]
        device = next((d for d in rows if d.error is None), None)
        return device or next((d.error for d in rows if d.error), None) or f"libgpuarray finds no {kind} device"

    def libraries(self) -> Libraries | str:
        """The counting library and the simulated driver, kept in the user's cache; else the reason why they cannot be built."""
        try:
            return build(user_cache(self.env))
        except (CannotBuild, OSError) as error:
            return str(error)

    def on_pygpu(self, kind: str, make: Callable[[Libraries, SeenDevice, str], ConfirmDevice]) -> Answer:
        """`make(libraries, device, title)` for the first libgpuarray device of this kind that can be opened."""
        device = self.opened(kind)
        if isinstance(device, str):
            return device
        libraries = self.libraries()
        return libraries if isinstance(libraries, str) else make(libraries, device, device.title or "unnamed")

    def on_compiler(self, package: str, hosts: tuple[str, ...], pool: float, make: Callable[[str, int | None], CompiledDevice]) -> Answer:
        """`make(title, total bytes)` for the first GPU that `package` finds, else for the CPU, whose size is None.

        `hosts`: the frameworks that the package serves. `pool`: the share of a GPU that it reports as its size.
        """
        if self.framework not in hosts:
            return f"{package} serves {' and '.join(hosts)}, and the script uses {self.framework}"
        framework = framework_of(package, Prober(written(self.scratch), self.env).ask(self.python, package))
        if framework.error is not None:
            return f"{package} does not load in {self.python}: {framework.error}"
        gpus = [d for d in framework.devices if not d.name.startswith("cpu")]
        if not gpus:
            return make("the CPU", None)
        known = self.profile.total_bytes if self.profile is not None and self.profile.source == "NVML" else None
        return make(f"{gpus[0].name} ({gpus[0].title})", known or round((gpus[0].total_bytes or 0) / pool))


def probe(c: Circumstances, kind: str) -> Answer:
    """The device of a kind, one of `KINDS`, or the reason why there is none."""
    return kind_of(kind).find(c) if kind in KINDS else f"{kind} is not supported"


def best_first(c: Circumstances) -> tuple[str, ...]:
    """The kinds of devices to try, best first, if the user named none."""
    if c.profile is not None and c.profile.is_host:
        return ("cpu",)
    if c.framework == "theano":
        return ("cuda", "virtual", "opencl", "cpu") if c.profile is not None else ("cuda", "opencl", "cpu")
    compiled = tuple(kind for kind, linker in (("jax", "jax"), ("torch", "pytorch")) if linker in c.linkers)
    return (*compiled, "cpu")
