"""What the rules about memory, coverage, numerics and transfers look at: a simulated script."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..devices import DeviceProfile
from ..findings import Location
from ..ir import ShapeTable, Site
from ..memory.profile import MemoryProfile, ProcessProfile
from ..memory.script import CompiledFunction, Script
from ..memory.settings import MemorySettings
from ..plans.advice import Advice
from ..plans.preallocate import PreallocationPlan


@dataclass(frozen=True)
class ScriptSubject:
    """A script, what was assumed, and what the simulation gave."""

    model: str
    """Path of the script."""
    script: Script
    settings: MemorySettings
    device: DeviceProfile
    process: ProcessProfile
    preallocation: PreallocationPlan | None = None
    advice: Advice = field(default_factory=Advice)
    """The other plans."""
    library: str = "theano"
    """The name by which code to paste calls the framework."""
    finished: bool = True
    """Whether the script ran to its end: else what was not seen may still come."""

    def profiled(self) -> list[tuple[CompiledFunction, MemoryProfile]]:
        """The functions that were simulated, largest peak first."""
        pairs = [(self.script.functions[i], p) for i, p in self.process.functions.items()]
        return sorted(pairs, key=lambda pair: -pair[1].figures.live_peak_bytes)

    def shapes_at_peak(self, function: CompiledFunction, profile: MemoryProfile) -> ShapeTable:
        """The shapes of the call that the function's profile is of: the one with its highest peak."""
        return self.script.calls(function.index)[profile.call].shapes

    def place(self, site: Site | None, detail: str | None = None) -> Location:
        """A finding's location: the site in the user's source where there is one, else the script."""
        return Location(site.path, site.line, detail=detail) if site else Location(self.model, detail=detail)
