"""Engines, which run a graph and whose allocator serves it: their interface, their implementations, the choice for a script (`choose`), and
the simulation settings from the framework's flags."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from .devices import DeviceProfile
from .devices.xla_target import ASSUMED, chip_of
from .errors import UsageError
from .memory.profile import ESTIMATED, MemoryProfile, Origin, ProcessProfile
from .memory.script import Call, CompiledFunction, Script
from .memory.settings import AllocatorKind, MemorySettings, XlaCard
from .memory.simulate import on_device
from .units import MIB, format_bytes

WITHOUT_GPU = ("aesara", "pytensor")
"""Frameworks that have no libgpuarray back-end in any release."""


def settings_for(script: Script, device: DeviceProfile) -> MemorySettings:
    """Returns the settings for simulating `script` on `device` with Theano's own back-ends."""
    flags, host = script.flags, device.is_host
    return MemorySettings(
        allocator=_allocator(script, host),
        preallocate=_numeric_flag(flags, "gpuarray.preallocate"),
        cnmem=_numeric_flag(flags, "lib.cnmem"),
        allow_gc=bool(flags.get("allow_gc", True)),
        scan_allow_gc=bool(flags.get("scan.allow_gc", flags.get("scan__allow_gc", False))),
        total_bytes=device.total_bytes,
        free_bytes=device.available_bytes,
        lift=not host and not has_device_graph(script),
        hypothetical=script.framework in WITHOUT_GPU,
    )


def _allocator(script: Script, host: bool) -> AllocatorKind:
    flags = script.flags
    device = str(flags.get("device", "cpu"))
    if host or any(f.in_one_piece for f in script.functions):
        return AllocatorKind.DIRECT
    if device.startswith("opencl"):
        return AllocatorKind.OPENCL
    if device.startswith("gpu"):
        return AllocatorKind.CNMEM if _numeric_flag(flags, "lib.cnmem") > 0 else AllocatorKind.DIRECT
    return AllocatorKind.GPUARRAY


def _numeric_flag(flags: Mapping[str, object], name: str) -> float:
    value = flags.get(name, 0.0)
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else 0.0


def has_device_graph(script: Script) -> bool:
    """Returns whether the framework itself placed any variable or node on a device."""
    return any(v.type.kind.on_device for v in script.shared.values()) or on_device(script)


