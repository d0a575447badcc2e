"""The subject of rules about memory, coverage, numerics and transfers: a simulated script."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from ..devices import DeviceProfile
from ..findings import Location
from ..flags.flags_variable import FlagsVariable
from ..ir import ShapeTable, Site
from ..memory.profile import MemoryProfile, ProcessProfile
from ..memory.script import CompiledFunction, Script
from ..memory.settings import MemorySettings
from ..memory.simulate import reserved_range
from ..plans.advice import Advice
from ..plans.memory_flags import PreallocationPlan


@dataclass(frozen=True)
class ScriptSubject:
    """A script, the settings and device assumed, and the results of the simulation."""

    model: str
    """Path of the script."""
    script: Script
    """The captured script."""
    settings: MemorySettings
    """Settings of the simulation."""
    device: DeviceProfile
    """The requested device."""
    process: ProcessProfile
    """Results of the simulation."""
    preallocation: PreallocationPlan | None = None
    """The preallocation plan, if there is one."""
    advice: Advice = field(default_factory=Advice)
    """All other plans."""
    library: str = "theano"
    """Name under which the script imports the framework, for code to paste."""
    finished: bool = True
    """Whether the script ran to its end; if not, later uses are unknown."""
    source: str = ""
    """The text of the script; empty where it cannot be read."""
    samples_there: bool = False
    """Whether samplers keep their draws on the device in addition to the functions' arrays; `process` does not include them."""
    flags_variable: FlagsVariable = field(default_factory=lambda: FlagsVariable(text=""))
    """The environment variable from which the framework took flags; by default one that was not set."""

    @cached_property
    def reserved_range(self) -> tuple[int, int]:
        """Lowest and highest reserved peak in bytes, depending on where the driver places its blocks."""
        return reserved_range(self.script, self.settings, self.process)

    def profiled(self) -> list[tuple[CompiledFunction, MemoryProfile]]:
        """Returns the simulated functions with their profiles, highest peak first."""
        pairs = [(self.script.functions[i], p) for i, p in self.process.functions.items()]
        return sorted(pairs, key=lambda pair: -pair[1].figures.live_peak_bytes)

    def shapes_at_peak(self, function: CompiledFunction, profile: MemoryProfile) -> ShapeTable:
        """Returns the shapes of the function's call with the highest peak, which `profile` describes."""
        return self.script.calls(function.index)[profile.call].shapes

    def place(self, site: Site | None, detail: str | None = None) -> Location:
        """Returns the location of a finding: the source line `site` if it is known, else the script."""
        return Location(site.path, site.line, detail=detail) if site else Location(self.model, detail=detail)
