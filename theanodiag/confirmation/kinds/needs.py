"""Requirements shared by several kinds of devices, and their wording in `doctor`."""

from __future__ import annotations

from collections.abc import Iterator

from ...probe.model import Ability, InterpreterSeen, ProbeResult, SeenDevice
from ...units import format_bytes

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
    """The command that confirms on a device of this kind."""
    return f"theanodiag check MODEL.py --python {interpreter.path} --confirm {kind}"


def opened(machine: ProbeResult, backend: str) -> Iterator[tuple[InterpreterSeen, SeenDevice]]:
    """The devices that can be opened; those of pygpu only in interpreters that have Theano too."""
    for interpreter in machine.interpreters:
        for framework in interpreter.frameworks:
            if framework.name != "pygpu" or interpreter.framework("theano"):
                yield from ((interpreter, d) for d in framework.devices if d.backend == backend and d.error is None)


def with_pygpu(machine: ProbeResult) -> InterpreterSeen | None:
    """The first interpreter with Theano and pygpu; None if there is none."""
    return next((i for i in machine.interpreters if i.framework("theano") and i.framework("pygpu")), None)


def described(device: SeenDevice) -> str:
    """A device for messages: its name, the driver's name for it, and its size."""
    size = f", {format_bytes(device.total_bytes)}" if device.total_bytes else ""
    return f"{device.name}: {device.title or 'unnamed'}{size}"


def compiler_ability(machine: ProbeResult, kind: str, hosts: tuple[str, ...]) -> Ability:
    """The ability for a compiler (`kind` is also the name of its package) used by the frameworks `hosts`; a CUDA device is preferred."""
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
