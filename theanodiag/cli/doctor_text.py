"""What the doctor found, as text."""

from __future__ import annotations

from collections.abc import Iterator

from ..doctor.recipe import Legacy, abilities, advise
from ..escaping import visible
from ..probe.model import FrameworkSeen, InterpreterSeen, ProbeResult, SeenDevice
from ..units import format_bytes


def text(found: ProbeResult) -> str:
    """The same for people."""
    lines = [*_interpreters(found), "", *_gpus(found), "", *_abilities(found), "", *_legacy(found, advise(found))]
    return "".join(f"{visible(line)}\n" for line in lines)


def _interpreters(found: ProbeResult) -> Iterator[str]:
    yield "Interpreters"
    for interpreter in found.interpreters:
        yield f"  {interpreter.path}  {_about(interpreter)}"
        for framework in interpreter.frameworks:
            yield f"    {_framework(framework)}"
            yield from (f"      {_device(d)}" for d in framework.devices)


def _about(interpreter: InterpreterSeen) -> str:
    if interpreter.error is not None:
        return interpreter.error
    return f"CPython {interpreter.version}" + ("" if interpreter.frameworks else ", no framework")


def _framework(framework: FrameworkSeen) -> str:
    if framework.error is not None:
        return f"{framework.name} does not import: {framework.error}"
    return f"{framework.name} {framework.version}"


def _device(device: SeenDevice) -> str:
    if device.error is not None:
        return f"{device.name}: {device.error}"
    sizes = [f"{format_bytes(n)} {what}" for n, what in ((device.total_bytes, "in all"), (device.free_bytes, "free")) if n is not None]
    return ", ".join([f"{device.name}: {device.title or 'unnamed'}", *([device.arch] if device.arch else []), *sizes])


def _gpus(found: ProbeResult) -> Iterator[str]:
    yield "GPUs (NVML)"
    if found.no_driver is not None:
        yield f"  {found.no_driver}"
        if "nvidia-ml-py" in found.no_driver:
            yield "  do: pip install 'theanodiag[nvml]'"
    if found.driver is not None:
        yield f"  driver {found.driver.version}, serves CUDA up to {found.driver.cuda[0]}.{found.driver.cuda[1]}"
    for gpu in found.gpus:
        capability = f", capability {gpu.capability[0]}.{gpu.capability[1]}" if gpu.capability else ""
        yield f"  {gpu.name}: {format_bytes(gpu.total_bytes)} in all, {format_bytes(gpu.free_bytes)} free{capability}"


def _abilities(found: ProbeResult) -> Iterator[str]:
    yield "What a prediction can be confirmed on"
    told: dict[str, str] = {}
    for ability in abilities(found):
        yield f"  {ability.kind:<8} {'yes' if ability.ready else 'no '}  {ability.line}"
        if ability.command is not None:
            yield f"                do: {told.get(ability.command, ability.command)}"
            told.setdefault(ability.command, f"as for {ability.kind}")


def _legacy(found: ProbeResult, legacy: Legacy) -> Iterator[str]:
    yield "Theano with libgpuarray on CUDA asks for"
    yield from (f"  {name:<14} {line}" for name, line in legacy.rows)
    if found.driver is None:
        yield "  There is no NVIDIA driver here, so there is nothing to do; `--confirm virtual` needs none."
    yield from (f"  do: {command}" for command in legacy.commands)
