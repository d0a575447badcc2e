"""Any framework's own virtual machine in host memory."""

from __future__ import annotations

from ...probe.model import Ability, ProbeResult
from ..available import Answer, Circumstances
from ..host import host
from .needs import confirm


def find(c: Circumstances) -> Answer:
    """The host, which is always available."""
    return host(c.flags)


def ability(machine: ProbeResult) -> Ability:
    """Whether Theano, Aesara or PyTensor is installed."""
    for interpreter in machine.interpreters:
        framework = interpreter.framework("theano", "pytensor", "aesara")
        if framework is not None:
            line = f"host memory, with {framework.name} {framework.version}"
            return Ability("cpu", True, line, interpreter.path, confirm("cpu", interpreter))
    return Ability("cpu", False, "no interpreter has Theano, Aesara or PyTensor", None, "pip install 'theanodiag[pytensor]'")
