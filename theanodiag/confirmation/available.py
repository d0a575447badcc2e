"""On which devices a script can be confirmed: for each kind the device, or why there is none, and what this machine lacks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Union

from ..devices import DeviceProfile
from ..errors import UsageError
from ..files import user_cache
from ..probe.cuda import TWO_DIGITS
from ..probe.frameworks import Prober, framework_of, write_probe
from ..probe.model import Ability, FrameworkSeen, InterpreterSeen, ProbeResult, SeenDevice
from ..units import format_bytes
from . import KINDS
from .compiled import POOL, CompiledDevice, host, jax, torch
from .model import ConfirmDevice
from .pygpu import cuda, opencl, virtual
from .simulated_cuda import CannotBuild, Libraries, build

Answer = Union[ConfirmDevice, str]
"""The device of one kind on which a script can be confirmed, or the reason why there is none."""


@dataclass(frozen=True)
class Circumstances:
    """The facts that decide whether a kind of device can be used: the script's interpreter, framework and flags, and the requested
    device."""

    python: str
    """The interpreter that runs the script."""
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
    """A temporary folder for files of the confirmation."""

    @cached_property
    def pygpu(self) -> FrameworkSeen:
        """Returns what pygpu in the script's interpreter reports about itself and its devices. Each device is opened in a process of its
        own.
        """
        return framework_of("pygpu", Prober(write_probe(self.scratch), self.env).ask(self.python, "pygpu"))

    def not_theano(self) -> str | None:
        """Returns the reason why the script's framework cannot run on libgpuarray; None for Theano, which can."""
        return None if self.framework == "theano" else f"only Theano 0.9 to 1.0.5 runs on libgpuarray, and the script uses {self.framework}"

    def opened(self, kind: str) -> SeenDevice | str:
        """Returns the first libgpuarray device of this kind (`cuda` or `opencl`) that can be opened, or the reason why there is none."""
        refused = self.not_theano()
        if refused is not None:
            return refused
        if self.pygpu.error is not None:
            return f"pygpu does not load in {self.python}: {self.pygpu.error}"
        rows = [d for d in self.pygpu.devices if d.backend == kind]
        device = next((d for d in rows if d.error is None), None)
        return device or next((d.error for d in rows if d.error), None) or f"libgpuarray finds no {kind} device"

    def libraries(self) -> Libraries | str:
        """Returns the counting library and the simulated driver in the user's cache, and builds them if they are not there; or returns the
        reason why they cannot be built.
        """
        try:
            return build(user_cache(self.env))
        except (CannotBuild, OSError) as error:
            return str(error)

    def on_pygpu(self, kind: str, make: Callable[[Libraries, SeenDevice, str], ConfirmDevice]) -> Answer:
        """Returns `make(libraries, device, title)` for the first libgpuarray device of this kind that can be opened; the reason if there is
        none.
        """
        device = self.opened(kind)
        if isinstance(device, str):
            return device
        libraries = self.libraries()
        return libraries if isinstance(libraries, str) else make(libraries, device, device.title or "unnamed")

    def on_compiler(self, package: str, hosts: tuple[str, ...], pool: float, make: Callable[[str, int | None], CompiledDevice]) -> Answer:
        """Returns `make(title, total bytes)` for the first GPU that the package (jax or torch) finds, or for the CPU, whose size is None;
        or returns the reason why the package cannot be used.

        `hosts`: the frameworks that the package serves. `pool`: the share of a GPU that the package reports as the GPU's size.
        """
        if self.framework not in hosts:
            return f"{package} serves {' and '.join(hosts)}, and the script uses {self.framework}"
        framework = framework_of(package, Prober(write_probe(self.scratch), self.env).ask(self.python, package))
        if framework.error is not None:
            return f"{package} does not load in {self.python}: {framework.error}"
        gpus = [d for d in framework.devices if not d.name.startswith("cpu")]
        if not gpus:
            return make("the CPU", None)
        known = self.profile.total_bytes if self.profile is not None and self.profile.source == "NVML" else None
        return make(f"{gpus[0].name} ({gpus[0].title})", known or round((gpus[0].total_bytes or 0) / pool))


INSTALL_THEANO = " && ".join([
    "apt-get install python3-pygpu python3-venv python3-dev g++", "/usr/bin/python3 -m venv --system-site-packages ENV",
    "ENV/bin/pip install 'numpy==1.23.5' 'scipy<1.10' 'setuptools<70' Theano==1.0.5",
    "ENV/bin/python -c \"import sysconfig; open(sysconfig.get_paths()['purelib'] + '/scan.pth', 'w')"
    ".write('import sys; sys.modules.setdefault(\\'theano.scan_module.scan_perform_ext\\', None)')\"",
    "export THEANO_FLAGS=blas.ldflags=",
])  # fmt: skip
"""Commands that make an environment ENV with Theano and pygpu.

Debian 12 and Ubuntu have pygpu for their own interpreter; elsewhere conda-forge has it. On CPython 3.11 Theano's C loop for Scan does not
compile (longintrepr.h), and numpy from 1.22 on reports no BLAS to it.
"""
NO_THEANO = "no interpreter has Theano and pygpu"


