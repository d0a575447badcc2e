"""Devices behind compilers: PyTensor or Aesara on JAX, and PyTensor on torch, which compile a whole function and have allocators of their
own; and the host.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

from ..capture.model import InstrumentRequest
from ..ir import Unknown
from ..ir.serial import Cursor
from ..memory.settings import MemorySettings
from ..memory.xla.sizes import address_table
from ..processes.interpreter import AGENT
from ..units import format_bytes
from .model import (
    PEAK,
    PLACE,
    RESERVED,
    Bytes,
    CallMeasurement,
    CompiledWhole,
    ConfirmDevice,
    DeviceSpec,
    Measured,
    Reserved,
    out_of_memory,
    read,
)
from .pygpu import INSTRUMENT

# The host as a device: the framework's own virtual machine runs the nodes in host memory, and the arrays that it holds are measured.

LINE = "host memory: bytes of the arrays that the functions hold; memory that an op allocates and frees while it runs is not measured"
"""Description of the host as a device, for the report."""


@dataclass(frozen=True)
class HostDevice:
    """The host's memory as a device. Memory that an Op allocates and frees while it runs is not measured."""

    flags: Mapping[str, str] = field(default_factory=dict)
    """Flags that keep the framework on the CPU."""
    spec: DeviceSpec = field(default_factory=lambda: DeviceSpec("cpu", LINE, exact=False, computes=True))

    @property
    def instrument(self) -> InstrumentRequest:
        """Requests the instrument that sums up the arrays in the storage cells of the functions after each node."""
        return InstrumentRequest(INSTRUMENT, {"meter": "host", "nodes": True})

    def environment(self, base: Mapping[str, str], folder: Path) -> dict[str, str]:
        """Returns `base` unchanged: a run on the host needs no other variables."""
        return dict(base)

    def settings(self, settings: MemorySettings) -> MemorySettings:
        """Returns `settings` unchanged: the simulation already behaves like the host."""
        return settings

    def limited(self, nbytes: int) -> Union[ConfirmDevice, Unknown]:
        """Always Unknown: host memory is shared with the interpreter and its libraries, so it cannot be limited."""
        return Unknown("host memory is not limited: the interpreter and its libraries need an unknown part of it")

    def read(self, events: Sequence[Mapping[str, object]]) -> Measured:
        """Builds the measurements from the instrument's events; there are no reserved bytes on the host."""
        return read(events, Reserved.HOST)


def host(seen: Mapping[str, object]) -> HostDevice:
    """Returns the host as a device for a script in which the flags `seen` are in force. A script whose flags request a GPU is run with
    device=cpu.
    """
    return HostDevice({"device": "cpu"} if str(seen.get("device", "cpu")) != "cpu" else {})


ARGUMENTS, OUTPUTS, TEMPORARIES = "arguments_bytes", "outputs_bytes", "temporaries_bytes"
"""Names of figures of one call: bytes of its arguments, results and temporaries."""
XLA_ARGUMENTS, XLA_OUTPUTS = "xla_arguments_bytes", "xla_outputs_bytes"
"""Names of figures from XLA's own analysis before the run, with which our predictions are compared."""
RISEN = "resident_risen_bytes"
"""Name of a figure: the largest increase of the process's resident memory during the call, including what libraries use."""
UNTOLD = Unknown("this system cannot reset the peak of a process")
UNCOUNTED = Unknown("not measured on the CPU")
IN_PEAK = Unknown("the allocator counts one peak for all that is live")
EARLIER = Unknown("an earlier peak of the process was higher")
NO_ANALYSIS = Unknown("this version of JAX gives no analysis on this device")
ROUNDING = 256
"""XLA's allocator on a GPU rounds each buffer up to a multiple of this many bytes (tsl/framework/bfc_allocator.h, kMinAllocationSize)."""


def read_jax(events: Sequence[Mapping[str, object]]) -> Measured:
    """Builds the measurements of a run with JAX: bytes of arguments, results and temporaries and the peak of each call, and the peak and
    pool limit of the process.
    """
    return _read(events, _jax_call, {"peak_bytes_in_use": "live_peak_bytes", "bytes_limit": "pool_limit_bytes"})


def read_torch(events: Sequence[Mapping[str, object]]) -> Measured:
    """Builds the measurements of a run with torch: bytes of arguments and results of each call, and on CUDA the peaks that the caching
    allocator counted.
    """
    return _read(events, _torch_call, {"peak": "live_peak_bytes", "reserved": "reserved_peak_bytes"})


