"""Chooses the engine for a script's functions: the one asked for, else by framework, linkers of the functions and device."""

from __future__ import annotations

from collections.abc import Mapping

from ..devices import DeviceProfile
from ..errors import UsageError
from ..memory.script import CompiledFunction, Script
from .kinds import WITHOUT_GPU, Engine, GpuArrayEngine, HostEngine, Torch, Xla

ENGINES: Mapping[str, Engine] = {e.name: e for e in (GpuArrayEngine(), Xla(), Torch(), HostEngine())}
"""Name that `--engine` takes and reports show -> engine."""
OTHER_NAMES: Mapping[str, Engine] = {"jax": ENGINES["xla"], "numba": HostEngine(mode="NUMBA")}
"""Further names that `--engine` takes: jax, whose compiler is XLA, and numba, which computes in host memory."""
LINKERS = {"jax": "xla", "pytorch": "torch"}
"""Linker of a function -> its engine; functions with other linkers compute in host memory."""
SERVED = {"xla": ("pytensor", "aesara"), "torch": ("pytensor",)}
"""Engine -> the frameworks that can hand their graphs to it."""


def ask(name: str | None, device: DeviceProfile | None) -> Engine | None:
    """The engine called `name`; None for None. Raises `UsageError` for an unknown name, or where it does not suit the device."""
    if name is None:
        return None
    if name not in ENGINES and name not in OTHER_NAMES:
        raise UsageError(f"there is no engine {name!r}", help=f"one of {', '.join((*ENGINES, *OTHER_NAMES))}")
    if name == "gpuarray" and (device is None or device.is_host):
        raise UsageError("the engine gpuarray needs a GPU", help="name a GPU with --gpu")
    return ENGINES.get(name) or OTHER_NAMES[name]


def choose(script: Script, device: DeviceProfile, asked: str | None = None) -> Engine:
    """The engine of the script as a whole. Raises `UsageError` where the framework cannot use the engine asked for."""
    if asked is not None:
        return _served(script, ENGINES[asked])
    linkers = {f.linker for f in script.functions}
    named = next((engine for linker, engine in LINKERS.items() if linker in linkers), None)
    if device.is_host:
        return ENGINES[named or "host"]
    if script.framework not in WITHOUT_GPU:
        return ENGINES["gpuarray"]
    return ENGINES[named or "xla"]


def _served(script: Script, engine: Engine) -> Engine:
    frameworks = SERVED.get(engine.name)
    if frameworks is not None and script.framework and script.framework not in frameworks:
        advice = "run it over PyTensor: --python with an interpreter that has pytensor, which serves legacy names through theanodiag"
        raise UsageError(f"{script.framework} has no way to {engine.name}: {' and '.join(frameworks)} have", help=advice, option="engine")
    return engine


def engine_of(function: CompiledFunction, engine: Engine, device: DeviceProfile) -> str:
    """Name of the engine of one function: on the host each function has its linker's own engine, on a device the script's."""
    return LINKERS.get(function.linker, "host") if device.is_host and engine.name != "gpuarray" else engine.name