def confirm(kind: str, interpreter: InterpreterSeen) -> str:
    """Returns the command line that confirms a prediction on a device of this kind with the frameworks of `interpreter`."""
    return f"theanodiag check MODEL.py --python {interpreter.path} --confirm {kind}"


def opened(machine: ProbeResult, backend: str) -> Iterator[tuple[InterpreterSeen, SeenDevice]]:
    """Yields (interpreter, device) for each device of `backend` that can be opened. Devices of pygpu are listed only for interpreters that
    have Theano too.
    """
    for interpreter in machine.interpreters:
        for framework in interpreter.frameworks:
            if framework.name != "pygpu" or interpreter.framework("theano"):
                yield from ((interpreter, d) for d in framework.devices if d.backend == backend and d.error is None)


def with_pygpu(machine: ProbeResult) -> InterpreterSeen | None:
    """Returns the first interpreter with Theano and pygpu; None if there is none."""
    return next((i for i in machine.interpreters if i.framework("theano") and i.framework("pygpu")), None)


def described(device: SeenDevice) -> str:
    """Returns a device as text for messages: its name in flags, the driver's name for it, and its size."""
    size = f", {format_bytes(device.total_bytes)}" if device.total_bytes else ""
    return f"{device.name}: {device.title or 'unnamed'}{size}"


def compiler_ability(machine: ProbeResult, kind: str, hosts: tuple[str, ...]) -> Ability:
    """Returns whether this machine can confirm a prediction on `kind` (jax or torch, also the name of the package) with one of the
    frameworks `hosts`; a CUDA device is preferred.
    """
    ready = [(i, d) for i, d in opened(machine, kind) if i.framework(*hosts)]
    ready.sort(key=lambda row: row[1].name.startswith("cpu"))
    if ready:
        interpreter, device = ready[0]
        return Ability(kind, True, described(device), interpreter.path, confirm(kind, interpreter))
    broken = [(i, f) for i in machine.interpreters for f in i.frameworks if f.name == kind and f.error is not None]
    if broken:
        return Ability(kind, False, f"{kind} does not import: {broken[0][1].error}", broken[0][0].path)
    host = next((i for i in machine.interpreters if i.framework(*hosts)), None)
    if host is None:
        return Ability(kind, False, f"no interpreter has {' or '.join(hosts)}", None, f"pip install 'theanodiag[{kind}]'")
    wanted = f"'jax[cuda{min(machine.driver.cuda[0], 13)}]'" if kind == "jax" and machine.driver is not None else kind
    line = f"no interpreter has both {kind} and {' or '.join(hosts)}"
    return Ability(kind, False, line, host.path, f"{host.path} -m pip install {wanted}")


def _cuda_ability(machine: ProbeResult) -> Ability:
    """Whether an NVIDIA GPU with driver, the CUDA libraries under the names that libgpuarray loads, Theano and pygpu are installed."""
    if not machine.gpus and machine.driver is None:
        return Ability("cuda", False, f"no NVIDIA GPU is seen: {machine.no_driver}")
    blind = [g for g in machine.gpus if g.capability is not None and g.capability[0] >= TWO_DIGITS]
    if machine.gpus and len(blind) == len(machine.gpus):
        line = f"libgpuarray 0.7.6 cannot name the architecture of {blind[0].name}: capabilities from 10.0 on have too many digits for it"
        return Ability("cuda", False, line)
    first = next(opened(machine, "cuda"), None)
    if first is not None:
        interpreter, device = first
        return Ability("cuda", True, described(device), interpreter.path, confirm("cuda", interpreter))
    broken = [(i, d.error) for i in machine.interpreters for f in i.frameworks for d in f.devices if d.backend == "cuda" and d.error]
    if broken:
        return Ability("cuda", False, f"{broken[0][0].path}: {broken[0][1]}", broken[0][0].path, "theanodiag doctor --links ~/cuda-links")
    return Ability("cuda", False, NO_THEANO, None, INSTALL_THEANO)


def _find_virtual(c: Circumstances) -> Answer:
    """The simulated driver with the sizes of the device that `--gpu` names."""
    refused = c.not_theano()
    if refused is not None:
        return refused
    if c.profile is None or c.profile.is_host:
        return "no device is named: give the device to simulate with --gpu"
    if c.flags.get("contexts"):
        return f"the simulated driver has one GPU, and the flags name them one by one: contexts={c.flags['contexts']}"
    if c.pygpu.error is not None:
        return f"pygpu does not load in {c.python}: {c.pygpu.error}"
    libraries = c.libraries()
    return libraries if isinstance(libraries, str) else virtual(libraries, c.profile, c.flags)


def _virtual_ability(machine: ProbeResult) -> Ability:
    """Whether a C compiler, Theano and pygpu are installed."""
    interpreter = with_pygpu(machine)
    if machine.compiler is None:
        return Ability("virtual", False, "no C compiler, which builds the simulated driver", None, "apt-get install gcc")
    if interpreter is None:
        return Ability("virtual", False, NO_THEANO, None, INSTALL_THEANO)
    line = "any card, true sizes, no numbers: the real libgpuarray on a simulated driver"
    return Ability("virtual", True, line, interpreter.path, confirm("virtual", interpreter))