def _read(events: Sequence[Mapping[str, object]], call: Callable[[Cursor, int], CallMeasurement], process: Mapping[str, str]) -> Measured:
    rows = [Cursor(dict(e), step=PLACE) for e in events]
    calls = tuple(call(r, i) for r in rows if r.maybe_text("what") == "piece" and (i := r.maybe_integer("function")) is not None)
    last = next((s for r in reversed(rows) if r.maybe_text("what") == "end" and (s := r.maybe("after")) is not None), None)
    figures = {} if last is None else {name: last.key(key).integer() for key, name in process.items() if key in last.table()}
    out = next((out_of_memory(r) for r in rows if r.maybe_text("what") == "oom"), None)
    return Measured(calls, figures, out, tuple(_notes(rows)))


def _jax_call(at: Cursor, function: int) -> CallMeasurement:
    analysis, before, after = (_numbers(at, name) for name in ("analysis", "before", "after"))
    if not (analysis or {}).get("argument") and at.key("arguments").integer():
        analysis = None  # versions that count nothing on the CPU say 0
    figures: dict[str, Bytes] = {ARGUMENTS: at.key("arguments").integer(), OUTPUTS: at.key("outputs").integer()}
    figures[XLA_ARGUMENTS] = NO_ANALYSIS if analysis is None else analysis["argument"]
    figures[XLA_OUTPUTS] = NO_ANALYSIS if analysis is None else analysis["output"] - _conditions(at)
    figures[TEMPORARIES] = UNCOUNTED if after is None else IN_PEAK
    figures[PEAK] = _risen(before, after)
    if after is None:
        figures[RISEN] = _grown(at)
    estimated = {} if analysis is None else {TEMPORARIES: analysis["temp"], PEAK: _peak(at, analysis, before)}
    whole = CompiledWhole(at.integers("constants"), _texts(at, "argument_types"), _texts(at, "result_types"))
    return CallMeasurement(function, at.key("call").integer(), figures, (), _seconds(at), estimated, whole)


def _conditions(at: Cursor) -> int:
    """Bytes that XLA counts as output for conditions of assertions, which the graph does not have as outputs."""
    results, conditions = at.key("results").integer(), at.key("conditions").integer()
    return at.key("conditions_bytes").integer() + address_table(results + conditions) - address_table(results)


def _peak(at: Cursor, analysis: Mapping[str, int], before: Mapping[str, int] | None) -> int:
    """XLA's predicted peak: bytes used before, arguments moved to the device, results and temporaries, with `ROUNDING` for each buffer."""
    live = analysis["argument"] if before is None else before["bytes_in_use"] + at.key("moved").integer()
    produced = analysis["output"] + analysis["temp"] - analysis["alias"]
    return live + produced + (0 if before is None else ROUNDING * (1 + at.key("pieces").integer()))


def _torch_call(at: Cursor, function: int) -> CallMeasurement:
    after = _numbers(at, "after")
    figures: dict[str, Bytes] = {ARGUMENTS: at.key("arguments").integer(), OUTPUTS: at.key("outputs").integer()}
    figures[PEAK] = UNCOUNTED if after is None else after["peak"]
    figures[RESERVED] = UNCOUNTED if after is None else after["reserved"]
    if after is None:
        figures[RISEN] = _grown(at)
    return CallMeasurement(function, at.key("call").integer(), figures, (), _seconds(at))


def _risen(before: Mapping[str, int] | None, after: Mapping[str, int] | None) -> Bytes:
    """The peak of the process after the call, which only rises; Unknown where this call did not raise it."""
    name = "peak_bytes_in_use"
    if before is None or after is None or name not in after:
        return UNCOUNTED
    return after[name] if after[name] > before.get(name, 0) else EARLIER


def _grown(at: Cursor) -> Bytes:
    risen = at.maybe_integer("risen")
    return UNTOLD if risen is None else risen


def _numbers(at: Cursor, name: str) -> Mapping[str, int] | None:
    place = at.maybe(name)
    return None if place is None else {k: place.key(k).integer() for k in place.table()}


def _texts(at: Cursor, name: str) -> tuple[str | None, ...]:
    return tuple(None if row.value is None else row.text() for row in at.rows(name))


