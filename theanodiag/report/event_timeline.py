"""The timeline of a report, for formats that draw memory over time: the simulation is run once more and every event recorded."""

from __future__ import annotations

from dataclasses import replace

from ..escaping import visible
from ..memory.script import Script
from ..memory.settings import AllocatorKind
from ..memory.simulate import Life, lives, node_by_node, placements
from ..memory.timeline import Simulated, SimulationRecording, Timeline
from ..memory.xla.process import simulate as xla
from ..ops.arrays import Tag
from .model import Report


def timeline(simulated: Simulated) -> Timeline:
    """Simulates the script once more and records every allocation. If a script was simulated in several variants (branches, placements of
    nodes), records the variant that needs most memory.
    """
    script, settings = simulated.script, simulated.settings
    recording = SimulationRecording()
    if settings.allocator is AllocatorKind.XLA and not node_by_node(script, settings):
        xla(script, settings, recording)
        return recording.timeline(script, settings.allocator)
    if settings.allocator is AllocatorKind.XLA:
        by_nodes = replace(settings, allocator=AllocatorKind.DIRECT)
        plain = timeline(Simulated(script, by_nodes))
        xla(script, settings, recording)
        return max(plain, recording.timeline(script, settings.allocator), key=lambda t: t.live_peak_bytes)
    placed = list(placements(script, settings))
    if len(placed) == 1:
        _, process = Life(placed[0], settings).run(recording)
        if not process.guessed:
            return recording.timeline(placed[0], settings.allocator)
    recording, brief = SimulationRecording(), replace(settings, detailed=False)
    runs = [row for one in placed for row in lives(one, brief)]
    life, _ = max(runs, key=lambda row: (row[1].reserved_peak_bytes, row[1].live_peak_bytes))
    replace(life, settings=settings).run(recording)
    return recording.timeline(life.script, settings.allocator)


EMPTY = Timeline(Script({}, (), ()), AllocatorKind.DIRECT, (), (), (), 0)


def timeline_of(report: Report) -> Timeline:
    """Returns the timeline of all allocations behind the report's figures; `EMPTY` if nothing was simulated."""
    simulated = report.process.simulated
    return timeline(simulated) if isinstance(simulated, Simulated) else EMPTY


def title(tag: Tag) -> str:
    """Returns the name of an allocation in a viewer: the Variable, and its Op if the Variable has a name of its own."""
    named = tag.op is not None and tag.op != tag.variable
    return visible(f"{tag.variable}: {tag.op}" if named else tag.variable)