def _opencl_ability(machine: ProbeResult) -> Ability:
    """Whether an OpenCL driver, clBLAST, Theano and pygpu are installed."""
    first = next(opened(machine, "opencl"), None)
    if first is not None:
        return Ability("opencl", True, described(first[1]), first[0].path, confirm("opencl", first[0]))
    interpreter = with_pygpu(machine)
    if interpreter is None:
        return Ability("opencl", False, NO_THEANO, None, INSTALL_THEANO)
    return Ability("opencl", False, "pygpu finds no OpenCL device", interpreter.path, "apt-get install pocl-opencl-icd libclblast-dev")


def _cpu_ability(machine: ProbeResult) -> Ability:
    """Whether Theano, Aesara or PyTensor is installed."""
    for interpreter in machine.interpreters:
        framework = interpreter.framework("theano", "pytensor", "aesara")
        if framework is not None:
            line = f"host memory, with {framework.name} {framework.version}"
            return Ability("cpu", True, line, interpreter.path, confirm("cpu", interpreter))
    return Ability("cpu", False, "no interpreter has Theano, Aesara or PyTensor", None, "pip install 'theanodiag[pytensor]'")


_WITH_JAX, _WITH_TORCH = ("pytensor", "aesara"), ("pytensor",)
"""The frameworks that have a mode for JAX, and for torch."""


@dataclass(frozen=True)
class ConfirmationKind:
    """How to find one kind of device, and how to tell whether this machine has it."""

    find: Callable[[Circumstances], Answer]
    """The device of this kind for the given script, or the reason why none is available."""
    ability: Callable[[ProbeResult], Ability]
    """Whether this machine has everything that the kind needs, and the next command."""


_BY_NAME: Mapping[str, ConfirmationKind] = {
    "cuda": ConfirmationKind(
        lambda c: c.on_pygpu("cuda", lambda libraries, d, title: cuda(libraries, d.name, title, d.total_bytes, d.free_bytes)),
        _cuda_ability,
    ),
    "virtual": ConfirmationKind(_find_virtual, _virtual_ability),
    "opencl": ConfirmationKind(
        lambda c: c.on_pygpu("opencl", lambda libraries, d, title: opencl(libraries, d.name, title, d.total_bytes, c.flags)),
        _opencl_ability,
    ),
    "jax": ConfirmationKind(
        lambda c: c.on_compiler("jax", _WITH_JAX, POOL, jax),
        lambda machine: compiler_ability(machine, "jax", _WITH_JAX),
    ),
    "torch": ConfirmationKind(
        lambda c: c.on_compiler("torch", _WITH_TORCH, 1.0, torch),
        lambda machine: compiler_ability(machine, "torch", _WITH_TORCH),
    ),
    "cpu": ConfirmationKind(lambda c: host(c.flags), _cpu_ability),
}
"""Name, one of `KINDS` -> the kind."""


def probe(c: Circumstances, kind: str) -> Answer:
    """Returns the device of `kind` (one of `KINDS`) for a script, or the reason why there is none."""
    return _BY_NAME[kind].find(c)


def abilities(machine: ProbeResult) -> tuple[Ability, ...]:
    """Returns for each kind of device, best first, whether this machine can confirm on it."""
    return tuple(_BY_NAME[name].ability(machine) for name in KINDS)


def best_first(c: Circumstances) -> tuple[str, ...]:
    """Returns the kinds of devices to try if the user named none, best first."""
    if c.profile is not None and c.profile.is_host:
        return ("cpu",)
    if c.framework == "theano":
        return ("cuda", "virtual", "opencl", "cpu") if c.profile is not None else ("cuda", "opencl", "cpu")
    compiled = tuple(kind for kind, linker in (("jax", "jax"), ("torch", "pytorch")) if linker in c.linkers)
    return (*compiled, "cpu")


Probe = Callable[[str], Union[ConfirmDevice, str]]
"""Returns the device of a kind, or the reason why none is available."""


def choose(choice: str | None, kinds: Sequence[str], probe: Probe) -> tuple[ConfirmDevice, tuple[tuple[str, str], ...]]:
    """Chooses the device to use. Also returns (kind, reason) for each better kind that is not available.

    `choice`, the kind that the user named, is tried first; then `kinds`, best first. Raises UsageError if no device is available or
    `choice` is not a kind.
    """
    if choice is not None and choice not in KINDS:
        raise UsageError(f"there is no device to confirm on named {choice!r}", help=f"one of {', '.join(KINDS)}")
    missing: list[tuple[str, str]] = []
    for kind in dict.fromkeys((*((choice,) if choice is not None else ()), *kinds)):
        answer = probe(kind)
        if not isinstance(answer, str):
            return answer, tuple(missing)
        missing.append((kind, answer))
    raise UsageError("; ".join(f"{kind}: {why}" for kind, why in missing) or "there is no device", help="run theanodiag doctor")
