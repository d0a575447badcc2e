"""The timeline of a report, for the formats that draw it: the simulation is run once more, with every event recorded."""

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
    """Every allocation that the report's figures consist of; none where nothing was simulated."""
    simulated = report.process.simulated
    return timeline(simulated) if isinstance(simulated, Simulated) else EMPTY


def title(tag: Tag) -> str:
    """What an allocation is called in a viewer: the Variable, and the Op where the Variable has a name of its own."""
    named = tag.op is not None and tag.op != tag.variable
    return visible(f"{tag.variable}: {tag.op}" if named else tag.variable)
