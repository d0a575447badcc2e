"""The functions of a script, each alone on a device: as their lifted CPU graphs have it, and as Theano's own GPU graphs have it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from theanodiag.capture.model import GpuRequest
from theanodiag.capture.runner import run_script
from theanodiag.memory.script import Call, Compile, Create, Event, Script
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.units import GIB

from ...interpreters import ROOT, find, listed

HERE = Path(__file__).parent
FUNCTIONS = HERE / "scripts" / "functions.py"
MODELS = tuple(p for p in listed(HERE.parent / "models", "*.py") if p.stem != "vgg16")
EXAMPLES = tuple(listed(ROOT / "examples", "*.py"))
FLAGS = {
    "THEANO_FLAGS": "floatX=float32,blas.ldflags=,on_opt_error=ignore",
    "AESARA_FLAGS": "floatX=float32",
    "PYTENSOR_FLAGS": "floatX=float32",
}


@dataclass(frozen=True)
class Pair:
    """Live peak and reserved bytes of one function, both ways."""

    script: str
    function: str
    allow_gc: bool
    live: tuple[int, int]
    """Lifted, Theano's own."""
    reserved: tuple[int, int]

    @property
    def holds(self) -> bool:
        """Whether the lifted figures are bounds."""
        return self.live[0] >= self.live[1] and self.reserved[0] >= self.reserved[1]

    @property
    def excess(self) -> float:
        """By how much the lifted peak is too high, as a share of the true one."""
        return self.live[0] / self.live[1] - 1 if self.live[1] else 0.0


def captured(path: Path, interpreter: str, *names: str, gpu: bool = False) -> Script:
    """What the script does, seen without calling its functions."""
    asked = GpuRequest(16 * GIB) if gpu else None
    quiet = os.open(os.devnull, os.O_WRONLY)
    try:
        return run_script(path, find(interpreter), names, gpu=asked, env=FLAGS, stdout=quiet).script
    finally:
        os.close(quiet)


def pairs(path: Path, *names: str, interpreter: str = "theano") -> Iterator[Pair]:
    """The functions of a script; for another interpreter than Theano's, those that it has too."""
    host, device = captured(path, interpreter, *names), captured(path, "theano", *names, gpu=True)
    numbers = {f.name: f.index for f in device.functions} if interpreter != "theano" else {}
    for function in host.functions:
        other = numbers.get(function.name, -1) if numbers else function.index
        for allow_gc in (True, False) if other >= 0 else ():
            mine, real = _figures(host, function.index, allow_gc, True), _figures(device, other, allow_gc, False)
            if mine and real:
                yield Pair(path.stem, function.name, allow_gc, (mine[0], real[0]), (mine[1], real[1]))


def _figures(script: Script, index: int, allow_gc: bool, lift: bool) -> tuple[int, int] | None:
    """Live peak and reserved bytes; None for what was never called."""
    profile = simulate(alone(script, index, allow_gc), MemorySettings(lift=lift)).functions.get(0)
    return profile and (profile.figures.live_peak_bytes, profile.figures.reserved_bytes)


def alone(script: Script, index: int, allow_gc: bool) -> Script:
    """A script with one of the functions, its shared variables as they are at first, and its calls."""
    function = replace(script.functions[index], index=0, allow_gc=allow_gc)
    shared = {a.shared for a in function.graph.inputs if a.shared is not None}
    events: list[Event] = []
    for event in script.events:
        if isinstance(event, Create) and event.shared in shared:
            events.append(event)
        elif isinstance(event, Compile) and event.function == index:
            events.append(Compile(0))
        elif isinstance(event, Call) and event.function == index:
            events.append(replace(event, function=0, device_results=()))
    return replace(script, functions=(function,), events=tuple(events), shared={i: v for i, v in script.shared.items() if i in shared})
