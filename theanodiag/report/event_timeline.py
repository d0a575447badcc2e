"""The timeline of a report, for formats that draw it: runs the simulation once more and records every event."""

from __future__ import annotations

from ..escaping import visible
from ..memory.replay import timeline
from ..memory.script import Script
from ..memory.settings import AllocatorKind
from ..memory.timeline import Simulated, Timeline
from ..ops.arrays import Tag
from .model import Report

EMPTY = Timeline(Script({}, (), ()), AllocatorKind.DIRECT, (), (), (), 0)


def timeline_of(report: Report) -> Timeline:
    """The timeline of all allocations behind the report's figures; None if nothing was simulated."""
    simulated = report.process.simulated
    return timeline(simulated) if isinstance(simulated, Simulated) else EMPTY


def title(tag: Tag) -> str:
    """Name of an allocation in a viewer: the Variable, and its Op if the Variable has a name of its own."""
    named = tag.op is not None and tag.op != tag.variable
    return visible(f"{tag.variable}: {tag.op}" if named else tag.variable)
