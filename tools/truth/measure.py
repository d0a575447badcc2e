"""One script under one set of flags: predicted, run, and run again on the smallest device."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from tests.memory.stand.catalogue import Model
from tests.memory.stand.predict import captured, settings_of
from tests.memory.stand.run import HERE, MODELS, calls_of, on_device, traced
from theanodiag.confirmation.simulated_cuda import DriverAlloc, TraceEvent, TraceMark
from theanodiag.memory.profile import ProcessProfile
from theanodiag.memory.script import Delete, Script
from theanodiag.memory.simulate import simulate
from theanodiag.units import KIB

from .kept import kept

CLOSE = 64 * KIB
"""How near the smallest device is looked for."""
ON_HOST = "Could not initialize pygpu, support disabled"
"""What Theano says where it goes on without the device."""


@dataclass(frozen=True)
class FunctionRow:
    """One function: the highest figures of all its calls."""

    function: int
    name: str
    live: tuple[int | None, int]
    """Predicted and real."""
    reserved: tuple[int | None, int]
    soonest: tuple[int, int] | None = None
    """Live and reserved as predicted if all that a search for garbage found by chance were gone at once; None where that is the same."""

    @property
    def exact(self) -> bool:
        """Not a byte of difference."""
        return self.live[0] == self.live[1] and self.reserved[0] == self.reserved[1]


@dataclass(frozen=True)
class ScriptRow:
    """One script under one set of flags."""

    title: str
    what: str
    flags: str
    functions: tuple[FunctionRow, ...]
    requests: tuple[int, int]
    """Requests to the driver, predicted and real."""
    smallest: tuple[int, int | None]
    """Smallest device that will do, predicted and (at most `CLOSE` too high) real; None where it was not looked for."""


def measure(model: Model, flags: str, smallest: bool) -> ScriptRow:
    """The rows of one script; `smallest` asks for the smallest device too."""
    real = kept(model, flags, "run", lambda: run(model, flags))
    script = seen(model, "allow_gc=False" if "allow_gc" in flags else "")
    script = replace(script, flags={**script.flags, **preallocation(flags)})
    mine = simulate(script, settings_of(script, model.device))
    certain = without_chance(script)
    soonest = mine if certain == script else simulate(certain, settings_of(certain, model.device))
    # What has no name is called by its place, which is not to tell of this machine.
    names = {f.index: f.name.rpartition("/")[2] for f in script.functions}
    need = mine.reserved_peak_bytes
    figures = sorted((int(function), pair) for function, pair in real["functions"].items())
    rows = tuple(_row(mine, soonest, function, names.get(function, "?"), pair) for function, pair in figures)
    least = smallest_device(model, flags, need) if smallest else None
    return ScriptRow(model.title, model.what, flags, rows, (mine.driver_requests, real["requests"]), (need, least))


@cache
def seen(model: Model, flags: str) -> Script:
    """What `theanodiag check` sees of the script."""
    return captured(MODELS / f"{model.script}.py", flags, model.args, model.interpreter)


def without_chance(script: Script) -> Script:
    """The script with what a search for garbage found gone at once, as in the run that was watched."""
    events = tuple(replace(e, collected=False) if isinstance(e, Delete) else e for e in script.events)
    return replace(script, events=events)


def preallocation(flags: str) -> dict[str, object]:
    """What the script would have read: the preallocation changes no graph."""
    name, _, value = flags.partition("=")
    return {name: float(value)} if name == "gpuarray.preallocate" else {}


def run(model: Model, flags: str) -> dict[str, Any]:
    """Figures by function, and the requests to the driver, of the script on the simulated device."""
    command = (str(MODELS / f"{model.script}.py"), *model.args)
    with tempfile.TemporaryDirectory() as folder:
        found = traced(
            HERE / "marked.py", *command, folder=Path(folder), flags=flags, device=model.device, interpreter=model.interpreter
        )  # fmt: skip
        events = until_end(list(found))
    functions: dict[int, tuple[int, int]] = {}
    for call in calls_of(events):
        peak, reserved = functions.get(call.function, (0, 0))
        functions[call.function] = max(peak, call.peak), max(reserved, call.reserved)
    return {"functions": functions, "requests": sum(isinstance(e, DriverAlloc) for e in events)}


def until_end(events: Sequence[TraceEvent]) -> Sequence[TraceEvent]:
    """The events before the script ended: what the interpreter does after that is not the script's."""
    end = next((k for k, e in enumerate(events) if isinstance(e, TraceMark) and e.text == "end"), len(events))
    return events[:end]


def _row(mine: ProcessProfile, soonest: ProcessProfile, function: int, name: str, real: Sequence[int]) -> FunctionRow:
    live, reserved = _figures(mine, function) or (None, None)
    other = _figures(soonest, function)
    return FunctionRow(function, name, (live, real[0]), (reserved, real[1]), None if other == (live, reserved) else other)


def _figures(profile: ProcessProfile, function: int) -> tuple[int, int] | None:
    """Live and reserved bytes."""
    found = profile.functions.get(function)
    return (found.figures.live_peak_bytes, found.figures.reserved_bytes) if found else None


def smallest_device(model: Model, flags: str, predicted: int) -> int:
    """Bisection between the device that does and the one that does not; first around what was predicted."""
    enough, short = predicted, predicted - CLOSE
    while not runs(model, flags, enough):
        enough, short = enough * 2, enough
    while short > 0 and runs(model, flags, short):
        enough, short = short, short // 2
    while enough - short > CLOSE:
        middle = (enough + short) // 2
        enough, short = (middle, short) if runs(model, flags, middle) else (enough, middle)
    return enough


def runs(model: Model, flags: str, free: int) -> bool:
    """Whether the script ends well where `free` bytes are free once the context exists; it may not fall back to the host.

    Theano does so where the device cannot be opened, and says it on stderr, whatever `force_device` is.
    Source: Theano 1.0.5, gpuarray/__init__.py.
    """
    script, device = MODELS / f"{model.script}.py", replace(model.device, free_bytes=free)

    def attempt() -> bool:
        done = on_device(script, *model.args, flags=flags, device=device, interpreter=model.interpreter)
        return done.returncode == 0 and ON_HOST not in done.stderr

    return bool(kept(model, flags, f"runs on {free}, on the device", attempt))
