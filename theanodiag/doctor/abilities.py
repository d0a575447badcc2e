"""What each kind of device needs, whether it is there, and the next command."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..probe.libraries import TWO_DIGITS
from ..probe.model import Ability, FrameworkSeen, InterpreterSeen, ProbeResult, SeenDevice
from ..units import format_bytes

THEANO = " && ".join([
    "apt-get install python3-pygpu python3-venv python3-dev g++", "/usr/bin/python3 -m venv --system-site-packages ENV",
    "ENV/bin/pip install 'numpy==1.23.5' 'scipy<1.10' 'setuptools<70' Theano==1.0.5",
    "ENV/bin/python -c \"import sysconfig; open(sysconfig.get_paths()['purelib'] + '/scan.pth', 'w')"
    ".write('import sys; sys.modules.setdefault(\\'theano.scan_module.scan_perform_ext\\', None)')\"",
    "export THEANO_FLAGS=blas.ldflags=",
])  # fmt: skip
"""Debian 12 and Ubuntu have pygpu for their own interpreter; elsewhere conda-forge has it. On CPython 3.11 Theano's C loop for Scan does
not compile (longintrepr.h), and numpy from 1.22 on does not tell it a BLAS."""


def abilities(found: ProbeResult) -> tuple[Ability, ...]:
    """All kinds of devices, best first."""
    return tuple(kind(found) for kind in KINDS)


def confirm(kind: str, interpreter: InterpreterSeen) -> str:
    """The command that confirms on a device of that kind."""
    return f"theanodiag check MODEL.py --python {interpreter.path} --confirm {kind}"


def cuda(found: ProbeResult) -> Ability:
    """Theano on a CUDA GPU, through pygpu."""
    if not found.gpus and found.driver is None:
        return Ability("cuda", False, f"no NVIDIA GPU is seen: {found.no_driver}")
    blind = [g for g in found.gpus if g.capability is not None and g.capability[0] >= TWO_DIGITS]
    if found.gpus and len(blind) == len(found.gpus):
        line = f"libgpuarray 0.7.6 cannot name the architecture of {blind[0].name}: capabilities from 10.0 on have too many digits for it"
        return Ability("cuda", False, line)
    opened = next(_seen(found, "cuda"), None)
    if opened is not None:
        interpreter, device = opened
        return Ability("cuda", True, _about(device), interpreter.path, confirm("cuda", interpreter))
    broken = [(i, d.error) for i in found.interpreters for f in i.frameworks for d in f.devices if d.backend == "cuda" and d.error]
    if broken:
        return Ability("cuda", False, f"{broken[0][0].path}: {broken[0][1]}", broken[0][0].path, "theanodiag doctor --links ~/cuda-links")
    return Ability("cuda", False, "no interpreter has Theano and pygpu", None, THEANO)


def opencl(found: ProbeResult) -> Ability:
    """Theano on OpenCL, through pygpu."""
    opened = next(_seen(found, "opencl"), None)
    if opened is not None:
        return Ability("opencl", True, _about(opened[1]), opened[0].path, confirm("opencl", opened[0]))
    both = next(_with(found, "theano", "pygpu"), None)
    if both is None:
        return Ability("opencl", False, "no interpreter has Theano and pygpu", None, THEANO)
    return Ability("opencl", False, "pygpu finds no OpenCL device", both.path, "apt-get install pocl-opencl-icd libclblast-dev")


def virtual(found: ProbeResult) -> Ability:
    """The real libgpuarray on a simulated CUDA driver."""
    both = next(_with(found, "theano", "pygpu"), None)
    if found.compiler is None:
        return Ability("virtual", False, "no C compiler, which builds the simulated driver", None, "apt-get install gcc")
    if both is None:
        return Ability("virtual", False, "no interpreter has Theano and pygpu", None, THEANO)
    return Ability("virtual", True, "any card, true sizes, no numbers: the real libgpuarray on a simulated driver", both.path,
                   confirm("virtual", both))  # fmt: skip


def jax(found: ProbeResult) -> Ability:
    """PyTensor or Aesara, mode JAX."""
    return _newer(found, "jax", ("pytensor", "aesara"), "jax")


def torch(found: ProbeResult) -> Ability:
    """PyTensor, mode PYTORCH."""
    return _newer(found, "torch", ("pytensor",), "torch")


def cpu(found: ProbeResult) -> Ability:
    """Any framework's own virtual machine."""
    for interpreter in found.interpreters:
        framework = interpreter.framework("theano", "pytensor", "aesara")
        if framework is not None:
            line = f"host memory, with {framework.name} {framework.version}"
            return Ability("cpu", True, line, interpreter.path, confirm("cpu", interpreter))
    return Ability("cpu", False, "no interpreter has Theano, Aesara or PyTensor", None, "pip install 'theanodiag[pytensor]'")


KINDS: tuple[Callable[[ProbeResult], Ability], ...] = (cuda, virtual, opencl, jax, torch, cpu)


def _newer(found: ProbeResult, kind: str, hosts: tuple[str, ...], package: str) -> Ability:
    """A compiler that serves one of the frameworks `hosts`; one with a CUDA device comes first."""
    ready = [(i, d) for i, d in _seen(found, kind) if i.framework(*hosts)]
    ready.sort(key=lambda row: row[1].name.startswith("cpu"))
    if ready:
        interpreter, device = ready[0]
        return Ability(kind, True, _about(device), interpreter.path, confirm(kind, interpreter))
    broken = [(i, f) for i in found.interpreters for f in i.frameworks if f.name == package and f.error is not None]
    if broken:
        return Ability(kind, False, f"{package} does not import: {broken[0][1].error}", broken[0][0].path)
    host = next((i for i in found.interpreters if i.framework(*hosts)), None)
    if host is None:
        names = " or ".join(hosts)
        return Ability(kind, False, f"no interpreter has {names}", None, f"pip install 'theanodiag[{package}]'")
    wanted = f"'jax[cuda{min(found.driver.cuda[0], 13)}]'" if package == "jax" and found.driver is not None else package
    line = f"no interpreter has {package} beside {' or '.join(hosts)}"
    return Ability(kind, False, line, host.path, f"{host.path} -m pip install {wanted}")


def _seen(found: ProbeResult, backend: str) -> Iterator[tuple[InterpreterSeen, SeenDevice]]:
    """Devices that opened; those of pygpu count where Theano is there too."""
    for interpreter in found.interpreters:
        for framework in interpreter.frameworks:
            if framework.name != "pygpu" or interpreter.framework("theano"):
                yield from ((interpreter, d) for d in framework.devices if d.backend == backend and d.error is None)


def _with(found: ProbeResult, *names: str) -> Iterator[InterpreterSeen]:
    return (i for i in found.interpreters if all(_has(i, n) for n in names))


def _has(interpreter: InterpreterSeen, name: str) -> FrameworkSeen | None:
    return interpreter.framework(name)


def _about(device: SeenDevice) -> str:
    size = f", {format_bytes(device.total_bytes)}" if device.total_bytes else ""
    return f"{device.name}: {device.title or 'unnamed'}{size}"