def _seconds(at: Cursor) -> float | Unknown:
    seconds = at.key("seconds").number()
    return Unknown("it was not timed") if seconds is None else seconds


def _notes(rows: Sequence[Cursor]) -> Iterator[str]:
    yield from (text for row in rows if (text := row.maybe_text("note")) is not None)
    segments = [s["segments"] for row in rows if row.maybe_text("what") == "end" and (s := _numbers(row, "after")) and "segments" in s]
    yield from (f"torch holds {n} segments at the end" for n in segments)


JAX_LINE = "JAX on {title}: XLA's own assignment of buffers, made before the run, is the estimate"
TORCH_LINE = "torch on {title}: no estimate is made before the run"
NOT_COUNTED = "; on the CPU only arguments, results and the growth of the process are measured"
POOL = 0.75
"""The share of a GPU that XLA takes by default (XLA_CLIENT_MEM_FRACTION)."""


@dataclass(frozen=True)
class CompiledDevice:
    """A GPU or the CPU as used by JAX or torch."""

    spec: DeviceSpec
    flags: Mapping[str, str]
    """Flags that select the mode."""
    program: Path
    """Path of the instrument's program."""
    reader: Callable[[Sequence[Mapping[str, object]]], Measured]
    """Parses the instrument's events."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Variables added to the environment."""
    fraction: float | None = None
    """The share of the device that may be used (`--tight`); None: no limit."""

    @property
    def instrument(self) -> InstrumentRequest:
        """Requests the instrument that measures around each compiled function."""
        return InstrumentRequest(self.program, {"fraction": self.fraction})

    def environment(self, base: Mapping[str, str], folder: Path) -> dict[str, str]:
        """Returns `base` with the variables that limit the device's memory, if it is limited.

        Python's warnings are switched off, because compilers warn about dtypes and asserts, which is not output of the script.
        """
        return {"PYTHONWARNINGS": "ignore", **base, **self.variables}

    def settings(self, settings: MemorySettings) -> MemorySettings:
        """Returns `settings` unchanged: the simulation runs nodes one by one, so it is not compared with a compiled function."""
        return settings

    def limited(self, nbytes: int) -> Union[CompiledDevice, Unknown]:
        """Returns the device with its memory limited to the share of the GPU that holds `nbytes`; Unknown on the CPU, which has no pool."""
        total = self.spec.total_bytes
        if total is None:
            return Unknown(f"{self.spec.kind} uses host memory here, and has no pool whose size could be limited")
        fraction = min(1.0, nbytes / total)
        # XLA reads either name, the newer one first (jaxlib, xla_bridge.py); without its pool it would take what it wants.
        limit = {"XLA_CLIENT_MEM_FRACTION": f"{fraction:.6f}", "XLA_PYTHON_CLIENT_MEM_FRACTION": f"{fraction:.6f}"}
        limit["XLA_PYTHON_CLIENT_PREALLOCATE"] = "true"
        spec = dataclasses.replace(self.spec, free_bytes=nbytes)
        more = limit if self.spec.kind == "jax" else {}
        return dataclasses.replace(self, spec=spec, fraction=fraction, variables={**self.variables, **more})

    def read(self, events: Sequence[Mapping[str, object]]) -> Measured:
        """Builds the measurements from the instrument's events."""
        return self.reader(events)


def jax(title: str, total: int | None) -> CompiledDevice:
    """Returns the device on which functions in mode JAX run; `total` is the memory of a GPU in bytes, None for the CPU."""
    return CompiledDevice(_spec("jax", JAX_LINE, title, total), {"mode": "JAX"}, AGENT / "measure" / "jax_calls.py", read_jax)


def torch(title: str, total: int | None) -> CompiledDevice:
    """Returns the device on which functions in mode PYTORCH run; `total` is the memory of a GPU in bytes, None for the CPU."""
    return CompiledDevice(_spec("torch", TORCH_LINE, title, total), {"mode": "PYTORCH"}, AGENT / "measure" / "torch_calls.py", read_torch)


def _spec(kind: str, line: str, title: str, total: int | None) -> DeviceSpec:
    what = title if total is None else f"{title}, {format_bytes(total)}"
    text = line.format(title=what) + (NOT_COUNTED if total is None else "")
    return DeviceSpec(kind, text, exact=False, computes=True, total_bytes=total)