class Engine(Protocol):
    """The software that runs a script's functions: how they are simulated, and how the figures are labelled."""

    @property
    def name(self) -> str:
        """Name of the engine, as in `--engine` and `functions[].profile.engine` of reports."""

    @property
    def mode(self) -> str | None:
        """The framework's mode in which functions without a mode of their own are compiled for this engine; None: unchanged."""

    def on(self, script: Script, device: DeviceProfile) -> DeviceProfile:
        """Returns a copy of `device` with the memory that arrays can use under this engine."""

    def line(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> str:
        """Returns one sentence for the report: what runs the functions, which allocator it uses, and what the figures mean."""

    def notes(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> Iterator[str]:
        """Yields the sentences on memory that no figure includes."""

    def settings(self, script: Script, device: DeviceProfile, base: MemorySettings) -> MemorySettings:
        """Returns the settings of the simulation; `base` holds those from the framework's flags."""

    def labelled(self, script: Script, process: ProcessProfile) -> ProcessProfile:
        """Returns a copy of the simulated profile in which every figure has the origin (exact, bound or estimate) that figures of this
        engine have.
        """

    def open(self, script: Script, process: ProcessProfile) -> str | None:
        """Returns why the script may not fit although the figures say so; None if the figures are reliable."""


class _NodeByNode:
    """The methods that engines share which run nodes one by one: they use the whole device, as the flags say."""

    def on(self, script: Script, device: DeviceProfile) -> DeviceProfile:
        """Returns the device unchanged: arrays can use all of its memory."""
        return device

    def notes(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> Iterator[str]:
        """Yields nothing: the figures are complete."""
        yield from ()

    def settings(self, script: Script, device: DeviceProfile, base: MemorySettings) -> MemorySettings:
        """Returns `base`, the settings from the framework's flags, unchanged."""
        return base


@dataclass(frozen=True)
class GpuArrayEngine(_NodeByNode):
    """libgpuarray, which Theano's GPU back-end uses. For Aesara and PyTensor, which have no such back-end, the figures are a what-if."""

    name: str = "gpuarray"
    mode: str | None = None

    def line(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> str:
        """Returns a sentence that names libgpuarray's allocator, and says whether the figures are a what-if."""
        if script.framework in WITHOUT_GPU:
            return f"gpuarray, a what-if: as Theano would have run it; {script.framework} has no such GPU"
        return "gpuarray, Theano's GPU back-end on libgpuarray's allocator"

    def notes(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> Iterator[str]:
        """Yields a note if arrays are on several GPUs: the figures are then the sum over these."""
        if len(script.gpus) > 1:
            yield f"the figures are the sum over {len(script.gpus)} GPUs ({', '.join(script.gpus)}), each of which holds a part of it"

    def labelled(self, script: Script, process: ProcessProfile) -> ProcessProfile:
        """Returns the profile unchanged: the simulation itself labels graphs that were lifted to the GPU."""
        return process

    def open(self, script: Script, process: ProcessProfile) -> str | None:
        """Returns, for a what-if, why it is unknown whether the script fits: the figures are estimates, not bounds. Otherwise
        returns None.
        """
        return ESTIMATED if process.estimated else None


@dataclass(frozen=True)
class HostEngine(_NodeByNode):
    """The framework's own linkers, which compute in host memory."""

    name: str = "host"
    mode: str | None = None

    def line(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> str:
        """Returns a sentence that names the linkers of the functions, which run in host memory."""
        linkers = ", ".join(sorted({f.linker for f in script.functions})) or "none"
        return f"host, {script.framework or 'the framework'}'s own linkers ({linkers}), in host memory"

    def labelled(self, script: Script, process: ProcessProfile) -> ProcessProfile:
        """Returns the profile unchanged."""
        return process

    def open(self, script: Script, process: ProcessProfile) -> str | None:
        """Returns None: the figures are reliable."""
        return None


FRACTION = 0.75
"""XLA's default share of a GPU's memory."""
NEW, OLD = "XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_MEM_FRACTION"
PREALLOCATE, ALLOCATOR = "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_ALLOCATOR"
DRIVERS = ("platform", "cuda_async")
"""Values of XLA's allocator setting without a pool: each request goes to the driver."""


PAGE = 2 * MIB
"""The unit in which CUDA's driver gives memory (H100 and H200, driver 580.159.04)."""


@dataclass(frozen=True)
class Client:
    """How XLA's GPU client takes memory from the device."""

    fraction: float = FRACTION
    """The pool's share of the device; above 1 it also uses host memory."""
    preallocate: bool = True
    """Whether the pool is allocated at the start."""
    pooled: bool = True
    """Whether XLA allocates from its own pool; if not, the driver serves each request."""

    def pool(self, total: int) -> int | None:
        """Returns the size of the pool in bytes on a device of `total` bytes; None if there is no pool.

        XLA rounds its share up to whole pages: on an H100 0.75 of 85017493504 bytes were 63763906560, on an H200 0.75 of 150109880320 bytes
        were 112583507968 (JAX 0.11.2, `bytes_limit`).
        """
        return -(-int(total * self.fraction) // PAGE) * PAGE if self.pooled else None

    @property
    def says(self) -> str:
        """Returns the client's settings in words, for the line `engine:` of a report."""
        if not self.pooled:
            return "each request goes to the driver"
        return f"{self.fraction:g} of the device, {'taken at its start' if self.preallocate else 'taken as it is needed'}"


def client(environment: Mapping[str, str]) -> Client:
    """Returns the settings of the XLA client that JAX creates with these environment variables."""
    fraction = next((f for name in (NEW, OLD) if (f := _number(environment.get(name))) is not None), FRACTION)
    allocator = environment.get(ALLOCATOR, "default").strip().lower()
    preallocate = environment.get(PREALLOCATE, "true").strip().lower() not in ("false", "0")
    pooled = allocator not in DRIVERS
    return Client(fraction, preallocate, pooled)


def effects(environment: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yields (name, value, effect in words) for each variable in `environment`."""
    pooled = client(environment).pooled
    for name, value in environment.items():
        yield name, value, _effect(name, value.strip(), environment, pooled)


def _number(text: str | None) -> float | None:
    """The fraction in a text; None if it is no number between 0 and 100."""
    try:
        number = float(text) if text is not None else None
    except ValueError:
        return None
    return number if number is not None and 0 < number < 100 else None


def _effect(name: str, value: str, environment: Mapping[str, str], pooled: bool) -> str:
    if name in (NEW, OLD):
        if NEW in environment and OLD in environment:
            return f"JAX does not start if both {NEW} and {OLD} are set"
        if _number(value) is None:
            return "not a share of a device: JAX does not start"
        none = f"none: with {ALLOCATOR}={environment.get(ALLOCATOR)} there is no share"
        return f"XLA may take {_number(value):g} of the device" if pooled else none
    if name == PREALLOCATE:
        return "XLA's pool starts empty and grows" if value.lower() in ("false", "0") else "XLA reserves its share when it starts"
    if name == ALLOCATOR:
        return "one pool (BFC)" if pooled else "each request goes to the driver: slower, and no memory is kept for reuse"
    if name == "XLA_FLAGS":
        return "changes XLA's generated code and therefore its temporaries; the figures take it into account"
    if name == "TF_GPU_ALLOCATOR":
        return "TensorFlow's; JAX takes XLA_PYTHON_CLIENT_ALLOCATOR=cuda_async instead"
    return "options of torch's allocator; no effect on XLA"


NODE_BY_NODE = "torch compiles whole graphs: its fusion and caching are not simulated"


def _figures(script: Script, process: ProcessProfile) -> str:
    """The source of the memory figures of functions that XLA compiles: XLA itself only if it analysed one of the calls."""
    analysed = {event.function for event in script.events if isinstance(event, Call) and event.xla is not None}
    origins = {i: p.origin for i, p in process.functions.items() if p.origin is not Origin.UNKNOWN}
    bounded = [i for i, origin in origins.items() if origin is Origin.BOUNDED]
    own = [i for i in origins if i in analysed and i not in bounded]
    shapes = [i for i in origins if i not in analysed and i not in bounded]
    kinds = (
        (own, "XLA's own", ", compiled ahead of time"),
        (bounded, "an upper bound", ", made without XLA"),
        (shapes, "derived from shapes", ", without what XLA fuses and its temporaries"),
    )
    groups = [(rows, what, how) for rows, what, how in kinds if rows]
    if len(groups) == 1:
        return f"figures are {groups[0][1]}{groups[0][2]}"
    return (
        f"figures are {', '.join(f'{what} for {len(rows)}' for rows, what, _ in groups)} of the functions"
        if groups
        else "there are no figures"
    )


@dataclass(frozen=True)
class Xla:
    """XLA, JAX's compiler, which compiles a whole function; arrays are stored in XLA's pool."""

    name: str = "xla"
    mode: str | None = "JAX"

    def on(self, script: Script, device: DeviceProfile) -> DeviceProfile:
        """Returns a copy of `device` with XLA's pool, which is a share of its memory."""
        return device if device.total_bytes is None else replace(device, pool_bytes=client(script.environment).pool(device.total_bytes))

    def line(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> str:
        """Returns a sentence that names XLA's allocator, and says whether the figures are XLA's own or an upper bound."""
        takes = client(script.environment).says
        where = "this host's CPU" if device.is_host else f"XLA's allocator on {device.name} ({takes})"
        return f"xla (JAX), {where}; {_figures(script, process)}"

    def notes(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> Iterator[str]:
        """Yields sentences on what the driver takes in addition to the pool, how a run on the real card may differ, and how reliable the
        bound is.
        """
        if any(p.origin is Origin.BOUNDED for p in process.functions.values()):
            yield "the upper bound is a heuristic: XLA exceeded it for 2 % of the functions that it was tested on"
        if device.total_bytes is None:
            yield "on the CPU XLA does not count the workspaces of its libraries: a run may take more"
            return
        context = f"{format_bytes(device.context.bytes)} ({device.context.origin})"
        yield f"outside XLA's pool: {context} for the CUDA context with cuBLAS and cuDNN, and constants of the code"
        if any(p.origin is Origin.DERIVED for p in process.functions.values()):
            yield "XLA compiled without the card; on the card its autotuner may choose code with other workspaces (autotune level 4)"

    def settings(self, script: Script, device: DeviceProfile, base: MemorySettings) -> MemorySettings:
        """Returns the settings of XLA's allocator, which do not depend on the framework's memory flags."""
        takes = client(script.environment)
        plain = replace(base, allocator=AllocatorKind.XLA, lift=False, hypothetical=False, preallocate=0.0, cnmem=0.0)
        return replace(plain, xla_preallocate=takes.preallocate, xla_pool=takes.pooled, xla_card=XlaCard.of(chip_of(device) or ASSUMED))

    def labelled(self, script: Script, process: ProcessProfile) -> ProcessProfile:
        """Returns the profile unchanged: the simulation knows which figures are XLA's."""
        return process

    def open(self, script: Script, process: ProcessProfile) -> str | None:
        """Returns None. The figures are XLA's own or an upper bound, and functions without figures are reported as such."""
        return None


@dataclass(frozen=True)
class Torch(_NodeByNode):
    """The engine torch, for PyTensor's mode PYTORCH. It simulates nodes one by one on torch's caching allocator, as if torch
    fused nothing.
    """

    name: str = "torch"
    mode: str | None = "PYTORCH"

    def line(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> str:
        """Returns a sentence that names torch's allocator, and says that the figures are estimates."""
        where = "this host's CPU" if device.is_host else f"torch's caching allocator on {device.name}"
        return f"torch, {where}; figures are an estimate: {NODE_BY_NODE}"

    def settings(self, script: Script, device: DeviceProfile, base: MemorySettings) -> MemorySettings:
        """Returns the settings with which every array is allocated from the driver, node by node."""
        return replace(base, allocator=AllocatorKind.DIRECT, lift=False, hypothetical=True, preallocate=0.0, cnmem=0.0)

    def labelled(self, script: Script, process: ProcessProfile) -> ProcessProfile:
        """Returns a copy of the profile in which every figure is labelled as an estimate."""
        return replace(process, functions=dict(_estimates(process)))

    def open(self, script: Script, process: ProcessProfile) -> str | None:
        """Always returns a reason: an estimate does not prove that the script fits."""
        return f"estimate ({NODE_BY_NODE})"


def _estimates(process: ProcessProfile) -> Iterator[tuple[int, MemoryProfile]]:
    for index, p in process.functions.items():
        items = tuple(replace(item, origin=Origin.ESTIMATE) for item in p.items)
        yield index, replace(p, origin=Origin.ESTIMATE, items=items)


ENGINES: Mapping[str, Engine] = {e.name: e for e in (GpuArrayEngine(), Xla(), Torch(), HostEngine())}
"""Engine name, as in `--engine` and in reports -> engine."""
OTHER_NAMES: Mapping[str, Engine] = {"jax": ENGINES["xla"], "numba": HostEngine(mode="NUMBA")}
"""Other names accepted by `--engine`: jax, whose compiler is XLA, and numba, which computes in host memory."""
LINKERS = {"jax": "xla", "pytorch": "torch"}
"""Linker of a function -> name of its engine; functions with other linkers compute in host memory."""
SERVED = {"xla": ("pytensor", "aesara"), "torch": ("pytensor",)}
"""Engine name -> the frameworks that can use it."""


def engine_named(name: str | None, device: DeviceProfile | None) -> Engine | None:
    """Returns the engine called `name`; None if `name` is None. Raises `UsageError` if the name is unknown or the engine cannot run on the
    device.
    """
    if name is None:
        return None
    if name not in ENGINES and name not in OTHER_NAMES:
        raise UsageError(f"there is no engine {name!r}", help=f"one of {', '.join((*ENGINES, *OTHER_NAMES))}")
    if name == "gpuarray" and (device is None or device.is_host):
        raise UsageError("the engine gpuarray needs a GPU", help="name a GPU with --gpu")
    return ENGINES.get(name) or OTHER_NAMES[name]


def choose(script: Script, device: DeviceProfile, name: str | None = None) -> Engine:
    """Chooses the engine for the whole script; `name` is the requested one, if any. Raises `UsageError` if the framework cannot use the
    requested engine.
    """
    if name is not None:
        return _served(script, ENGINES[name])
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
        advice = "run it on PyTensor: name an interpreter that has pytensor with --python; theanodiag provides the legacy names"
        raise UsageError(f"{script.framework} has no way to {engine.name}: {' and '.join(frameworks)} have", help=advice, option="engine")
    return engine


def engine_of(function: CompiledFunction, engine: Engine, device: DeviceProfile) -> str:
    """Returns the name of the engine of one function. On the host each function has its linker's own engine, on a device all have the
    script's.
    """
    return LINKERS.get(function.linker, "host") if device.is_host and engine.name != "gpuarray" else engine.name
